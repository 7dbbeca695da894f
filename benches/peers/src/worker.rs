//! A process that holds one competitor with one scene, and measures a round whenever the driver
//! asks.

use std::{
    io::{Write, stdin, stdout},
    time::{Duration, Instant},
};

use crate::{
    bench::Bench,
    between::Others,
    competitor::Competitor,
    figures::Round,
    places,
    workloads::{Change, Workload},
};

/// How many of a competitor's ways are measured: the fastest.
const WAYS: usize = 3;

/// On how many threads a competitor works: the driver sets rayon's variable for its workers.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Builds the scene, checks it, and answers `round <milliseconds>` lines until the input ends.
pub fn serve<C: Competitor>(workload: &Workload, nodes: usize) {
    places::settle(C::PLACES);
    let mut worker = match Worker::<C>::new(workload, nodes) {
        Ok(worker) => worker,
        Err(wrong) => return say(&format!("failed {wrong}")),
    };
    say("ready");
    for line in stdin().lines() {
        let line = line.expect("the driver's pipe");
        let time = line.strip_prefix("round ").and_then(|time| time.parse().ok());
        let budget = Duration::from_millis(time.expect("a round's length"));
        let ways = worker.ways.clone().into_iter();
        let rounds = ways.map(|way| worker.round(way, budget).to_text());
        say(&rounds.collect::<Vec<_>>().join("|"));
    }
}

fn say(line: &str) {
    println!("{line}");
    stdout().flush().expect("the driver's pipe");
}

struct Worker<C> {
    bench: Bench<C>,
    /// The ways, the fastest few of them.
    ways: Vec<usize>,
    others: Others,
}

impl<C: Competitor> Worker<C> {
    /// An error says which matrix was wrong, and when.
    fn new(workload: &Workload, nodes: usize) -> Result<Self, String> {
        let (mut bench, mut others) =
            (Bench::<C>::new(workload, nodes), Others::from_environment());
        bench.spawn();
        bench.run();
        bench.check().map_err(|wrong| format!("after the first run: {wrong}"))?;
        let mut ways = Vec::new();
        while let Some(name) = bench.choose(ways.len()) {
            if workload.change == Change::Spawn {
                ways.push((Duration::ZERO, ways.len()));
                continue;
            }
            let fastest = (0..5).map(|_| bench.tick(&mut others).iter().sum()).min();
            bench.check().map_err(|wrong| format!("after some ticks, {name}: {wrong}"))?;
            ways.push((fastest.unwrap_or_default(), ways.len()));
        }
        ways.sort();
        let ways = ways.into_iter().take(WAYS).map(|(_, way)| way).collect();
        Ok(Self { bench, ways, others })
    }

    /// Ticks of one way for so long.
    fn round(&mut self, way: usize, budget: Duration) -> Round {
        let is_spawn = self.bench.scene.workload.change == Change::Spawn;
        let name = self.bench.choose(way).expect("one of the ways");
        let start = Instant::now();
        if !is_spawn {
            self.tick(way); // after the others' turns nothing is in the cache
        }
        let (mut ticks, mut timed) = (Vec::new(), Duration::ZERO);
        let least = if is_spawn { 1 } else { 3 };
        // The untimed parts (the next change, the cache) may take longer than the timed ones.
        while ticks.len() < least
            || (timed < budget && start.elapsed() < budget * 4 && ticks.len() < 20_000)
        {
            let times = self.tick(way);
            timed += times[0] + times[1];
            ticks.push(times);
        }
        Round { way: name, ticks }
    }

    /// An edit with its run, or a first run.
    fn tick(&mut self, way: usize) -> [Duration; 2] {
        if self.bench.scene.workload.change != Change::Spawn {
            return self.bench.tick(&mut self.others);
        }
        self.bench.renew();
        self.bench.choose(way);
        [self.bench.spawn(), self.bench.run()]
    }
}
