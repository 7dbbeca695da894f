//! A latch that workers enter and leave, and that the caller closes.
//!
//! ```text
//! caller      works ........................ closes, waits     returns
//! worker 1           enters ......................... leaves
//! worker 2                                          enters: refused
//! ```

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::Thread,
    time::Instant,
};

use super::{Panics, SPIN};

/// Set when the latch is closed.
const CLOSED: usize = 1 << (usize::BITS - 1);

/// What the caller and its workers share.
pub(super) struct Latch {
    /// How many workers are inside, and [`CLOSED`].
    inside: AtomicUsize,
    /// The thread that waits until the last worker has left.
    caller: Thread,
    /// The panic of the first worker that panicked.
    panics: Mutex<Panics>,
}

impl Latch {
    pub fn new() -> Self {
        Self {
            inside: AtomicUsize::new(0),
            caller: std::thread::current(),
            panics: Mutex::default(),
        }
    }

    /// Lets a worker in. `false` if the latch is closed.
    pub fn enter(&self) -> bool {
        let one_more = |inside| (inside & CLOSED == 0).then_some(inside + 1);
        self.inside.fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_more).is_ok()
    }

    /// Lets a worker out that has entered, with its panic if it panicked.
    pub fn leave(&self, panics: Panics) {
        if panics.any() && !self.panics().any() {
            *self.panics() = panics;
        }
        if self.inside.fetch_sub(1, Ordering::Release) == CLOSED | 1 {
            self.caller.unpark();
        }
    }

    /// The panic of the first worker that panicked, if one did.
    pub fn panics(&self) -> MutexGuard<'_, Panics> {
        self.panics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes the latch when it is dropped, and waits until no worker is inside.
pub(super) struct CloseOnDrop<'a>(pub &'a Latch);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        let mut inside = self.0.inside.fetch_or(CLOSED, Ordering::AcqRel);
        if inside & !CLOSED == 0 {
            return;
        }
        // No work is left to take, so workers are at their last share.
        let start = Instant::now();
        while inside & !CLOSED != 0 {
            if start.elapsed() < SPIN {
                std::hint::spin_loop();
            } else {
                // The last worker to leave wakes this thread. Other code may wake it as well, so
                // the count is read again.
                std::thread::park();
            }
            inside = self.0.inside.load(Ordering::Acquire);
        }
    }
}
