//! How much memory a competitor keeps, in a process of its own.

use crate::{
    competitor::Competitor,
    driver::{Programs, Who},
    table::{Table, significant},
    workloads::{Scene, Workload},
};

/// One node in a hundred, or one skeleton in ten, moves: whatever is kept to find out which did, is there.
const WORKLOADS: [(&str, usize); 2] = [("flat_few", 1_000_000), ("hum_10", 268_000)];

/// Prints the bytes that a competitor's world takes, of the pages that are resident.
pub fn serve<C: Competitor>(workload: &Workload, nodes: usize) {
    let mut scene = Scene::new(workload, nodes);
    let mut competitor = C::new(&scene);
    let before = resident();
    competitor.spawn(&scene);
    competitor.run();
    competitor.end_frame();
    for _ in 0..5 {
        let edit = scene.advance();
        competitor.edit(&scene, &edit);
        competitor.run();
        competitor.end_frame();
    }
    println!("{}", resident().saturating_sub(before));
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
}

/// The table of bytes an entity.
pub fn table(programs: &Programs, threads: usize) -> String {
    let mut table =
        Table::new(&["bytes an entity", "entities", "limit", "Bevy parallel", "Bevy serial", "ours", "bound", "met"]);
    for (workload, nodes) in WORKLOADS {
        let bytes = |who: Who| {
            let arguments = ["memory-of", who.name(), workload, &nodes.to_string()];
            let output = programs.command(who, threads).args(arguments).output().ok()?;
            let total: f64 = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
            Some(total / nodes as f64)
        };
        let all = Who::ALL.map(bytes);
        let [_, parallel, serial, ours] = all;
        let bevy = parallel.unwrap_or(f64::INFINITY).min(serial.unwrap_or(f64::INFINITY));
        let met = if ours.is_some_and(|ours| ours < bevy) { "yes" } else { "NO" };
        let (name, bound) = if workload == "flat_few" { ("flat", "below Bevy") } else { ("hierarchy", "aim: below Bevy") };
        let text = |bytes: Option<f64>| bytes.map_or_else(|| "-".into(), significant);
        let row = [name.into(), nodes.to_string()].into_iter().chain(all.map(text)).chain([bound.into(), met.into()]);
        table.row(row);
    }
    table.text()
}
