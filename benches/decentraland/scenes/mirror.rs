//! A world that follows: what each stage costs, in scenes of all sizes, with edits, with ties, and
//! on a ring.

use crate::{
    batches::{ENTITIES, MESSAGES, RING, first_of_ring, ring, scenarios, spread, ties},
    clock::{best, head, row},
    subject::Subject,
};

pub fn print_stages(rounds: u32) {
    let numbers = format!("ns a message, {MESSAGES} messages on {ENTITIES} entities");
    head(&numbers, "batch | merge | apply | the bundle's run | all three");
    for scenario in scenarios() {
        let round = |_| {
            let mut subject = Subject::new(&scenario.before, false);
            [subject.merge(&scenario.batch), subject.apply(), subject.run()]
        };
        let [merge, apply, run] = best(rounds, round).map(|time| time / f64::from(MESSAGES));
        row(scenario.name, [merge, apply, run, merge + apply + run]);
    }
}

/// What a message costs, merged and applied, must not depend on how large the scene is.
pub fn print_sizes(rounds: u32) {
    const NEWER: u32 = 100;
    head(&format!("ns a message, merged and applied, {NEWER} at once"), "entities | ns");
    for entities in [100, 10_000, 1_000_000] {
        let mut subject = Subject::sized(entities);
        let round = |round| {
            let batch = spread(NEWER, entities, round + 2);
            [(subject.merge(&batch) + subject.apply()) / f64::from(NEWER)]
        };
        row(entities, best(rounds, round));
    }
}

/// Entities that are moved in the world, read, and written into the scene: by `transform_of`, and
/// by hand, for what is at the root and not scaled.
pub fn print_edits(rounds: u32) {
    const EDITED: u32 = 10_000;
    let numbers = format!("ns an entity, {EDITED} that are edited");
    head(&numbers, "how they are read | read | read and put | apply");
    for (name, by_hand) in [("by hand: `Translation`", true), ("`transform_of`", false)] {
        let mut subject = Subject::sized(EDITED);
        let times = best(rounds, |tick| subject.edit(EDITED, tick as f32, by_hand));
        let [read, put, apply] = times.map(|time| time / f64::from(EDITED));
        row(name, [read, read + put, apply]);
    }
}

/// Entities of which all move in a tick, while some of them stand for entities of a network.
pub fn print_ties(rounds: u32) {
    const MOVERS: u32 = 10_000;
    head(&format!("ns an entity, {MOVERS} that move"), "tied to a network | merge | apply");
    for tied in [0, 1, MOVERS / 10, MOVERS] {
        let mut subject = Subject::sized(MOVERS);
        subject.merge(&ties(tied));
        subject.apply();
        let times = best(rounds, |round| {
            [subject.merge(&spread(MOVERS, MOVERS, round + 2)), subject.apply()]
        });
        row(tied, times.map(|time| time / f64::from(MOVERS)));
    }
}

/// Input that is meant to be dear: a ring of entities that opens and closes.
pub fn print_ring(rounds: u32) {
    head(
        &format!("ms, a ring of {RING} entities"),
        "each a child of | below an entity | change | apply | the bundle's run",
    );
    for (order, stride) in [("the next", 1), ("the one 27,001 further", 27_001)] {
        for (below, is_below) in [("no", false), ("yes", true)] {
            let mut subject = Subject::new(&ring(stride), is_below);
            let mut turn = |timestamp, is_open| {
                subject.merge(&first_of_ring(stride, timestamp, is_open));
                [subject.apply() / 1e6, subject.run() / 1e6]
            };
            let [apply, run, close_apply, close_run] = best(rounds, |round| {
                let [open, close] = [turn(2 * round + 2, true), turn(2 * round + 3, false)];
                [open[0], open[1], close[0], close[1]]
            });
            println!("| {order} | {below} | closes | {close_apply:.2} | {close_run:.1} |");
            println!("| {order} | {below} | opens | {apply:.2} | {run:.1} |");
        }
    }
}
