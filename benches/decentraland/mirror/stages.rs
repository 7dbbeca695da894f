//! Tables: what a message costs in each stage, what ties cost, and a ring.

use std::time::Instant;

use decentraland_scene::merge::MergeReport;

use super::{
    scenes::{self, ENTITIES, MESSAGES, Scenario, scenarios},
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
    print_edits();
    print_ties();
    print_ring();
}

/// Entities that are moved in the world, read, and written into the scene: by `transform_of`, and
/// by hand, for what is at the root and not scaled.
fn print_edits() {
    const EDITED: u32 = 10_000;
    println!("\nns an entity, {EDITED} that are edited, best of 20 ticks\n");
    println!("| how they are read | read | read and put | apply |\n| --- | ---: | ---: | ---: |");
    for (name, by_hand) in [("by hand: `Translation`", true), ("`transform_of`", false)] {
        let mut subject = Subject::after(&scenes::sized(EDITED));
        let mut best = [f64::INFINITY; 3];
        for tick in 0..20 {
            let times = subject.edit(EDITED, tick as f32, by_hand);
            for (best, time) in best.iter_mut().zip(times) {
                *best = best.min(time.as_nanos() as f64 / f64::from(EDITED));
            }
        }
        println!("| {name} | {:.1} | {:.1} | {:.1} |", best[0], best[0] + best[1], best[2]);
    }
}

/// Entities of which all move in a tick, while some of them stand for entities of a network.
fn print_ties() {
    const MOVERS: u32 = 10_000;
    println!("\nns an entity, {MOVERS} that move, best of 50 ticks\n");
    println!("| tied to a network | merge | apply |\n| --- | ---: | ---: |");
    for tied in [0, 1, MOVERS / 10, MOVERS] {
        let mut subject = Subject::after(&scenes::sized(MOVERS));
        let mut report = MergeReport::default();
        subject.merge(&scenes::ties(tied), &mut report);
        subject.apply();
        let mut best = [f64::INFINITY; 2];
        for timestamp in 2..52 {
            let batch = scenes::newer(MOVERS, MOVERS, timestamp);
            let mut start = Instant::now();
            let mut lap = |best: &mut f64| {
                *best = best.min(start.elapsed().as_nanos() as f64 / f64::from(MOVERS));
                start = Instant::now();
            };
            subject.merge(&batch, &mut report);
            lap(&mut best[0]);
            subject.apply();
            lap(&mut best[1]);
        }
        println!("| {tied} | {:.1} | {:.1} |", best[0], best[1]);
    }
}

/// Input that is meant to be dear: a ring of entities that opens and closes.
fn print_ring() {
    println!("\nms, a ring of {} entities, best of 5 times\n", scenes::RING);
    println!("| each a child of | below an entity | change | apply | the bundle's run |");
    println!("| --- | --- | --- | ---: | ---: |");
    for (order, stride) in [("the next", 1), ("the one 27,001 further", 27_001)] {
        for below in [false, true] {
            let make = if below { Subject::below_root } else { Subject::after };
            let best = ring(make(&scenes::ring(stride)), stride);
            for (change, [apply, run]) in ["closes", "opens"].iter().zip(best) {
                let below = if below { "yes" } else { "no" };
                println!("| {order} | {below} | {change} | {apply:.2} | {run:.1} |");
            }
        }
    }
}

/// Milliseconds for `apply` and the run: when the ring closes, and when it opens.
fn ring(mut subject: Subject, stride: u32) -> [[f64; 2]; 2] {
    let mut best = [[f64::INFINITY; 2]; 2];
    for timestamp in 2..12 {
        let opens = timestamp % 2 == 0;
        let batch = scenes::first_of_ring(stride, timestamp, opens);
        subject.merge(&batch, &mut MergeReport::default());
        let stages: [fn(&mut Subject); 2] = [Subject::apply, Subject::run];
        for (best, stage) in best[usize::from(opens)].iter_mut().zip(stages) {
            let start = Instant::now();
            stage(&mut subject);
            *best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    best
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
