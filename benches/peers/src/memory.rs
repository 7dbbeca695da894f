//! How much memory a competitor keeps, in a process of its own.

use crate::{
    bench::Bench,
    between::Others,
    bounds,
    competitor::Competitor,
    table::{Table, significant},
    who::{Programs, Who},
    workloads::Workload,
};

/// One node in a hundred, or one skeleton in ten, moves: whatever is kept to find out which did, is
/// there.
const WORKLOADS: [(&str, &str, usize); 2] =
    [("flat", "flat_few", 1_000_000), ("hierarchy", "hum_10", 268_000)];

/// Prints the bytes that a competitor's world takes, of the pages that are resident.
pub fn serve<C: Competitor>(workload: &Workload, nodes: usize) {
    let (mut bench, mut others) = (Bench::<C>::new(workload, nodes), Others::from_environment());
    let before = resident();
    bench.spawn();
    bench.run();
    (0..5).for_each(|_| _ = bench.tick(&mut others));
    println!("{}", resident().saturating_sub(before));
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
}

/// The table of bytes an entity.
pub fn table(programs: &Programs, threads: usize) -> Result<String, String> {
    programs.build()?;
    let all = Who::all(threads);
    let name = |who: &Who| if who.is_bevy() { format!("Bevy, {who}") } else { who.to_string() };
    let names: Vec<String> = all.iter().map(name).collect();
    let names = names.iter().map(String::as_str);
    let head = ["bytes an entity", "entities"].into_iter().chain(names);
    let mut table = Table::new(head.chain(["ours of Bevy's least", "aim", "met"]));
    for (name, workload, nodes) in WORKLOADS {
        let bytes = |who: &Who| {
            let output = programs.command("memory-of", *who, (workload, nodes)).output().ok()?;
            let total: f64 = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
            Some(total / nodes as f64)
        };
        let found: Vec<Option<f64>> = all.iter().map(bytes).collect();
        let of = |wanted: fn(Who) -> bool| {
            let wanted = all.iter().zip(&found).filter(|(who, _)| wanted(**who));
            wanted.filter_map(|(_, bytes)| *bytes).fold(f64::NAN, f64::min)
        };
        let ratio = of(Who::is_ours) / of(Who::is_bevy);
        let met = if ratio <= bounds::MEMORY { "yes" } else { "NO" };
        let text = |bytes: Option<f64>| bytes.map_or_else(|| "-".into(), significant);
        let cells = [name.into(), nodes.to_string()].into_iter().chain(found.into_iter().map(text));
        table.row(cells.chain([significant(ratio), bounds::MEMORY.to_string(), met.into()]));
    }
    Ok(table.text())
}
