//! A table: what a message costs in each stage.

use std::time::Instant;

use decentraland_scene::merge::MergeReport;

use super::{
    scenes::{ENTITIES, MESSAGES, Scenario, scenarios},
    subject::Subject,
};

const ROUNDS: usize = 7;

/// Prints nanoseconds a message: the best of some rounds, since whatever else runs on the machine
/// only ever adds.
pub fn print() {
    println!("ns a message, {MESSAGES} messages on {ENTITIES} entities, best of {ROUNDS} rounds\n");
    println!("| batch | merge | apply | the bundle's run | all three |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for scenario in scenarios() {
        let [merge, apply, run] = measure(&scenario);
        let all = merge + apply + run;
        println!("| {} | {merge:.1} | {apply:.1} | {run:.1} | {all:.1} |", scenario.name);
    }
}

fn measure(scenario: &Scenario) -> [f64; 3] {
    let mut best = [f64::INFINITY; 3];
    let mut report = MergeReport::default();
    for _ in 0..ROUNDS {
        let mut subject = Subject::after(&scenario.before);
        let mut start = Instant::now();
        let mut lap = |best: &mut f64| {
            *best = best.min(start.elapsed().as_nanos() as f64 / f64::from(MESSAGES));
            start = Instant::now();
        };
        subject.merge(&scenario.batch, &mut report);
        lap(&mut best[0]);
        subject.apply();
        lap(&mut best[1]);
        subject.run();
        lap(&mut best[2]);
    }
    best
}
