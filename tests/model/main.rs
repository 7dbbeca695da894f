//! Random edits of every sort, and after every run a comparison of the whole world with what the
//! rules make of it.
//!
//! `LEGION_TRANSFORM_SOAK=<edits>` runs longer, `LEGION_TRANSFORM_SEED=<seed>` replays one world.

mod edits;
mod generator;
mod platforms;

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    time::{Duration, Instant},
};

use edits::{Edit, Slot, Subject};
use generator::{Counts, Generator, required};
use harness::{
    Rng, Snapshot, TestWorld, groups::Groups, oracle::Oracle, user::bundle_with_everything,
};
use legion_transform::{findings::FindingKind, prelude::*};

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

impl Plan {
    /// Whether archetypes may have more than 64 rows. What is overwritten in doubt there is not
    /// right after the next run, but up to 32 runs later: no window overwrites and inserts.
    fn is_large(&self) -> bool {
        self.target > 64
    }
}

/// What happened to a world, to be replayed.
#[derive(Clone, Debug)]
enum Step {
    Edit(Edit),
    Run,
    RunAgain,
}

/// Worlds that go through the same steps: the first is judged, the others must come out the same
/// bits.
struct Trial {
    subjects: Vec<Subject>,
    oracle: Oracle,
    /// Whether nothing was edited since the last run.
    unchanged: bool,
    /// See [`Plan::is_large`].
    is_large: bool,
    /// Whether components that may be derived were overwritten since the last run, and whether
    /// entities came to archetypes.
    overwrote: bool,
    inserted: bool,
}

impl Trial {
    fn new(plan: Plan, bundles: Vec<TransformSystemBundle>) -> Self {
        // Every second one lists what changed, which must not change it.
        let tracked = |(index, bundle): (usize, TransformSystemBundle)| {
            if index % 2 == 1 { bundle.track_changes() } else { bundle }
        };
        let bundles = bundles.into_iter().enumerate().map(tracked);
        let subjects = bundles.map(|bundle| Subject::new(TestWorld::new(bundle))).collect();
        Self {
            subjects,
            oracle: Oracle::new(Groups::of_everything()),
            unchanged: false,
            is_large: plan.is_large(),
            overwrote: false,
            inserted: false,
        }
    }

    fn step(&mut self, step: &Step) {
        if let Step::Edit(edit) = step {
            let (overwrites, inserts) = (edit.overwrites(), edit.inserts());
            if self.is_large && (self.inserted && overwrites || self.overwrote && inserts) {
                self.step(&Step::Run);
            }
            self.overwrote |= overwrites;
            self.inserted |= inserts;
        } else {
            (self.overwrote, self.inserted) = (false, false);
        }
        let (first, others) = self.subjects.split_first_mut().expect("there is one");
        match step {
            Step::Edit(edit) => {
                self.unchanged = false;
                self.subjects.iter_mut().for_each(|subject| subject.apply(edit));
            }
            Step::RunAgain if self.unchanged => {
                self.oracle.run_again(&mut first.test);
                first.mirror.follow(&first.test);
                for subject in others {
                    subject.test.run();
                    assert_eq!(
                        subject.mirror.follow(&subject.test),
                        [],
                        "nothing is listed where nothing was edited"
                    );
                }
            }
            Step::Run | Step::RunAgain => {
                self.unchanged = true;
                self.oracle.run(&mut first.test);
                first.mirror.follow(&first.test);
                let findings = named(first);
                for other in others {
                    other.test.run();
                    other.mirror.follow(&other.test);
                    let difference = other.difference(
                        &Snapshot::of(&other.test.world),
                        first,
                        &self.oracle.last,
                    );
                    assert_eq!(
                        difference, None,
                        "threads and instruction sets do not change results"
                    );
                    assert_eq!(
                        named(other),
                        findings,
                        "threads and instruction sets do not change findings"
                    );
                }
            }
        }
    }
}

/// The findings of a world by slot.
fn named(subject: &Subject) -> Vec<(FindingKind, Slot, Option<Slot>)> {
    let slot = |entity| subject.slots[&entity];
    let findings = subject.test.findings().into_iter();
    findings
        .map(|finding| (finding.kind, slot(finding.entity), finding.related.map(slot)))
        .collect()
}

/// One world, from empty to `edits` edits, judged after every run. `steps` is what happened, also
/// when it panics.
fn live(
    seed: u64,
    plan: Plan,
    trial: &mut Trial,
    steps: &mut Vec<Step>,
    counts: &mut Counts,
    reached: &mut Reached,
) {
    let mut rng = Rng::new(seed);
    let wild = rng.one_in(3);
    let mut generator = Generator::new(rng, plan.target, wild, plan.bulk);
    let mut take = |trial: &mut Trial, step: Step| {
        steps.push(step);
        trial.step(steps.last().expect("just pushed"));
    };
    for edit in 0..plan.edits {
        for edit in generator.edits(&mut trial.subjects[0], &trial.oracle, counts) {
            take(trial, Step::Edit(edit));
        }
        reached.edits += 1;
        if !generator.rng.one_in(3) && edit + 1 < plan.edits {
            continue; // several edits between runs
        }
        take(trial, Step::Run);
        reached.runs += 1;
        if generator.rng.one_in(5) {
            take(trial, Step::RunAgain);
        }
        let oracle = &trial.oracle;
        reached.entities = reached.entities.max(oracle.last.rows.len());
        reached.archetypes = reached.archetypes.max(oracle.last.versions.len());
        reached.depth = reached.depth.max(oracle.structure.depth());
    }
}

/// The message of the panic that these steps end in, if they do.
fn failure(
    steps: &[Step],
    plan: Plan,
    bundles: &impl Fn() -> Vec<TransformSystemBundle>,
) -> Option<String> {
    let mut trial = Trial::new(plan, bundles());
    let outcome = catch_unwind(AssertUnwindSafe(|| steps.iter().for_each(|step| trial.step(step))));
    outcome.err().map(|panic| match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => {
            panic.downcast_ref::<&str>().map_or_else(|| "a panic".into(), |text| (*text).to_owned())
        }
    })
}

/// Leaves out steps while the rest still fails in any way, for half a minute at most.
fn shrink(
    mut steps: Vec<Step>,
    plan: Plan,
    bundles: &impl Fn() -> Vec<TransformSystemBundle>,
) -> Vec<Step> {
    let begin = Instant::now();
    let mut size = steps.len().div_ceil(2);
    loop {
        let mut start = 0;
        let length = steps.len();
        while start < steps.len() && begin.elapsed() < Duration::from_secs(30) {
            let end = (start + size).min(steps.len());
            let shorter = [&steps[..start], &steps[end..]].concat();
            if failure(&shorter, plan, bundles).is_some() {
                steps = shorter;
            } else {
                start = end;
            }
        }
        if size == 1 && steps.len() == length || begin.elapsed() >= Duration::from_secs(30) {
            return steps;
        }
        size = size.div_ceil(2);
    }
}

/// Prints the shortest list of steps that still fails.
fn report(
    name: &str,
    seed: u64,
    plan: Plan,
    steps: Vec<Step>,
    bundles: &impl Fn() -> Vec<TransformSystemBundle>,
) {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let short = shrink(steps, plan, bundles);
    let message = failure(&short, plan, bundles);
    std::panic::set_hook(hook);
    let steps: Vec<_> = short.iter().map(|step| format!("    {step:?}")).collect();
    eprintln!(
        "{name}: seed {seed} failed; LEGION_TRANSFORM_SEED={seed} cargo test --test model {name} \
         replays it"
    );
    eprintln!(
        "the shortest steps that fail:\n{}\nwith: {}",
        steps.join("\n"),
        message.unwrap_or_default()
    );
}

/// Lives through worlds until `edits` edits are made, and says which world failed.
fn soak(
    name: &str,
    first_seed: u64,
    edits: usize,
    plan: Plan,
    bundles: impl Fn() -> Vec<TransformSystemBundle>,
) -> (Counts, Reached) {
    let (mut counts, mut reached) = (Counts::new(), Reached::default());
    let only =
        std::env::var("LEGION_TRANSFORM_SEED").ok().map(|seed| seed.parse().expect("a seed"));
    let mut seed = only.unwrap_or(first_seed);
    while reached.edits < edits {
        let mut steps = Vec::new();
        let mut trial = Trial::new(plan, bundles());
        let living = AssertUnwindSafe(|| {
            live(seed, plan, &mut trial, &mut steps, &mut counts, &mut reached)
        });
        if let Err(panic) = catch_unwind(living) {
            report(name, seed, plan, steps, &bundles);
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
    std::env::var("LEGION_TRANSFORM_SOAK")
        .ok()
        .map_or(default, |edits| edits.parse().expect("a number of edits"))
}

/// Edits among which there is one of every sort.
const ENOUGH: usize = 9_000;

#[test]
fn random_edits() {
    let plan = Plan { edits: 700, target: 220, bulk: 60 };
    let (counts, reached) =
        soak("random_edits", 1, wanted(ENOUGH), plan, || vec![bundle_with_everything()]);
    if reached.edits < ENOUGH {
        return; // one seed, or fewer edits than by default
    }
    let missing: Vec<_> =
        required().into_iter().filter(|sort| !counts.contains_key(sort)).collect();
    assert!(missing.is_empty(), "edits that were never made: {missing:?}");
    assert!(reached.entities > 200 && reached.archetypes > 10 && reached.depth > 15, "{reached:?}");
}

/// Few entities and few edits between runs: the corners of single features.
#[test]
fn small_worlds() {
    let plan = Plan { edits: 60, target: 6, bulk: 3 };
    soak("small_worlds", 1_000_000, wanted(6_000), plan, || vec![bundle_with_everything()]);
}

/// One bundle for each instruction set that there are kernels for and that this machine has.
fn instruction_sets() -> Vec<TransformSystemBundle> {
    let names = TransformSystemBundle::instruction_sets().into_iter();
    names.map(|name| bundle_with_everything().instruction_set(name)).collect()
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let plan = Plan { edits: 300, target: 150, bulk: 40 };
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
    let plan = Plan { edits: 60, target: 12_000, bulk: 5_000 };
    soak(
        "every_instruction_set_gives_the_same_bits_in_large_worlds",
        5_000_000,
        wanted(60),
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
    let plan = Plan { edits: 300, target: 150, bulk: 70 };
    soak("no_accelerator_changes_a_bit", 8_000_000, wanted(900), plan, without_accelerators);
}

#[test]
fn no_accelerator_changes_a_bit_in_large_worlds() {
    let plan = Plan { edits: 40, target: 8_000, bulk: 4_000 };
    soak(
        "no_accelerator_changes_a_bit_in_large_worlds",
        9_000_000,
        wanted(40),
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
        let plan = Plan { edits: 300, target: 150, bulk: 40 };
        soak("any_number_of_threads_gives_the_same_bits", 2_000_000, wanted(1_200), plan, pools);
    }

    /// What is listed as changed leaves out nothing that did, with systems in all places and users'
    /// writes everywhere.
    #[test]
    fn changes_are_listed_on_any_number_of_threads() {
        let tracked = || pools().into_iter().map(TransformSystemBundle::track_changes).collect();
        let plan = Plan { edits: 300, target: 150, bulk: 40 };
        soak(
            "changes_are_listed_on_any_number_of_threads",
            6_000_000,
            wanted(1_200),
            plan,
            tracked,
        );
        let plan = Plan { edits: 60, target: 6, bulk: 3 };
        soak("changes_are_listed_in_small_worlds", 7_000_000, wanted(3_000), plan, tracked);
    }

    #[test]
    fn changes_are_listed_in_large_worlds() {
        let tracked = || pools().into_iter().map(TransformSystemBundle::track_changes).collect();
        let plan = Plan { edits: 40, target: 60_000, bulk: 40_000 };
        soak("changes_are_listed_in_large_worlds", 8_000_000, wanted(40), plan, tracked);
    }

    /// Worlds large enough that work is spread over the threads.
    #[test]
    fn any_number_of_threads_gives_the_same_bits_in_large_worlds() {
        let plan = Plan { edits: 60, target: 12_000, bulk: 5_000 };
        soak(
            "any_number_of_threads_gives_the_same_bits_in_large_worlds",
            3_000_000,
            wanted(120).div_ceil(20),
            plan,
            pools,
        );
    }
}
