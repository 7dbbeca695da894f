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
    let plan = Plan::new(400, 220, 60);
    let missing = |reached: &Reached| {
        let is_large = reached.entities > 200 && reached.archetypes > 10 && reached.depth > 15;
        (!is_large).then(|| "a world large and deep".to_owned()).into_iter().collect()
    };
    live_until_all(missing, 26, 2_500, plan, || vec![bundle_with_everything()]);
}

/// All sorts of edits are made, in worlds in which each costs little: see [`Plan::edits`].
#[test]
fn every_sort_of_edit() {
    let plan = Plan::new(400, 40, 20);
    let missing = |reached: &Reached| {
        required().into_iter().filter(|sort| !reached.sorts.contains(sort)).collect()
    };
    live_until_all(missing, 10_000, 2_500, plan, || vec![bundle_with_everything()]);
}

/// Few entities and few edits between runs: the corners of single features.
#[test]
fn small_worlds() {
    let plan = Plan::new(60, 6, 3);
    live(1_000_000, 1_500, plan, || vec![bundle_with_everything().track_changes()]);
}

/// One bundle for each instruction set that there are kernels for and that this machine has.
fn instruction_sets() -> Vec<TransformSystemBundle> {
    let names = TransformSystemBundle::instruction_sets().into_iter();
    names.map(|name| bundle_with_everything().instruction_set(name)).collect()
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let plan = Plan::new(300, 150, 40);
    live(4_000_000, 375, plan, instruction_sets);
}

/// Worlds large enough that rows are composed and propagated many at a time.
#[test]
fn every_instruction_set_gives_the_same_bits_in_large_worlds() {
    let plan = Plan::new(30, 12_000, 5_000);
    live(5_000_000, 15, plan, instruction_sets);
}

/// A bundle without any of the mechanisms that only make a run faster, one with all of them, and
/// one without each.
fn without_accelerators() -> Vec<TransformSystemBundle> {
    let mut names = TransformSystemBundle::accelerators();
    names.retain(|name| *name != "bulk"); // see below
    let all = names.join(",");
    let names = [&*all, ""].into_iter().chain(names);
    names.map(|name| bundle_with_everything().without(name)).collect()
}

/// Entities that migrate one by one come to other archetypes on the way than where whole archetypes
/// migrate, so they stand in other rows. Nothing else is different.
#[test]
fn whole_archetypes_and_one_by_one_are_the_same() {
    let bundles = || {
        let names = ["", "bulk", "all"].into_iter();
        names.map(|name| bundle_with_everything().without(name)).collect()
    };
    let plan = Plan::new(300, 150, 70);
    live(10_000_000, 225, Plan { by_row: false, ..plan }, bundles);
    let plan = Plan::new(40, 8_000, 4_000);
    live(11_000_000, 15, Plan { by_row: false, ..plan }, bundles);
}

#[test]
fn no_accelerator_changes_a_bit() {
    let plan = Plan::new(300, 150, 70);
    live(8_000_000, 225, plan, without_accelerators);
}

#[test]
fn no_accelerator_changes_a_bit_in_large_worlds() {
    let plan = Plan::new(40, 8_000, 4_000);
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
        let plan = Plan::new(300, 150, 40);
        live(2_000_000, 300, plan, pools);
    }

    /// What is listed as changed leaves out nothing that did, with systems in all places and users'
    /// writes everywhere.
    #[test]
    fn changes_are_listed_on_any_number_of_threads() {
        let tracked = || pools().into_iter().map(TransformSystemBundle::track_changes).collect();
        let plan = Plan::new(300, 150, 40);
        live(6_000_000, 300, plan, tracked);
        let plan = Plan::new(60, 6, 3);
        live(7_000_000, 750, plan, tracked);
    }

    #[test]
    fn changes_are_listed_in_large_worlds() {
        let tracked = || pools().into_iter().map(TransformSystemBundle::track_changes).collect();
        let plan = Plan::new(20, 20_000, 12_000);
        live(8_000_000, 7, plan, tracked);
    }

    /// Worlds large enough that work is spread over the threads.
    #[test]
    fn any_number_of_threads_gives_the_same_bits_in_large_worlds() {
        let plan = Plan::new(30, 12_000, 5_000);
        live(3_000_000, 15, plan, pools);
    }
}
