//! A sequence of edits and runs.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use legion::{Resources, World};

use super::{
    model::Model,
    moves::Move,
    steps::{Cast, Step},
};
use crate::world::program::Program;

/// A world from its first entity on: edits with runs in between, and one at the end.
///
/// `Debug` prints the program that [`play`](Self::play) plays.
#[derive(Clone)]
pub struct History {
    /// Each step, and how many of the generated ones have been taken with it.
    steps: Vec<(Step, usize)>,
    seen: Option<Arc<AtomicUsize>>,
}

impl History {
    pub(crate) fn new(mut model: Model, moves: &[Move], seen: Option<Arc<AtomicUsize>>) -> Self {
        let start = std::mem::take(&mut model.start);
        let mut steps: Vec<_> = start.into_iter().map(|step| (step, 0)).collect();
        let end = Move::Step(Step::Run);
        for (taken, made_up) in (1..).zip(moves.iter().chain([&end])) {
            let taken = taken.min(moves.len());
            steps.extend(model.take(made_up).into_iter().map(|step| (step, taken)));
        }
        Self { steps, seen }
    }

    /// The edits and runs.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().map(|(step, _)| step)
    }

    /// Calls `take` with each edit and each run, until it returns false: while a failing case
    /// shrinks, what comes after that is left out at once. For several worlds in step, each by
    /// [`Step::play`].
    pub fn follow(&self, mut take: impl FnMut(&Step) -> bool) {
        for (step, taken) in &self.steps {
            if let Some(seen) = &self.seen {
                seen.store(*taken, Ordering::SeqCst);
            }
            if !take(step) {
                return;
            }
        }
    }

    /// Makes all edits in a world, and calls `run` where a run stands. It ends where `run` returns
    /// false, as [`follow`](Self::follow) does.
    pub fn play(
        &self,
        world: &mut World,
        resources: &mut Resources,
        mut run: impl FnMut(&mut World, &mut Resources) -> bool,
    ) {
        let mut cast = Cast::default();
        self.follow(|step| {
            if matches!(step, Step::Run) {
                return run(world, resources);
            }
            step.play(world, resources, &mut cast);
            true
        });
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut program = Program::default();
        self.steps().for_each(|step| step.print(&mut program));
        write!(f, "{program}")
    }
}
