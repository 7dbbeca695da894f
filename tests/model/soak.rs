//! Living through worlds, and the shortest program that fails where one does.

use std::cell::RefCell;

use legion_transform::prelude::*;
use legion_transform_testing::{check_histories, config};
use proptest::test_runner::{Config, RngSeed};

use super::trial::{Plan, Reached, Trial};

/// Lives through worlds until `edits` edits are made. A world that fails is shrunk for a minute, or
/// as many milliseconds as `PROPTEST_MAX_SHRINK_TIME` says, and printed as a program.
pub fn soak(
    name: &str,
    first_seed: u64,
    edits: usize,
    plan: Plan,
    bundles: impl Fn() -> Vec<TransformSystemBundle>,
) -> Reached {
    let mut reached = Reached::default();
    let only =
        std::env::var("LEGION_TRANSFORM_SEED").ok().map(|seed| seed.parse().expect("a seed"));
    let mut seed = only.unwrap_or(first_seed);
    while reached.edits < edits {
        println!("LEGION_TRANSFORM_SEED={seed} cargo test --test model {name} replays this world");
        let rng_seed = RngSeed::Fixed(seed);
        let mut config = Config { cases: 1, rng_seed, ..config() };
        if config.max_shrink_time == 0 {
            config.max_shrink_time = 60_000;
        }
        let last = RefCell::new(Reached::default());
        check_histories(config, plan.edits(seed), |history| {
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
    std::env::var("LEGION_TRANSFORM_SOAK")
        .ok()
        .map_or(default, |edits| edits.parse().expect("a number of edits"))
}
