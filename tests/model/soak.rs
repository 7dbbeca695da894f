//! Living through worlds, and the shortest program that fails where one does.

use legion_transform::prelude::*;
use legion_transform_testing::History;

use super::trial::{Plan, Reached, Trial};

/// One world, judged after every run.
fn live(history: &History, bundles: Vec<TransformSystemBundle>) -> Reached {
    let mut trial = Trial::new(bundles);
    history.follow(|step| {
        trial.take(step);
        true
    });
    trial.reached
}

/// The world of a seed. A world that fails is shrunk for a minute at most.
#[cfg(panic = "unwind")]
fn try_out(
    name: &str,
    seed: u64,
    plan: Plan,
    bundles: &impl Fn() -> Vec<TransformSystemBundle>,
) -> Reached {
    use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};

    let config = Config {
        cases: 1,
        rng_seed: RngSeed::Fixed(seed),
        max_shrink_time: 60_000,
        ..legion_transform_testing::config()
    };
    let mut reached = Reached::default();
    let cell = std::cell::RefCell::new(&mut reached);
    let outcome = TestRunner::new(config).run(&plan.edits(seed), |history| {
        **cell.borrow_mut() = live(&history, bundles());
        Ok(())
    });
    match outcome {
        Ok(()) => reached,
        Err(TestError::Fail(reason, history)) => panic!(
            "{}\nafter\n{history:?}{name}: LEGION_TRANSFORM_SEED={seed} cargo test --test model \
             {name} replays it",
            reason.message()
        ),
        Err(TestError::Abort(reason)) => panic!("no world: {}", reason.message()),
    }
}

/// The world of a seed, where a panic ends the process.
#[cfg(not(panic = "unwind"))]
fn try_out(
    name: &str,
    seed: u64,
    plan: Plan,
    bundles: &impl Fn() -> Vec<TransformSystemBundle>,
) -> Reached {
    use proptest::test_runner::{Config, RngSeed, TestRunner};

    println!("{name}: seed {seed}");
    let config = Config { rng_seed: RngSeed::Fixed(seed), ..Config::default() };
    live(&plan.edits(seed).sample(&mut TestRunner::new(config)), bundles())
}

/// Lives through worlds until `edits` edits are made, and says which world failed.
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
        reached.add(try_out(name, seed, plan, &bundles));
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
