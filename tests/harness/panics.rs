//! Panics that tests catch.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

/// Calls what may panic. An error is the panic's payload.
///
/// Where a panic ends the process, as on wasm32, this function is not there, so a test that catches
/// panics compiles only if it is left out there, too, by `#[cfg(panic = "unwind")]`.
pub fn caught<R>(call: impl FnOnce() -> R) -> thread::Result<R> {
    catch_unwind(AssertUnwindSafe(call))
}
