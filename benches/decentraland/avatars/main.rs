//! A server of 1,000 avatars and 100 clients: what a second costs, what the deltas of a tick cost
//! beside copies, and what memory an hour of joins and leaves leaves behind.
//!
//! ```sh
//! cargo bench -p benches --bench avatars [-- traffic | deltas | memory]
//! ```
//!
//! It prints tables.
#![allow(missing_docs, reason = "a program")]

#[path = "../clock.rs"]
mod clock;
mod deltas;
mod host;
mod memory;
mod traffic;

use clock::{is_named, rounds};

fn main() {
    if is_named("traffic") {
        traffic::print(rounds(1, 7));
    }
    if is_named("deltas") {
        deltas::print(rounds(2, 200));
        deltas::print_components(rounds(2, 200));
    }
    if is_named("memory") {
        memory::print(rounds(10_000, 1_000_000) as usize);
    }
}
