//! Every pair of edits between two runs. What falls most often lies between two things that are
//! right by themselves: an edit of a list and an insertion into its archetype, a write and a merge,
//! an edit and a subscriber that panics in it. A *window* is all that happens between two runs:
//!
//! ```text
//!  scene    3, 65, 1,000 or 10,000 parents in one archetype, with a child each     3 runs
//!  window   two or three edits of the catalogue, or runs; at a random call, an iterator or a
//!           subscriber panics, perhaps
//!  judge    a run, and another one: the rules, in `f64`; of a world that a panic inside of Legion's
//!           own edit has damaged, that every run ends and tells
//! ```
//!
//! A window follows from its number alone. `LEGION_TRANSFORM_SEED=1234` repeats window 1234,
//! `LEGION_TRANSFORM_SOAK=100000` lives through the first 100,000, every pair of edits first.

#![cfg(panic = "unwind")]

mod judge;
mod scene;
mod watchdog;
mod window;

use std::sync::atomic::{AtomicUsize, Ordering};

use harness::demand;
use window::Window;

/// Windows in `cargo test`. Far apart, so that they have all edits, sizes and panics.
const FEW: usize = 500;
const APART: usize = 7919;

#[test]
fn all_rules_hold_after_any_two_edits() {
    let soak = demand::soak();
    let numbers: Vec<usize> = match (demand::seed(), soak) {
        (Some(number), _) => vec![number as usize],
        (None, Some(count)) => (0..count as usize).collect(),
        (None, None) => (0..FEW).map(|window| window * APART).collect(),
    };
    let (next, panics) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let live = || {
        while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
            let has_panicked = Window::new(number).live(soak.is_some());
            panics.fetch_add(usize::from(has_panicked), Ordering::Relaxed);
        }
    };
    // Two worlds at once share Legion's counter of versions.
    std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(live)));
    let many = numbers.len() >= FEW;
    assert!(!many || panics.into_inner() > numbers.len() / 10, "panics are tried");
}
