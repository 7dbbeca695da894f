//! What the tests share. The judge of runs, the reference from scratch, the mirror of the list of
//! changes, and random worlds are those of `legion_transform_testing`, which users have, too.
//!
//! - [`properties`]: values that go down.
//! - [`family`]: picks of entities, for the edits of `legion_transform_testing::catalogue`.
//! - [`demand`]: more random worlds, or one again.
//! - [`caught`]: what catches a panic, where one can be caught.
//! - [`user`]: components and systems a user might add.
//! - [`test_world`]: a world with its schedule; [`checked_world`]: one of which the judge checks
//!   every run.

pub mod checked_world;
pub mod demand;
pub mod family;
#[cfg(panic = "unwind")]
pub mod panics;
pub mod properties;
pub mod rng;
pub mod test_world;
pub mod user;

pub use checked_world::CheckedWorld;
pub use family::Family;
#[cfg(panic = "unwind")]
pub use panics::caught;
pub use rng::Rng;
pub use test_world::{TestWorld, at, below, schedule, x};
pub use user::snapshot;

/// Runs something on a thread with a stack of 128 KiB, on which no function calls itself for each
/// of 10,000 levels.
pub fn on_a_small_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(128 * 1024);
        let run = thread.spawn_scoped(scope, run).expect("a thread");
        run.join().expect("it does not panic")
    })
}
