//! Accelerator: the work queue, ranges of slots for several threads.
//!
//! A thread halves its range at a subtree, leaves one half in the queue and goes on with the other,
//! until that is short. The caller keeps first halves, a worker last halves:
//!
//! ```text
//! slots    0       2,500   5,000       10,000       15,000   17,500   20,000
//! caller   | works |  left |    left   |
//! worker                               |    left    |   left |  works |
//! ```
//!
//! Then the caller takes the task with the lowest slots, and the worker the one with the highest,
//! until they meet. So each thread finds its rows in its own cache. See [`Side`].

use std::{
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use super::{Descent, Propagation};
use crate::engine::{
    forest::SubtreeRange,
    parallel::{self, Side},
};

/// Ranges up to this length are not split.
const GRAIN: u32 = 4096;

impl<J: Descent> Propagation<'_, J> {
    /// The threads, if they pay, and there are shares for several: in a range of two or more
    /// [`GRAIN`]s so many slots are marked or below marked ones. With the root of a million nodes
    /// marked, this looks at one node.
    pub fn paying(&self, range: SubtreeRange) -> Option<&parallel::Threads> {
        if range.len() <= 2 * GRAIN {
            return None;
        }
        let forest = self.forest.propagation();
        let mut work = 0;
        let mut slot = forest.next_marked(range.start());
        while slot < range.end() && work < 2 * GRAIN {
            let subtree_end = forest.nodes()[slot as usize].end;
            work += subtree_end - slot;
            slot = forest.next_marked(subtree_end);
        }
        if work < 2 * GRAIN { None } else { self.threads.paying(range.len() as usize) }
    }

    /// Computes a range together with other threads.
    pub fn spread(&self, range: SubtreeRange, threads: &parallel::Threads) {
        // A stem is one thread's work: workers would only wait meanwhile.
        let task = self.stem(Task { range, below: range.start() });
        if task.range.len() == 0 {
            return;
        }
        let queue = Queue { tasks: Mutex::new(vec![task]), splitting: AtomicUsize::new(0) };
        threads.together(task.range.len().div_ceil(GRAIN) as usize, &|side| {
            while let Some(task) = queue.take(side) {
                self.split(&queue, task, side);
            }
        });
    }

    /// Computes a task. While its range is long, leaves halves of it in the queue.
    ///
    /// If the user's code panics in a stem, the thread counts as splitting from then on: others
    /// wait a little longer for tasks, and end.
    fn split(&self, queue: &Queue, mut task: Task, side: Side) {
        loop {
            task = self.stem(task);
            let Task { range, below } = task;
            let halves =
                if range.len() > GRAIN { self.forest.propagation().split(range) } else { None };
            let Some((first, second)) = halves else {
                queue.splitting.fetch_sub(1, Ordering::Release);
                self.compute(range.start(), range.end(), below);
                return;
            };
            // With 12,000 as `below`, the second half of slots 0 to 20,000 has 12,000, too, and the
            // first half 10,000, its end.
            let half = |range: SubtreeRange| Task {
                below: below.clamp(range.start(), range.end()),
                range,
            };
            let (kept, left) = match side {
                Side::First => (first, second),
                Side::Last => (second, first),
            };
            queue.leave(half(left));
            task = half(kept);
        }
    }

    /// Computes the *stem* of a long range that is a single subtree: the nodes from its top down to
    /// the first one with several children, on which all others depend. In a scene with one root
    /// above a hub above 1,000 skeletons, these are the root and the hub. Returns the rest.
    fn stem(&self, Task { mut range, mut below }: Task) -> Task {
        let forest = self.forest.propagation();
        while range.len() > GRAIN && forest.is_single(range) {
            let rest = forest.stem(range);
            below = self.compute(range.start(), rest.start(), below);
            range = rest;
        }
        Task { range, below }
    }
}

/// Whole subtrees to compute. Their slots before `below` are below a changed world.
#[derive(Clone, Copy)]
struct Task {
    range: SubtreeRange,
    below: u32,
}

/// The tasks that no thread has taken yet.
struct Queue {
    tasks: Mutex<Vec<Task>>,
    /// The number of threads that are splitting. While it is above 0, tasks may come.
    splitting: AtomicUsize,
}

impl Queue {
    fn tasks(&self) -> MutexGuard<'_, Vec<Task>> {
        self.tasks.lock().expect("nothing panics with the lock")
    }

    /// Puts a task in the queue, for any thread.
    fn leave(&self, task: Task) {
        self.tasks().push(task);
    }

    /// The task with the first or the last slots. Waits a little while the queue is empty and some
    /// thread is splitting. With `None` this thread is done: a thread that leaves tasks later takes
    /// them itself. A thread that has taken a task counts as splitting.
    fn take(&self, side: Side) -> Option<Task> {
        // The clock is read only to wait. Targets without one have one thread, which never waits.
        let mut start = None;
        loop {
            let mut tasks = self.tasks();
            let starts = tasks.iter().enumerate().map(|(index, task)| (task.range.start(), index));
            let taken = match side {
                Side::First => starts.min(),
                Side::Last => starts.max(),
            };
            if let Some((_, index)) = taken {
                self.splitting.fetch_add(1, Ordering::Relaxed);
                return Some(tasks.swap_remove(index));
            }
            // The count rises with the queue locked and falls after the last task was left. So an
            // empty queue and a count of 0 mean that no task will come.
            let waits = self.splitting.load(Ordering::Acquire) > 0;
            if !waits || start.get_or_insert_with(Instant::now).elapsed() > parallel::SPIN {
                return None;
            }
            drop(tasks);
            (0..64).for_each(|_| std::hint::spin_loop());
        }
    }
}
