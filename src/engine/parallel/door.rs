//! A door that helpers enter and leave, and that the caller closes.
//!
//! ```text
//! caller      works ........................ closes, waits     returns
//! helper 1           enters ......................... leaves
//! helper 2                                          enters: refused
//! ```

use std::{
    any::Any,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::Thread,
    time::Instant,
};

use super::SPIN;

/// Set when the door is closed.
const CLOSED: usize = 1 << (usize::BITS - 1);

/// What the caller and its helpers share.
pub(super) struct Door {
    /// How many helpers are inside, and [`CLOSED`].
    inside: AtomicUsize,
    /// The thread that waits until the last helper has left.
    caller: Thread,
    /// The payload of the first helper that panicked.
    panicked: Mutex<Option<Payload>>,
}

/// The value that a panic carries.
pub(super) type Payload = Box<dyn Any + Send>;

impl Door {
    pub fn new() -> Self {
        Self {
            inside: AtomicUsize::new(0),
            caller: std::thread::current(),
            panicked: Mutex::new(None),
        }
    }

    /// Lets a helper in. `false` if the door is closed.
    pub fn enter(&self) -> bool {
        let one_more = |inside| (inside & CLOSED == 0).then_some(inside + 1);
        self.inside.fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_more).is_ok()
    }

    /// Lets a helper out that has entered, with the payload of its panic if it panicked.
    pub fn leave(&self, panicked: Option<Payload>) {
        if let Some(payload) = panicked {
            self.panicked.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
        }
        if self.inside.fetch_sub(1, Ordering::Release) == CLOSED | 1 {
            self.caller.unpark();
        }
    }

    /// The payload of the first helper that panicked.
    pub fn take_panic(&self) -> Option<Payload> {
        self.panicked.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Closes the door when it is dropped, and waits until no helper is inside.
pub(super) struct CloseOnDrop<'a>(pub &'a Door);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        let mut inside = self.0.inside.fetch_or(CLOSED, Ordering::AcqRel);
        if inside & !CLOSED == 0 {
            return;
        }
        // No work is left to take, so helpers are at their last share.
        let start = Instant::now();
        while inside & !CLOSED != 0 {
            if start.elapsed() < SPIN {
                std::hint::spin_loop();
            } else {
                // The last helper to leave wakes this thread. Other code may wake it as well, so
                // the count is read again.
                std::thread::park();
            }
            inside = self.0.inside.load(Ordering::Acquire);
        }
    }
}
