//! Living through worlds, and the shortest program that fails where one does.

use std::cell::RefCell;

use harness::demand::{self, Repeats, first_seed, soak};
use legion_transform::prelude::*;
use legion_transform_testing::check_histories;

use super::trial::{Plan, Reached, Trial};

/// Lives through worlds until so many edits are made, and as many more worlds as it takes until
/// nothing is missing. One that fails is shrunk and printed as a program.
pub fn live_until_all(
    missing: impl Fn(&Reached) -> Vec<String>,
    seed: u64,
    edits: usize,
    plan: Plan,
    bundles: impl Fn() -> Vec<TransformSystemBundle>,
) {
    let (mut reached, edits) = (Reached::default(), soak(edits));
    for seed in first_seed(seed).. {
        let _repeats = Repeats(seed);
        let last = RefCell::new(Reached::default());
        check_histories(demand::one_world(seed), plan.edits(seed), |history| {
            let mut trial = Trial::new(bundles());
            history.follow(|step| {
                if plan.has(step) {
                    trial.take(step);
                }
                true
            });
            last.replace(trial.reached);
            Ok(())
        });
        reached.add(last.into_inner());
        if reached.edits < edits {
            continue;
        }
        let missing = missing(&reached);
        if edits == 1 || missing.is_empty() {
            break;
        }
        assert!(reached.edits < 10 * edits, "what never came about: {missing:?} in {reached:?}");
    }
    let Reached { edits, runs, entities, archetypes, depth, .. } = reached;
    println!(
        "{edits} edits, {runs} runs; {entities} entities, {archetypes} archetypes, {depth} deep"
    );
}

/// The same, until a world was large if the plan has large ones.
pub fn live(seed: u64, edits: usize, plan: Plan, bundles: impl Fn() -> Vec<TransformSystemBundle>) {
    let small = |reached: &Reached| plan.bulk >= 1_000 && reached.entities <= plan.bulk / 2;
    let missing = |reached: &Reached| {
        small(reached).then(|| "a large world".to_owned()).into_iter().collect()
    };
    live_until_all(missing, seed, edits, plan, bundles);
}
