//! Living through worlds, and the shortest steps that fail where one does.

#[cfg(panic = "unwind")]
use std::time::{Duration, Instant};

use harness::Rng;
#[cfg(panic = "unwind")]
use harness::caught;
use legion_transform::prelude::*;

use super::{
    generator::{Counts, Generator, MANY},
    trial::{Plan, Step, Trial},
};

/// How large the worlds of a run have become.
#[derive(Debug, Default)]
pub struct Reached {
    pub edits: usize,
    pub runs: usize,
    pub entities: usize,
    pub archetypes: usize,
    pub depth: usize,
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
        reached.depth = reached.depth.max(oracle.links.depths().into_values().max().unwrap_or(0));
    }
}

/// The message of the panic that these steps end in, if they do.
#[cfg(panic = "unwind")]
fn failure(
    steps: &[Step],
    plan: Plan,
    bundles: &impl Fn() -> Vec<TransformSystemBundle>,
) -> Option<String> {
    let mut trial = Trial::new(plan, bundles());
    let outcome = caught(|| steps.iter().for_each(|step| trial.step(step)));
    outcome.err().map(|panic| match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => {
            panic.downcast_ref::<&str>().map_or_else(|| "a panic".into(), |text| (*text).to_owned())
        }
    })
}

/// Leaves out steps while the rest still fails in any way, for half a minute at most.
#[cfg(panic = "unwind")]
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
#[cfg(panic = "unwind")]
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
pub fn soak(
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
        let mut living = || live(seed, plan, &mut trial, &mut steps, &mut counts, &mut reached);
        #[cfg(panic = "unwind")]
        if let Err(panic) = caught(&mut living) {
            report(name, seed, plan, steps, &bundles);
            std::panic::resume_unwind(panic);
        }
        // What panics here ends the tests, without a list of steps.
        #[cfg(not(panic = "unwind"))]
        living();
        if only.is_some() {
            break;
        }
        seed += 1;
    }
    println!("{name}: {reached:?}");
    let is_large = plan.bulk < MANY || reached.entities > plan.bulk / 2;
    assert!(is_large, "a large world is large: {reached:?}");
    (counts, reached)
}

/// How many edits to make: the default, or what the environment asks for.
pub fn wanted(default: usize) -> usize {
    std::env::var("LEGION_TRANSFORM_SOAK")
        .ok()
        .map_or(default, |edits| edits.parse().expect("a number of edits"))
}
