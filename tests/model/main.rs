//! Random edits of every sort, and after every run a comparison of the whole world with what the
//! rules make of it.
//!
//! `LEGION_TRANSFORM_SOAK=<edits>` runs longer, `LEGION_TRANSFORM_SEED=<seed>` replays one world.

mod edits;
mod platforms;
mod soak;
mod subject;
mod trial;
#[cfg(feature = "serde")]
mod ways;

use harness::user::bundle_with_everything;
use legion_transform::prelude::*;
use soak::{soak, wanted};
use trial::{Plan, Reached, required};

/// Edits among which there most often is one of every sort.
const ENOUGH: usize = 11_000;

#[test]
fn random_edits() {
    let plan = Plan { length: 700, target: 220, bulk: 60 };
    let live = |first_seed, edits| {
        soak("random_edits", first_seed, edits, plan, || vec![bundle_with_everything()])
    };
    let mut reached = live(1, wanted(ENOUGH));
    if reached.edits < ENOUGH {
        return; // one seed, or fewer edits than by default
    }
    let missing = |reached: &Reached| -> Vec<String> {
        required().into_iter().filter(|sort| !reached.sorts.contains(sort)).collect()
    };
    // What is drawn depends on the build: strategies choose by the types' ids. A rare edit may not
    // be among the first ones.
    for more in 1..=6 {
        if missing(&reached).is_empty() {
            break;
        }
        reached.add(live(100_000 * more, ENOUGH / 2));
    }
    let missing = missing(&reached);
    assert!(missing.is_empty(), "edits that were never made: {missing:?}");
    assert!(reached.entities > 200 && reached.archetypes > 10 && reached.depth > 15, "{reached:?}");
}

/// Few entities and few edits between runs: the corners of single features.
#[test]
fn small_worlds() {
    let plan = Plan { length: 60, target: 6, bulk: 3 };
    soak("small_worlds", 1_000_000, wanted(6_000), plan, || {
        vec![bundle_with_everything().track_changes()]
    });
}

/// One bundle for each instruction set that there are kernels for and that this machine has.
fn instruction_sets() -> Vec<TransformSystemBundle> {
    let names = TransformSystemBundle::instruction_sets().into_iter();
    names.map(|name| bundle_with_everything().instruction_set(name)).collect()
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let plan = Plan { length: 300, target: 150, bulk: 40 };
    soak(
        "every_instruction_set_gives_the_same_bits",
        4_000_000,
        wanted(1_500),
        plan,
        instruction_sets,
    );
}

/// Worlds large enough that rows are composed and propagated many at a time.
#[test]
fn every_instruction_set_gives_the_same_bits_in_large_worlds() {
    let plan = Plan { length: 60, target: 12_000, bulk: 5_000 };
    soak(
        "every_instruction_set_gives_the_same_bits_in_large_worlds",
        5_000_000,
        wanted(100),
        plan,
        instruction_sets,
    );
}

/// A bundle without any of the mechanisms that only make a run faster, one with all of them, and
/// one without each.
fn without_accelerators() -> Vec<TransformSystemBundle> {
    let names = ["all", ""].into_iter().chain(TransformSystemBundle::accelerators());
    names.map(|name| bundle_with_everything().without(name)).collect()
}

#[test]
fn no_accelerator_changes_a_bit() {
    let plan = Plan { length: 300, target: 150, bulk: 70 };
    soak("no_accelerator_changes_a_bit", 8_000_000, wanted(900), plan, without_accelerators);
}

#[test]
fn no_accelerator_changes_a_bit_in_large_worlds() {
    let plan = Plan { length: 40, target: 8_000, bulk: 4_000 };
    soak(
        "no_accelerator_changes_a_bit_in_large_worlds",
        9_000_000,
        wanted(60),
        plan,
        without_accelerators,
    );
}

#[cfg(feature = "parallel")]
mod threads {
    use std::sync::Arc;

    use super::*;

    fn on_threads(threads: usize) -> TransformSystemBundle {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
        bundle_with_everything().thread_pool(Arc::new(pool))
    }

    fn pools() -> Vec<TransformSystemBundle> {
        [1, 2, 7].map(on_threads).into()
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let plan = Plan { length: 300, target: 150, bulk: 40 };
        soak("any_number_of_threads_gives_the_same_bits", 2_000_000, wanted(1_200), plan, pools);
    }

    /// What is listed as changed leaves out nothing that did, with systems in all places and users'
    /// writes everywhere.
    #[test]
    fn changes_are_listed_on_any_number_of_threads() {
        let tracked = || pools().into_iter().map(TransformSystemBundle::track_changes).collect();
        let plan = Plan { length: 300, target: 150, bulk: 40 };
        soak(
            "changes_are_listed_on_any_number_of_threads",
            6_000_000,
            wanted(1_200),
            plan,
            tracked,
        );
        let plan = Plan { length: 60, target: 6, bulk: 3 };
        soak("changes_are_listed_in_small_worlds", 7_000_000, wanted(3_000), plan, tracked);
    }

    #[test]
    fn changes_are_listed_in_large_worlds() {
        let tracked = || pools().into_iter().map(TransformSystemBundle::track_changes).collect();
        let plan = Plan { length: 20, target: 60_000, bulk: 35_000 };
        soak("changes_are_listed_in_large_worlds", 8_000_000, wanted(30), plan, tracked);
    }

    /// Worlds large enough that work is spread over the threads.
    #[test]
    fn any_number_of_threads_gives_the_same_bits_in_large_worlds() {
        let plan = Plan { length: 60, target: 12_000, bulk: 5_000 };
        soak(
            "any_number_of_threads_gives_the_same_bits_in_large_worlds",
            3_000_000,
            wanted(120).div_ceil(2),
            plan,
            pools,
        );
    }
}
