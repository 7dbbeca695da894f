//! Every pair of edits between two runs, and each edit cut short. What falls most often lies
//! between two things that are right by themselves: an edit of a list and an insertion into its
//! archetype, a write and a merge, an edit and a subscriber that panics in it. A *window* is all
//! that happens between two runs:
//!
//! ```text
//!  scene    3, 65, 1,000 or 10,000 parents in one archetype, with a child each     3 runs
//!  window   two or three edits of the catalogue, or runs; at a random call, an iterator or a
//!           subscriber panics, perhaps
//!  judge    a run, and another one: the rules, in `f64`; of a world that a panic inside of Legion's
//!           own edit has damaged, that every run ends and tells
//! ```
//!
//! A window follows from its number alone.

#![cfg(panic = "unwind")]

mod judge;
mod scene;
mod watchdog;
mod window;

use std::sync::atomic::{AtomicUsize, Ordering};

use harness::demand;
use legion_transform_testing::catalogue::{EDITS, Sort};
use window::Window;

/// Windows that are tried lie so far apart, so that few of them have all edits, sizes and panics. It
/// is a prime, so that as many as there are pairs of edits have every pair.
const APART: usize = 7919;

#[test]
fn all_rules_hold_after_any_two_edits() {
    let (first, count) = (demand::first_seed(0) as usize, demand::soak(120));
    let (next, panics) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let live = || {
        let turns = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        for turn in turns.take_while(|turn| *turn < count) {
            let number = first + turn * APART;
            let _repeats = demand::Repeats(number as u64);
            let lived = Window::new(number).live();
            panics.fetch_add(usize::from(lived.panicked), Ordering::Relaxed);
        }
    };
    // Two worlds at once share Legion's counter of versions.
    std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(live)));
    let panics = panics.into_inner();
    println!("{count} windows, {panics} with a panic");
    assert!(count < 100 || panics > count / 10, "panics are tried");
}

/// Many rows take long, and few windows have them.
#[test]
fn all_rules_hold_after_two_edits_among_many_rows() {
    demand::each_seed(1, |number| _ = Window::with_rows(number as usize, 10_000).live());
}

/// A subscriber panics at each event of each edit in turn: once, and in a second turn at all events
/// from there on.
#[test]
fn all_rules_hold_after_an_edit_that_is_cut_short() {
    let mut cut = 0;
    for edit in EDITS.iter().filter(|edit| edit.sort != Sort::Merge) {
        // What is moved is put back where it was, which fails if the subscriber panics again.
        let moves =
            ["parent", "despawn", "detach", "_to_world", "around", "look_at", "insert_child"];
        let is_own = edit.sort == Sort::Own;
        let spawns = is_own && !moves.iter().any(|it| edit.name.contains(it));
        let turns = if spawns { &[false, true][..] } else { &[false] };
        for (number, &lasts) in (0..4).flat_map(|number| turns.iter().map(move |it| (number, it))) {
            let window = |at| Window::cut_short(edit, number, false, at);
            let live = |at| window(at).lasting(lasts).live();
            let grown = live(0).grown;
            let is_one_call = spawns && !edit.name.contains(", ");
            for lived in (1..).map(live).take_while(|lived| lived.panicked) {
                let is_whole = [0, grown].contains(&lived.grown);
                assert!(is_whole || !is_one_call, "{}: all rows or none", edit.name);
                cut += 1;
            }
        }
    }
    assert!(cut > 500, "{cut}");
}

/// The same in the run behind each edit.
#[test]
fn all_rules_hold_after_a_run_that_is_cut_short() {
    let mut cut = 0;
    for edit in EDITS.iter().filter(|edit| edit.sort != Sort::Merge) {
        for number in 0..2 {
            let live = |at: &usize| Window::cut_short(edit, number, true, *at).live().panicked;
            cut += (1..).take_while(live).count();
        }
    }
    assert!(cut > 100, "{cut}");
}
