//! Random edits of every sort, and after every run a comparison of the whole world with what the
//! rules make of it.

mod edits;
mod platforms;
mod soak;
mod subject;
mod trial;
#[cfg(feature = "serde")]
mod ways;

use harness::user::bundle_with_everything;
use legion_transform::prelude::*;
use soak::{live, live_until_all};
use trial::{Plan, Reached, required};

#[test]
fn random_edits() {
    let plan = Plan { length: 400, target: 220, bulk: 60 };
    let missing = |reached: &Reached| {
        let is_large = reached.entities > 200 && reached.archetypes > 10 && reached.depth > 15;
        (!is_large).then(|| "a world large and deep".to_owned()).into_iter().collect()
    };
    live_until_all(missing, 26, 2_500, plan, || vec![bundle_with_everything()]);
}

/// All sorts of edits are made, in worlds in which each costs little: see [`Plan::edits`].
#[test]
fn every_sort_of_edit() {
    let plan = Plan { length: 400, target: 40, bulk: 20 };
    let missing = |reached: &Reached| {
        required().into_iter().filter(|sort| !reached.sorts.contains(sort)).collect()
    };
    live_until_all(missing, 10_000, 2_500, plan, || vec![bundle_with_everything()]);
}

/// Few entities and few edits between runs: the corners of single features.
#[test]
fn small_worlds() {
    let plan = Plan { length: 60, target: 6, bulk: 3 };
    live(1_000_000, 1_500, plan, || vec![bundle_with_everything().track_changes()]);
}

/// One bundle for each instruction set that there are kernels for and that this machine has.
fn instruction_sets() -> Vec<TransformSystemBundle> {
    let names = TransformSystemBundle::instruction_sets().into_iter();
    names.map(|name| bundle_with_everything().instruction_set(name)).collect()
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let plan = Plan { length: 300, target: 150, bulk: 40 };
    live(4_000_000, 375, plan, instruction_sets);
}

/// Worlds large enough that rows are composed and propagated many at a time.
#[test]
fn every_instruction_set_gives_the_same_bits_in_large_worlds() {
    let plan = Plan { length: 30, target: 12_000, bulk: 5_000 };
    live(5_000_000, 15, plan, instruction_sets);
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
    live(8_000_000, 225, plan, without_accelerators);
}

#[test]
fn no_accelerator_changes_a_bit_in_large_worlds() {
    let plan = Plan { length: 40, target: 8_000, bulk: 4_000 };
    live(9_000_000, 15, plan, without_accelerators);
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
        live(2_000_000, 300, plan, pools);
    }

    /// What is listed as changed leaves out nothing that did, with systems in all places and users'
    /// writes everywhere.
    #[test]
    fn changes_are_listed_on_any_number_of_threads() {
        let tracked = || pools().into_iter().map(TransformSystemBundle::track_changes).collect();
        let plan = Plan { length: 300, target: 150, bulk: 40 };
        live(6_000_000, 300, plan, tracked);
        let plan = Plan { length: 60, target: 6, bulk: 3 };
        live(7_000_000, 750, plan, tracked);
    }

    #[test]
    fn changes_are_listed_in_large_worlds() {
        let tracked = || pools().into_iter().map(TransformSystemBundle::track_changes).collect();
        let plan = Plan { length: 20, target: 20_000, bulk: 12_000 };
        live(8_000_000, 7, plan, tracked);
    }

    /// Worlds large enough that work is spread over the threads.
    #[test]
    fn any_number_of_threads_gives_the_same_bits_in_large_worlds() {
        let plan = Plan { length: 30, target: 12_000, bulk: 5_000 };
        live(3_000_000, 15, plan, pools);
    }
}
