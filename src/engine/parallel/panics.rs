//! Panics of the user's code that wait: a worker's for the calling thread, a subscriber's until all
//! entities are in the world again.

use std::{
    any::Any,
    mem::ManuallyDrop,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

/// The first panic of several calls, until it goes on.
///
/// The payloads of all others are forgotten, and so is this one if it does not go on: to drop one
/// is users' code, too. It may panic where another panic unwinds, or on a thread of the pool, and
/// so end the process.
#[derive(Default)]
pub(crate) struct Panics(Option<ManuallyDrop<Box<dyn Any + Send>>>);

impl Panics {
    /// Calls what may panic. `None` if it does.
    pub fn catch<R>(&mut self, call: impl FnOnce() -> R) -> Option<R> {
        let caught = catch_unwind(AssertUnwindSafe(call)).map_err(ManuallyDrop::new);
        caught.map_err(|payload| _ = self.0.get_or_insert(payload)).ok()
    }

    pub fn any(&self) -> bool {
        self.0.is_some()
    }

    /// Panics again, if any call did.
    pub fn go_on(self) {
        if let Some(payload) = self.0 {
            resume_unwind(ManuallyDrop::into_inner(payload));
        }
    }
}
