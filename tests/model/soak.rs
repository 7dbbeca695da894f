//! Living through worlds, and the shortest program that fails where one does.

use std::cell::RefCell;

use harness::demand;
use legion_transform::prelude::*;
use legion_transform_testing::check_histories;

use super::trial::{Plan, Reached, Trial};

/// Lives through worlds until `edits` edits are made. One that fails is shrunk and printed as a
/// program.
pub fn soak(
    name: &str,
    first_seed: u64,
    edits: usize,
    plan: Plan,
    bundles: impl Fn() -> Vec<TransformSystemBundle>,
) -> Reached {
    let mut reached = Reached::default();
    let only = demand::seed();
    let mut seed = only.unwrap_or(first_seed);
    while reached.edits < edits {
        println!("LEGION_TRANSFORM_SEED={seed} cargo test --test model {name} replays this world");
        let last = RefCell::new(Reached::default());
        check_histories(demand::one_world(seed), plan.edits(seed), |history| {
            let mut trial = Trial::new(bundles());
            history.follow(|step| {
                trial.take(step);
                true
            });
            last.replace(trial.reached);
            Ok(())
        });
        reached.add(last.into_inner());
        if only.is_some() {
            break;
        }
        seed += 1;
    }
    println!("{name}: {reached:?}");
    let is_large = plan.bulk < 1_000 || reached.entities > plan.bulk / 2 || only.is_some();
    assert!(is_large, "a large world is large: {reached:?}");
    reached
}

/// How many edits to make: the default, or what the environment asks for.
pub fn wanted(default: usize) -> usize {
    demand::soak().map_or(default, |edits| edits as usize)
}
