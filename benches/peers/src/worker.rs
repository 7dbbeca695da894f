//! A process that holds one competitor with one scene, and measures a round whenever the driver asks.

use std::{
    io::{BufRead, Write, stdin, stdout},
    time::{Duration, Instant},
};

use crate::{
    competitor::Competitor,
    places,
    workloads::{Change, Scene, Workload, check},
};

/// On how many threads everybody works: the driver sets rayon's variable for its workers.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// What a round found, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Round {
    /// The median tick.
    pub median: f64,
    /// The fastest tick.
    pub fastest: f64,
    /// The median of what the scene's change cost before the tick.
    pub edit: f64,
    /// Which of its ways the competitor took.
    pub way: String,
}

impl Round {
    fn to_line(&self) -> String {
        format!("{} {} {} {}", self.median, self.fastest, self.edit, self.way)
    }

    /// Reads what [`serve`] wrote.
    pub fn from_line(line: &str) -> Option<Self> {
        let mut words = line.trim().splitn(4, ' ');
        let mut number = || words.next()?.parse().ok();
        let (median, fastest, edit) = (number()?, number()?, number()?);
        Some(Self { median, fastest, edit, way: words.next().unwrap_or("").into() })
    }
}

/// Builds the scene, checks it, and answers `round <milliseconds>` lines until the input ends.
pub fn serve<C: Competitor>(workload: &Workload, nodes: usize) {
    places::settle(C::PLACES);
    let mut scene = Scene::new(workload, nodes);
    let (mut competitor, ways) = match prepare::<C>(&mut scene) {
        Ok((competitor, ways)) => (Some(competitor), ways),
        Err(wrong) => return say(&format!("failed {wrong}")),
    };
    say("ready");
    for line in stdin().lock().lines() {
        let line = line.expect("the driver's pipe");
        let milliseconds: u64 = line.strip_prefix("round ").and_then(|time| time.parse().ok()).expect("a round's length");
        let budget = Duration::from_millis(milliseconds);
        let round = if workload.change == Change::Spawn {
            competitor = None; // its memory is not to stand in the way
            spawn_round::<C>(&scene, budget)
        } else {
            ticks_round(&mut scene, competitor.as_mut().expect("made above"), &ways, budget)
        };
        say(&round.to_line());
    }
}

fn say(line: &str) {
    println!("{line}");
    stdout().flush().expect("the driver's pipe");
}

/// A competitor that has run some ticks, in each of its ways, and whose matrices were right after each; and its ways, the
/// fastest few of them.
fn prepare<C: Competitor>(scene: &mut Scene) -> Result<(C, Vec<usize>), String> {
    let mut competitor = C::new(scene);
    competitor.spawn(scene);
    competitor.run();
    competitor.end_frame();
    check(scene, |node| competitor.matrix(node)).map_err(|wrong| format!("after the first run: {wrong}"))?;
    let mut ways = Vec::new();
    for way in 0..competitor.ways() {
        competitor.choose(way);
        let fastest = (0..5).map(|_| tick(scene, &mut competitor).1).min();
        check(scene, |node| competitor.matrix(node))
            .map_err(|wrong| format!("after some ticks, {}: {wrong}", competitor.way()))?;
        ways.push((fastest, way));
    }
    ways.sort();
    Ok((competitor, ways.into_iter().take(3).map(|(_, way)| way).collect()))
}

/// How long the edit took, and how long the run.
fn tick(scene: &mut Scene, competitor: &mut impl Competitor) -> (Duration, Duration) {
    let edit = scene.advance();
    let start = Instant::now();
    competitor.edit(scene, &edit);
    let edited = Instant::now();
    competitor.run();
    let ran = edited.elapsed();
    competitor.end_frame();
    (edited - start, ran)
}

/// Each of the ways, and the best of them.
fn ticks_round(scene: &mut Scene, competitor: &mut impl Competitor, ways: &[usize], budget: Duration) -> Round {
    let rounds = ways.iter().map(|&way| {
        competitor.choose(way);
        let start = Instant::now();
        tick(scene, competitor); // after the others' turns nothing is in the cache
        let mut ticks = Vec::new();
        while ticks.len() < 3 || (start.elapsed() < budget / ways.len() as u32 && ticks.len() < 20_000) {
            ticks.push(tick(scene, competitor));
        }
        round(&ticks, competitor.way())
    });
    rounds.min_by(|a, b| a.median.total_cmp(&b.median)).expect("one way at least")
}

fn spawn_round<C: Competitor>(scene: &Scene, budget: Duration) -> Round {
    let start = Instant::now();
    let mut runs = Vec::new();
    while runs.len() < 2 || start.elapsed() < budget {
        let mut competitor = C::new(scene);
        let start = Instant::now();
        competitor.spawn(scene);
        let spawned = start.elapsed();
        competitor.run();
        runs.push((spawned, start.elapsed()));
    }
    round(&runs, String::new())
}

fn round(ticks: &[(Duration, Duration)], way: String) -> Round {
    let sorted = |part: fn(&(Duration, Duration)) -> Duration| {
        let mut times: Vec<f64> = ticks.iter().map(|tick| part(tick).as_secs_f64() * 1e9).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let (edits, runs) = (sorted(|tick| tick.0), sorted(|tick| tick.1));
    Round { median: runs[runs.len() / 2], fastest: runs[0], edit: edits[edits.len() / 2], way }
}
