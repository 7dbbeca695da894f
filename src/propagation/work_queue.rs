//! The work queue: ranges of subtrees are split at subtrees until they are small, and taken by the
//! threads that are free.

use std::{
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use super::Propagation;
use crate::{
    forest::SubtreeRange,
    parallel::{SPIN, Side, together},
};

/// Slots that one thread takes at a time.
const GRAIN: u32 = 4096;

impl Propagation<'_> {
    /// Whether there is work for more than one thread: how much is below the marked slots, up to
    /// what matters.
    pub fn is_worth_spreading(&self, range: SubtreeRange) -> bool {
        if range.len() <= 2 * GRAIN {
            return false;
        }
        let forest = self.forest.propagation();
        let mut work = 0;
        let mut slot = forest.next_marked(range.start());
        while slot < range.end() && work < 2 * GRAIN {
            let subtree_end = forest.nodes()[slot as usize].end;
            work += subtree_end - slot;
            slot = forest.next_marked(subtree_end);
        }
        work >= 2 * GRAIN
    }

    /// Computes a run of subtrees together with other threads.
    pub fn spread(&self, range: SubtreeRange) {
        // As long as there is nothing to share out, others would only wait.
        let run = self.stem((range, range.start()));
        if run.0.len() == 0 {
            return;
        }
        let runs = Runs { waiting: Mutex::new(vec![run]), splitting: AtomicUsize::new(0) };
        together(&|side| {
            while let Some((run, splitting)) = runs.take(side) {
                self.split(&runs, run, side, splitting);
            }
        });
    }

    /// Computes a run of subtrees, leaving parts of it to other threads while it is large.
    fn split(&self, runs: &Runs, mut run: Run, side: Side, splitting: Splitting<'_>) {
        loop {
            run = self.stem(run);
            let (range, below) = run;
            let parts =
                if range.len() > GRAIN { self.forest.propagation().split(range) } else { None };
            let Some((first, second)) = parts else {
                drop(splitting);
                self.run(range.start(), range.end(), below);
                return;
            };
            let part = |range: SubtreeRange| (range, below.clamp(range.start(), range.end()));
            let (kept, left) = match side {
                Side::First => (first, second),
                Side::Last => (second, first),
            };
            runs.leave(part(left));
            run = part(kept);
        }
    }

    /// Computes what is above all else in a run of subtrees, as long as it is large: the top of a
    /// single subtree, and of what is below it if that is a single one again. Returns the rest.
    fn stem(&self, (mut range, mut below): Run) -> Run {
        let forest = self.forest.propagation();
        while range.len() > GRAIN && forest.is_single(range) {
            let rest = forest.stem(range);
            below = self.run(range.start(), rest.start(), below);
            range = rest;
        }
        (range, below)
    }
}

/// Subtrees, and before what everything in them is below a change.
type Run = (SubtreeRange, u32);

/// The ranges that no thread has taken yet.
struct Runs {
    waiting: Mutex<Vec<Run>>,
    /// How many threads may still leave some.
    splitting: AtomicUsize,
}

impl Runs {
    fn waiting(&self) -> MutexGuard<'_, Vec<Run>> {
        self.waiting.lock().expect("nothing panics with the lock")
    }

    fn leave(&self, run: Run) {
        self.waiting().push(run);
    }

    /// The first or the last run that was left. `None` if there is none, and none that splits one
    /// leaves some soon; what it leaves later it takes itself, as a thread goes on until there is
    /// none.
    fn take(&self, side: Side) -> Option<(Run, Splitting<'_>)> {
        // Some targets have no clock; those have one thread, which never waits.
        let mut start = None;
        loop {
            let mut waiting = self.waiting();
            let runs = waiting.iter().enumerate().map(|(index, (range, _))| (range.start(), index));
            let taken = match side {
                Side::First => runs.min(),
                Side::Last => runs.max(),
            };
            if let Some((_, index)) = taken {
                return Some((waiting.swap_remove(index), Splitting::new(&self.splitting)));
            }
            // What is left is left before this falls, and this rises with the queue locked: no run
            // is overlooked.
            let waits = self.splitting.load(Ordering::Acquire) > 0;
            if !waits || start.get_or_insert_with(Instant::now).elapsed() > SPIN {
                return None;
            }
            drop(waiting);
            (0..64).for_each(|_| std::hint::spin_loop());
        }
    }
}

/// A thread that is splitting a run.
struct Splitting<'a>(&'a AtomicUsize);

impl<'a> Splitting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Splitting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}
