//! A world that follows: what each stage costs, in scenes of all sizes, with edits, with ties, and
//! on a ring.

use crate::{
    batches::{ENTITIES, MESSAGES, RING, first_of_ring, newer, ring, scenarios, sized, ties},
    clock::best,
    subject::Subject,
};

pub fn print_stages(rounds: u32) {
    println!("\nns a message, {MESSAGES} messages on {ENTITIES} entities\n");
    println!("| batch | merge | apply | the bundle's run | all three |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for scenario in scenarios() {
        let round = |_| {
            let mut subject = Subject::after(&scenario.before);
            [subject.merge(&scenario.batch), subject.apply(), subject.run()]
        };
        let [merge, apply, run] = best(rounds, round).map(|time| time / f64::from(MESSAGES));
        let all = merge + apply + run;
        println!("| {} | {merge:.1} | {apply:.1} | {run:.1} | {all:.1} |", scenario.name);
    }
}

/// What a message costs, merged and applied, must not depend on how large the scene is.
pub fn print_sizes(rounds: u32) {
    const NEWER: u32 = 100;
    println!(
        "\nns a message, merged and applied, {NEWER} at once\n\n| entities | ns |\n| ---: | ---: |"
    );
    for entities in [100, 10_000, 1_000_000] {
        let mut subject = Subject::after(&sized(entities));
        let [best] = best(rounds, |round| {
            let batch = newer(NEWER, entities, round + 2);
            [(subject.merge(&batch) + subject.apply()) / f64::from(NEWER)]
        });
        println!("| {entities} | {best:.1} |");
    }
}

/// Entities that are moved in the world, read, and written into the scene: by `transform_of`, and
/// by hand, for what is at the root and not scaled.
pub fn print_edits(rounds: u32) {
    const EDITED: u32 = 10_000;
    println!("\nns an entity, {EDITED} that are edited\n");
    println!("| how they are read | read | read and put | apply |\n| --- | ---: | ---: | ---: |");
    for (name, by_hand) in [("by hand: `Translation`", true), ("`transform_of`", false)] {
        let mut subject = Subject::after(&sized(EDITED));
        let times = best(rounds, |tick| subject.edit(EDITED, tick as f32, by_hand));
        let [read, put, apply] = times.map(|time| time / f64::from(EDITED));
        println!("| {name} | {read:.1} | {:.1} | {apply:.1} |", read + put);
    }
}

/// Entities of which all move in a tick, while some of them stand for entities of a network.
pub fn print_ties(rounds: u32) {
    const MOVERS: u32 = 10_000;
    println!("\nns an entity, {MOVERS} that move\n");
    println!("| tied to a network | merge | apply |\n| --- | ---: | ---: |");
    for tied in [0, 1, MOVERS / 10, MOVERS] {
        let mut subject = Subject::after(&sized(MOVERS));
        subject.merge(&ties(tied));
        subject.apply();
        let times = best(rounds, |round| {
            [subject.merge(&newer(MOVERS, MOVERS, round + 2)), subject.apply()]
        });
        let [merge, apply] = times.map(|time| time / f64::from(MOVERS));
        println!("| {tied} | {merge:.1} | {apply:.1} |");
    }
}

/// Input that is meant to be dear: a ring of entities that opens and closes.
pub fn print_ring(rounds: u32) {
    println!("\nms, a ring of {RING} entities\n");
    println!("| each a child of | below an entity | change | apply | the bundle's run |");
    println!("| --- | --- | --- | ---: | ---: |");
    for (order, stride) in [("the next", 1), ("the one 27,001 further", 27_001)] {
        for (below, make) in
            [("no", Subject::after as fn(&[u8]) -> Subject), ("yes", Subject::below_root)]
        {
            let mut subject = make(&ring(stride));
            let [open_apply, open_run, close_apply, close_run] = best(rounds, |round| {
                let mut times = [0.0; 4];
                for (times, is_open) in times.chunks_mut(2).zip([true, false]) {
                    let timestamp = 2 * round + if is_open { 2 } else { 3 };
                    subject.merge(&first_of_ring(stride, timestamp, is_open));
                    times.copy_from_slice(&[subject.apply() / 1e6, subject.run() / 1e6]);
                }
                times
            });
            println!("| {order} | {below} | closes | {close_apply:.2} | {close_run:.1} |");
            println!("| {order} | {below} | opens | {open_apply:.2} | {open_run:.1} |");
        }
    }
}
