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
    table::{Table, micro, significant},
    who::Who,
    workloads::{Scene, Workload},
};

/// The rows, each with its number of nodes: large ones, structural ones, and the sizes that most
/// games have.
const ROWS: [(&str, usize); 9] = [
    ("hum_all", 268_000),
    ("wide_root", 250_001),
    ("flat_all", 1_000_000),
    ("flat_all", 100_000),
    ("hum_all", 67_000),
    ("hum_all", 10_050),
    ("chain_all", 10_000),
    ("reparent", 101_000),
    ("spawn_hum", 999_975),
];

/// Measures the rows that are wanted, and prints their times in microseconds.
pub fn print(options: &Options, figure: Figure) -> Result<(), String> {
    let mut programs = options.programs()?;
    // Two at least: on one core, by `taskset -c 0`, they show what helpers cost that cannot help.
    let counts = std::iter::successors(Some(1), |count| Some(count * 2));
    let most = options.threads.max(2);
    let counts: Vec<usize> = counts.take_while(|&count| count < most).chain([most]).collect();
    let mut frames = vec![programs.between];
    if options.frames {
        frames = vec![Between::Nothing, Between::Asleep];
        let [short, long] = [200, 16_000].map(|pause| wake_up(Duration::from_micros(pause)));
        println!("a sleeping thread begins {short:?} after 200 us, {long:?} after 16 ms\n");
    }
    let mut head = vec!["workload", "entities", "between", "threads", "ours", "of one", "share"];
    head.extend(["limit", "of one", "share"]);
    let (mut table, mut failed) = (Table::new(head), String::new());
    for &(name, nodes) in ROWS.iter().filter(|row| options.wants(row.0)) {
        let workload = Workload::named(name).expect("a name from the catalogue");
        let limits = counts.iter().filter(|_| Limit::takes(workload)).map(|&it| Who::Limit(it));
        let who: Vec<Who> = limits.chain(counts.iter().map(|&it| Who::Ours(it))).collect();
        for &between in &frames {
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

/// Adds a line for each number of threads.
fn add(table: &mut Table, row: &Row, (between, counts): (Between, &[usize]), figure: Figure) {
    let tick = |who| Some(row.best(figure, |times| times.tick, |it| it == who)?.times.tick);
    // The time, how many times that of one thread, and the serial share in percent.
    let cells = |who: fn(usize) -> Who, n: usize| {
        let (one, time) = (tick(who(1)), tick(who(n)));
        let ratio = one.zip(time).filter(|_| n > 1).map(|(one, time)| time / one);
        let share = ratio.map(|it| 100.0 * (n as f64 * it - 1.0) / (n as f64 - 1.0));
        let text = |it: Option<f64>, text: fn(f64) -> String| it.map_or_else(|| "-".into(), text);
        [text(time, micro), text(ratio, significant), text(share, |it| format!("{it:.0}"))]
    };
    for &count in counts {
        let (name, nodes) = (row.workload.into(), row.nodes.to_string());
        let what = [name, nodes, format!("{between:?}"), count.to_string()];
        table.row(what.into_iter().chain(cells(Who::Ours, count)).chain(cells(Who::Limit, count)));
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
