//! Messages of scenes: their merge, in all the ways in which they may come, and the worlds that
//! follow.
//!
//! ```sh
//! cargo bench -p benches --bench scenes [-- merge | ways | mirror | side-by-side]
//! ```
//!
//! It prints tables. `side-by-side`, which runs only if it is named, has `@dcl/ecs` beside ours: it
//! needs node and npm.
#![allow(missing_docs, reason = "a program")]

mod batches;
#[path = "../clock.rs"]
mod clock;
mod merge;
mod mirror;
mod side_by_side;
mod subject;

use clock::{is_named, rounds};

fn main() {
    if std::env::args().any(|argument| argument == "side-by-side") {
        return side_by_side::print(rounds(1, 7));
    }
    if is_named("merge") {
        merge::print(rounds(1, 7));
    }
    if is_named("ways") {
        merge::print_ways(rounds(1, 7));
        merge::print_writes(rounds(1, 7));
    }
    if is_named("mirror") {
        mirror::print_stages(rounds(1, 7));
        mirror::print_sizes(rounds(1, 20));
        mirror::print_edits(rounds(1, 20));
        mirror::print_ties(rounds(1, 50));
        mirror::print_ring(rounds(1, 5));
    }
}
