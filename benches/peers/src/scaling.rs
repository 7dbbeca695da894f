//! What threads are good for: ours and the limit on 1, 2, 4, ... threads.
//!
//! Where the limit gains nothing by threads, memory is the limit. The *serial share* is Amdahl's:
//! with n threads `(n Tn / T1 - 1) / (n - 1)`. So 3,000 us on one thread and 1,800 on two are a
//! share of 20 %.

use std::time::{Duration, Instant};

use crate::{
    between::Between,
    driver::alternate,
    limit::Limit,
    options::Options,
    row::{self, Figure, Row},
    stages,
    table::{Table, micro, significant},
    who::Who,
    workloads::{Scene, Workload},
};

/// The rows, each with its number of nodes: large ones, those with many archetypes, structural
/// ones, and the sizes that most games have.
const ROWS: [(&str, usize); 24] = [
    ("hum_all", 268_000),
    ("hum_10", 268_000),
    ("tree_all", 262_143),
    ("wide_root", 250_001),
    ("hum_all/scattered", 268_000),
    ("flat_all", 100_000),
    ("flat_all", 1_000_000),
    ("flat_few", 1_000_000),
    ("flat_all/hundreds", 100_000),
    ("flat_few/archetypes", 100_000),
    ("flat_all/archetypes", 100_000),
    ("reparent", 101_000),
    ("respawn", 101_000),
    ("respawn_leaves", 101_000),
    ("spawn_hum", 999_975),
    ("hum_all", 67_000),
    ("hum_all", 10_050),
    ("hum_10", 10_050),
    ("flat_all", 10_000),
    ("flat_few", 10_000),
    ("chain_all", 10_000),
    ("chain_all", 1_000),
    ("tree_leaf/apart", 262_143),
    ("bullets", 101_000),
];

/// The rows that are run with all kinds of work between two runs.
const IN_FRAMES: [(&str, usize); 4] =
    [("hum_all", 10_050), ("hum_all", 67_000), ("hum_all", 268_000), ("flat_all", 100_000)];
const FRAMES: [Between; 4] = [Between::Nothing, Between::Asleep, Between::Busy, Between::Pool];

/// Measures the rows that are wanted, and prints their times in microseconds.
pub fn print(options: &Options, figure: Figure) -> Result<(), String> {
    if options.stages && !stages::ARE_TOLD {
        return Err("stages are told with `--features stages`".into());
    }
    let mut programs = options.programs()?;
    // Two at least: on one core, by `taskset -c 0`, they show what helpers cost that cannot help.
    let counts = std::iter::successors(Some(1), |count| Some(count * 2));
    let most = options.threads.max(2);
    let counts: Vec<usize> = counts.take_while(|&count| count < most).chain([most]).collect();
    let (rows, frames) = match options.frames {
        true => (&IN_FRAMES[..], &FRAMES[..]),
        false => (&ROWS[..], &[programs.between][..]),
    };
    if options.frames {
        let [short, long] = [200, 16_000].map(|pause| wake_up(Duration::from_micros(pause)));
        println!("a sleeping thread begins {short:?} after 200 us, {long:?} after 16 ms\n");
    }
    let mut head = vec!["workload", "entities", "between", "threads", "ours", "of one", "share"];
    head.extend(["limit", "of one", "share"]);
    let (mut table, mut failed) = (Table::new(head), String::new());
    for &(name, nodes) in rows.iter().filter(|row| options.wants(row.0)) {
        let workload = Workload::named(name).expect("a name from the catalogue");
        let limits = counts.iter().filter(|_| Limit::takes(workload)).map(|&it| Who::Limit(it));
        let who: Vec<Who> = limits.chain(counts.iter().map(|&it| Who::Ours(it))).collect();
        for &between in frames {
            programs.between = between;
            eprintln!("{name} of {nodes}, {between:?}");
            let cells = alternate(&programs, &who, (name, nodes), &options.effort);
            let row = Row { workload: name, nodes: Scene::new(workload, nodes).len(), cells };
            add(&mut table, &row, (between, &counts), figure);
            failed += &row::wrong(&[row]);
        }
    }
    println!("{}{failed}", table.text());
    Ok(())
}

/// Adds a line for each number of threads; and one for each stage that takes a hundredth of the
/// run or more.
fn add(table: &mut Table, row: &Row, (between, counts): (Between, &[usize]), figure: Figure) {
    let tick = |who: Who, stage: Option<&str>| {
        let is_it = |way: &str| stage.map_or(!way.starts_with(stages::PREFIX), |it| it == way);
        let best = row.best(figure, |times| times.tick, |it, way| it == who && is_it(way))?;
        Some(best.times.tick)
    };
    // The time, how many times that of one thread, and the serial share in percent.
    let cells = |who: fn(usize) -> Who, stage: Option<&str>, n: usize| {
        let (one, time) = (tick(who(1), stage), tick(who(n), stage));
        let ratio = one.zip(time).filter(|_| n > 1).map(|(one, time)| time / one);
        let share = ratio.map(|it| 100.0 * (n as f64 * it - 1.0) / (n as f64 - 1.0));
        let text = |it: Option<f64>, text: fn(f64) -> String| it.map_or_else(|| "-".into(), text);
        [text(time, micro), text(ratio, significant), text(share, |it| format!("{it:.0}"))]
    };
    let whole = tick(Who::Ours(1), None);
    let of_one = row.ways().filter(|(who, _)| *who == Who::Ours(1)).map(|(_, it)| it.way.as_str());
    let long = |stage: &&str| tick(Who::Ours(1), Some(stage)).map(|it| it * 100.0) > whole;
    let told: Vec<&str> =
        of_one.filter(|way| way.starts_with(stages::PREFIX)).filter(long).collect();
    for stage in std::iter::once(None).chain(told.into_iter().map(Some)) {
        for &count in counts {
            let name = stage.map_or(row.workload.into(), |stage| format!("... {stage}"));
            let what = [name, row.nodes.to_string(), format!("{between:?}"), count.to_string()];
            let limit =
                if stage.is_some() { Default::default() } else { cells(Who::Limit, None, count) };
            table.row(what.into_iter().chain(cells(Who::Ours, stage, count)).chain(limit));
        }
    }
}

/// How long a thread of a pool takes to begin that has slept for so long: the median.
fn wake_up(pause: Duration) -> Duration {
    let mut times: Vec<Duration> = (0..31)
        .map(|_| {
            std::thread::sleep(pause);
            let start = Instant::now();
            rayon::scope(|_| start.elapsed())
        })
        .collect();
    times.sort_unstable();
    times[15]
}
