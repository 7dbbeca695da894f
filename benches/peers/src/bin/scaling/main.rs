//! What threads are good for: `cargo run --release --manifest-path benches/peers/Cargo.toml --bin
//! scaling`, with the beginnings of rows' names behind `--` for some rows.
//!
//! One world runs on 1, 2, 4, ... threads in turn, and beside it the hand-written reference, on the
//! same nodes and threads: where that gains nothing by threads, memory is the limit. Times are
//! those of the run alone, in microseconds: the least and the median. The *serial share* is
//! Amdahl's: with n threads `(n Tn / T1 - 1) / (n - 1)`. So 3,000 us on one thread and 1,800 on two
//! are a share of 20 %.
//!
//! - `--frames`: the same in four kinds of frames; see [`Frame`].
//! - `--stages`: the share of each stage (with `--features stages`).

#[cfg(feature = "stages")]
#[path = "../../../../clock/mod.rs"]
mod clock;
#[allow(dead_code, reason = "the other program uses the rest")]
#[path = "../../competitor.rs"]
mod competitor;
mod frame;
#[path = "../../limit/mod.rs"]
mod limit;
mod pools;
mod reference;
mod subject;
#[path = "../../../../workloads/mod.rs"]
mod workloads;

/// Where a competitor's threads are best placed. Here the kernel places them.
#[allow(dead_code, reason = "as above")]
mod places {
    pub enum Places {
        BesideCaller,
        InsteadOfCaller,
    }
}

/// On how many threads a competitor works.
mod worker {
    pub fn threads() -> usize {
        rayon::current_num_threads()
    }
}

use frame::{Cache, Frame};
use pools::Pools;
use reference::Reference;
use subject::Subject;
use workloads::Workload;

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

/// The rows that are run in all kinds of frames.
const IN_FRAMES: [(&str, usize); 4] =
    [("hum_all", 10_050), ("hum_all", 67_000), ("hum_all", 268_000), ("flat_all", 100_000)];

/// The least and the median of some times, in microseconds.
#[derive(Clone, Copy)]
struct Spread {
    least: f64,
    median: f64,
}

impl Spread {
    fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self { least: times[0], median: times[times.len() / 2] }
    }
}

/// Amdahl's serial share, in percent: of the least time on one thread and on n.
fn share(one: f64, n: f64, threads: usize) -> f64 {
    100.0 * (threads as f64 * n / one - 1.0) / (threads as f64 - 1.0)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|it| it == word);
    let is_wanted = |name: &str| {
        let mut names = words.iter().filter(|word| !word.starts_with('-')).peekable();
        names.peek().is_none() || names.any(|word| name.starts_with(word.as_str()))
    };
    let pools = Pools::new();
    let (rows, frames) = match has("--frames") {
        true => (&IN_FRAMES[..], &Frame::ALL[..]),
        false => (&ROWS[..], &[Frame::Bare][..]),
    };
    if has("--frames") {
        println!("a sleeping thread begins {}", pools.wake_up());
    }
    for &(name, nodes) in rows.iter().filter(|(name, _)| is_wanted(name)) {
        let workload = Workload::named(name).expect("a name from the catalogue");
        frames.iter().for_each(|frame| row(workload, nodes, *frame, &pools, has("--stages")));
    }
}

/// Measures a row in one kind of frames, and prints it.
fn row(workload: &Workload, nodes: usize, frame: Frame, pools: &Pools, stages: bool) {
    let mut subject = Subject::new(workload, nodes, pools, stages);
    let mut reference = Reference::of(workload, nodes, pools);
    let mut cache = Cache::new();
    let start = std::time::Instant::now();
    let mut turns = 0;
    while turns < 3 || (turns < 200 && start.elapsed().as_secs_f64() < 3.0) {
        for at in 0..pools.len() {
            subject.turn(at, pools, frame, &mut cache);
            reference.iter_mut().for_each(|it| it.turn(at, pools, frame, &mut cache));
        }
        turns += 1;
    }
    println!("{} {} {frame:?}", workload.name, subject.nodes());
    let ours = subject.times.all();
    let theirs = reference.as_ref().map(|it| it.times.all());
    for (at, times) in ours.iter().enumerate() {
        let threads = pools.threads(at);
        print!("  {threads} threads: {:>9.1} ({:.1})", times.least, times.median);
        if at > 0 {
            let one = ours[0];
            let [least, median] = [times.least / one.least, times.median / one.median];
            print!(
                " x {least:.2} ({median:.2}), share {:.0} %",
                share(one.least, times.least, threads)
            );
        }
        if let Some(theirs) = &theirs {
            let (one, times) = (theirs[0], theirs[at]);
            print!("; reference {:.1} ({:.1})", times.least, times.median);
            if at > 0 {
                let [ours, theirs] = [(ours[0], ours[at]), (one, times)]
                    .map(|(one, n)| share(one.least, n.least, threads));
                print!(" x {:.2}, beyond {:.0} %", times.least / one.least, ours - theirs.max(0.0));
            }
        }
        println!();
    }
    subject.print_stages(pools);
}
