//! Sharing a sweep among threads: runs of subtrees are cut at subtrees until they are small, and taken by whoever is free.

use std::{
    collections::VecDeque,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{crew::together, sweep::Sweep};

/// Positions that one thread takes at a time.
const GRAIN: u32 = 4096;

impl Sweep<'_> {
    /// Whether there is work for more than one thread: how much is below the marked positions, up to what matters.
    pub fn is_worth_spreading(&self, start: u32, end: u32) -> bool {
        if end - start <= 2 * GRAIN {
            return false;
        }
        let mut work = 0;
        let mut position = self.forest.next_marked(start);
        while position < end && work < 2 * GRAIN {
            let subtree_end = self.forest[position].end;
            work += subtree_end - position;
            position = self.forest.next_marked(subtree_end);
        }
        work >= 2 * GRAIN
    }

    /// Computes a run of subtrees together with other threads.
    pub fn spread(&self, start: u32, end: u32) {
        // As long as there is nothing to share out, others would only wait.
        let (start, below) = self.top(start, end, start);
        if start == end {
            return;
        }
        let runs = Runs { waiting: Mutex::new([(start, end, below)].into()), unfinished: AtomicUsize::new(1) };
        together(&|| {
            while runs.unfinished.load(Ordering::Acquire) > 0 {
                match runs.take() {
                    Some(taken) => self.split(&runs, taken.run),
                    None => std::thread::yield_now(),
                }
            }
        });
    }

    /// Computes a run of subtrees, leaving parts of it to whoever comes while it is large.
    fn split(&self, runs: &Runs, (mut start, mut end, mut below): Run) {
        loop {
            (start, below) = self.top(start, end, below);
            if end - start <= GRAIN {
                break;
            }
            // The smaller part is left to others, so that little is left when few of them come.
            let middle = self.forest.boundary(start, end);
            debug_assert!(start < middle && middle < end, "both parts of a run have something");
            if middle - start < end - middle {
                runs.leave((start, middle, below.clamp(start, middle)));
                start = middle;
            } else {
                runs.leave((middle, end, below.clamp(middle, end)));
                end = middle;
            }
        }
        self.run(start, end, below);
    }

    /// Computes what is above all else in a run of subtrees, as long as it is large: the top of a single subtree, and of what is
    /// below it if that is a single one again. Returns where the rest begins, which is a run of subtrees too.
    fn top(&self, mut start: u32, end: u32, mut below: u32) -> (u32, u32) {
        while end - start > GRAIN && self.forest[start].end >= end {
            let inner = &self.forest.nodes[start as usize + 1..end as usize];
            let fork = inner.iter().position(|inner| inner.end < end).map_or(end, |inner| start + 1 + inner as u32);
            below = self.run(start, fork, below);
            start = fork;
        }
        (start, below)
    }
}

/// A start, an end, and before what everything in between is below a change.
type Run = (u32, u32, u32);

/// The runs that nobody has taken yet.
struct Runs {
    waiting: Mutex<VecDeque<Run>>,
    /// How many are waiting or being computed.
    unfinished: AtomicUsize,
}

impl Runs {
    fn leave(&self, run: Run) {
        self.unfinished.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().expect("nothing panics with the lock").push_back(run);
    }

    /// The run that was left first, as that is the largest.
    fn take(&self) -> Option<Taken<'_>> {
        let run = self.waiting.lock().expect("nothing panics with the lock").pop_front()?;
        Some(Taken { run, runs: self })
    }
}

/// A run that is being computed; finished when it is dropped, even by a panic, for which nobody must wait.
struct Taken<'a> {
    run: Run,
    runs: &'a Runs,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.runs.unfinished.fetch_sub(1, Ordering::Release);
    }
}
