//! Random edits of every sort, and after every run a comparison of the whole world with what the rules make of it.
//!
//! `LEGION_TRANSFORM_SOAK=<edits>` runs longer, `LEGION_TRANSFORM_SEED=<seed>` replays one world.

mod common;

#[path = "model/edits.rs"]
mod edits;
#[path = "model/generator.rs"]
mod generator;

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

use common::{groups::Groups, oracle::Oracle, user::bundle_with_everything, Rig, Rng, Snapshot};
use edits::Subject;
use generator::{required, Counts, Generator};
use legion_transform::prelude::*;

/// How large the worlds of a run have become.
#[derive(Debug, Default)]
struct Reached {
    edits: usize,
    runs: usize,
    entities: usize,
    archetypes: usize,
    depth: usize,
}

/// What a world of the test is like.
#[derive(Clone, Copy)]
struct Plan {
    edits: usize,
    target: usize,
    /// The most that is spawned in one edit.
    bulk: usize,
}

/// One world, from empty to `edits` edits, judged after every run; the others must come out the same bits.
fn live(seed: u64, plan: Plan, bundles: Vec<TransformSystemBundle>, counts: &mut Counts, reached: &mut Reached) {
    let mut rng = Rng::new(seed);
    let wild = rng.one_in(3);
    let mut subjects: Vec<_> = bundles.into_iter().map(|bundle| Subject::new(Rig::new(bundle))).collect();
    let mut oracle = Oracle::new(Groups::of_everything());
    let mut generator = Generator::new(rng, plan.target, wild, plan.bulk);
    for edit in 0..plan.edits {
        generator.edit(&mut subjects, &oracle, counts);
        reached.edits += 1;
        if !generator.rng.one_in(3) && edit + 1 < plan.edits {
            continue; // several edits between runs
        }
        oracle.run(&mut subjects[0].rig);
        compare(&mut subjects, &oracle.last);
        reached.runs += 1;
        if generator.rng.one_in(5) {
            oracle.run_again(&mut subjects[0].rig);
            subjects[1..].iter_mut().for_each(|subject| subject.rig.run());
        }
        reached.entities = reached.entities.max(oracle.last.rows.len());
        reached.archetypes = reached.archetypes.max(oracle.last.versions.len());
        reached.depth = reached.depth.max(oracle.structure.depth());
    }
}

/// Runs the other worlds and compares their bits with those of the first.
fn compare(subjects: &mut [Subject], first: &Snapshot) {
    let (one, others) = subjects.split_first_mut().expect("there is one");
    for other in others {
        other.rig.run();
        let difference = other.difference(&Snapshot::of(&other.rig.world), one, first);
        assert_eq!(difference, None, "bundles that differ in the number of threads differ in their results");
    }
}

/// Lives through worlds until `edits` edits are made, and says which world failed.
fn soak(name: &str, first_seed: u64, edits: usize, plan: Plan, bundles: impl Fn() -> Vec<TransformSystemBundle>) -> (Counts, Reached) {
    let (mut counts, mut reached) = (Counts::new(), Reached::default());
    let only = std::env::var("LEGION_TRANSFORM_SEED").ok().map(|seed| seed.parse().expect("a seed"));
    let mut seed = only.unwrap_or(first_seed);
    while reached.edits < edits {
        let outcome =
            catch_unwind(AssertUnwindSafe(|| live(seed, plan, bundles(), &mut counts, &mut reached)));
        if let Err(panic) = outcome {
            eprintln!("{name}: seed {seed} failed; replay with LEGION_TRANSFORM_SEED={seed} cargo test --test model {name}");
            resume_unwind(panic);
        }
        if only.is_some() {
            break;
        }
        seed += 1;
    }
    println!("{name}: {reached:?}");
    (counts, reached)
}

/// How many edits to make: the default, or what the environment asks for.
fn wanted(default: usize) -> usize {
    std::env::var("LEGION_TRANSFORM_SOAK").ok().map_or(default, |edits| edits.parse().expect("a number of edits"))
}

#[test]
fn random_edits() {
    let plan = Plan { edits: 700, target: 220, bulk: 60 };
    let (counts, reached) = soak("random_edits", 1, wanted(7_000), plan, || vec![bundle_with_everything()]);
    if std::env::var("LEGION_TRANSFORM_SEED").is_ok() {
        return;
    }
    let missing: Vec<_> = required().into_iter().filter(|sort| !counts.contains_key(sort)).collect();
    assert!(missing.is_empty(), "edits that were never made: {missing:?}");
    assert!(reached.entities > 200 && reached.archetypes > 10 && reached.depth > 20, "{reached:?}");
}

/// Few entities and few edits between runs: the corners of single features.
#[test]
fn small_worlds() {
    let plan = Plan { edits: 60, target: 6, bulk: 3 };
    soak("small_worlds", 1_000_000, wanted(6_000), plan, || vec![bundle_with_everything()]);
}

#[cfg(feature = "parallel")]
mod threads {
    use std::sync::Arc;

    use super::*;

    fn on_threads(threads: usize) -> TransformSystemBundle {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
        bundle_with_everything().thread_pool(Arc::new(pool))
    }

    fn pools() -> Vec<TransformSystemBundle> {
        [1, 2, 7].map(on_threads).into()
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let plan = Plan { edits: 300, target: 150, bulk: 40 };
        soak("any_number_of_threads_gives_the_same_bits", 2_000_000, wanted(1_200), plan, pools);
    }

    /// Worlds large enough that work is spread over the threads.
    #[test]
    fn any_number_of_threads_gives_the_same_bits_in_large_worlds() {
        let plan = Plan { edits: 60, target: 12_000, bulk: 5_000 };
        soak("any_number_of_threads_gives_the_same_bits_in_large_worlds", 3_000_000, wanted(120).div_ceil(20), plan, pools);
    }
}
