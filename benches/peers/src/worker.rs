//! A process that holds one competitor with one scene, and measures a round whenever the driver
//! asks.

use std::{
    hint::black_box,
    io::{Write, stdin, stdout},
    time::{Duration, Instant},
};

use crate::{
    competitor::Competitor,
    places,
    round::Round,
    who::COLD,
    workloads::{Change, Scene, Workload, check},
    worlds::Worlds,
};

/// How much is touched between ticks that are to find nothing in the cache.
const CACHE: usize = 64 << 20;

/// How many of a competitor's ways are measured: the fastest.
const WAYS: usize = 3;

/// On how many threads a competitor works: the driver sets rayon's variable for its workers.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Builds the scene, checks it, and answers `round <milliseconds>` lines until the input ends.
pub fn serve<C: Competitor>(workload: &Workload, nodes: usize) {
    places::settle(C::PLACES);
    let mut bench = match Bench::<C>::new(workload, nodes) {
        Ok(bench) => bench,
        Err(wrong) => return say(&format!("failed {wrong}")),
    };
    say("ready");
    for line in stdin().lines() {
        let line = line.expect("the driver's pipe");
        let milliseconds: u64 = line
            .strip_prefix("round ")
            .and_then(|time| time.parse().ok())
            .expect("a round's length");
        say(&Round::to_line(&bench.round(Duration::from_millis(milliseconds))));
    }
}

fn say(line: &str) {
    println!("{line}");
    stdout().flush().expect("the driver's pipe");
}

struct Bench<C> {
    scene: Scene,
    /// Worlds that have run some ticks, in each way; none where all is spawned anew each time.
    worlds: Option<Worlds<C>>,
    /// The ways, the fastest few of them.
    ways: Vec<usize>,
    cache: Vec<u64>,
}

impl<C: Competitor> Bench<C> {
    /// An error says which matrix was wrong, and when.
    fn new(workload: &Workload, nodes: usize) -> Result<Self, String> {
        let mut scene = Scene::new(workload, nodes);
        let mut worlds = Worlds::<C>::new(&scene);
        worlds.spawn(&scene);
        worlds.run();
        worlds.end_frame();
        check(&scene, |node| worlds.matrix(node))
            .map_err(|wrong| format!("after the first run: {wrong}"))?;
        if workload.change == Change::Spawn {
            // Their memory is not to stand in the way.
            return Ok(Self {
                scene,
                ways: (0..worlds.ways()).take(WAYS).collect(),
                worlds: None,
                cache: Vec::new(),
            });
        }
        let mut ways = Vec::new();
        for way in 0..worlds.ways() {
            worlds.choose(way);
            let sum = |(edit, run): (Duration, Duration)| edit + run;
            let fastest = (0..5).map(|_| sum(tick(&mut scene, &mut worlds, &mut []))).min();
            check(&scene, |node| worlds.matrix(node))
                .map_err(|wrong| format!("after some ticks, {}: {wrong}", worlds.way()))?;
            ways.push((fastest, way));
        }
        ways.sort();
        let is_cold = std::env::var_os(COLD).is_some();
        let cache = if is_cold { vec![0; CACHE / size_of::<u64>()] } else { Vec::new() };
        let ways = ways.into_iter().take(WAYS).map(|(_, way)| way).collect();
        Ok(Self { scene, worlds: Some(worlds), ways, cache })
    }

    /// Each of the ways, for so long.
    fn round(&mut self, budget: Duration) -> Vec<Round> {
        let Self { scene, worlds, ways, cache } = self;
        let round = |&way: &usize| match worlds {
            Some(worlds) => ticks(scene, worlds, way, cache, budget),
            None => spawns::<C>(scene, way, budget),
        };
        ways.iter().map(round).collect()
    }
}

/// How long the edit took, and how long the run.
fn tick<C: Competitor>(
    scene: &mut Scene,
    worlds: &mut Worlds<C>,
    cache: &mut [u64],
) -> (Duration, Duration) {
    let edit = scene.advance();
    worlds.prepare(scene, &edit);
    black_box(&mut *cache).iter_mut().for_each(|word| *word += 1);
    let start = Instant::now();
    worlds.edit(scene, &edit);
    let edited = start.elapsed();
    let start = Instant::now();
    worlds.run();
    let ran = start.elapsed();
    worlds.end_frame();
    (edited, ran)
}

fn ticks<C: Competitor>(
    scene: &mut Scene,
    worlds: &mut Worlds<C>,
    way: usize,
    cache: &mut [u64],
    budget: Duration,
) -> Round {
    worlds.choose(way);
    let start = Instant::now();
    tick(scene, worlds, cache); // after the others' turns nothing is in the cache
    let (mut ticks, mut timed) = (Vec::new(), Duration::ZERO);
    // The untimed parts (the next change, the cache) may take longer than the timed ones.
    while ticks.len() < 3
        || (timed < budget && start.elapsed() < budget * 4 && ticks.len() < 20_000)
    {
        let (edit, run) = tick(scene, worlds, cache);
        timed += edit + run;
        ticks.push((edit, run));
    }
    Round::new(&ticks, worlds.way())
}

fn spawns<C: Competitor>(scene: &Scene, way: usize, budget: Duration) -> Round {
    let start = Instant::now();
    let (mut runs, mut name) = (Vec::new(), String::new());
    while runs.is_empty() || start.elapsed() < budget {
        let mut worlds = Worlds::<C>::new(scene);
        worlds.choose(way);
        let start = Instant::now();
        worlds.spawn(scene);
        let spawned = start.elapsed();
        let start = Instant::now();
        worlds.run();
        runs.push((spawned, start.elapsed()));
        name = worlds.way();
    }
    Round::new(&runs, name)
}
