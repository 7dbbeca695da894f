//! A server of 1,000 avatars and 100 clients: what a second costs, what the deltas of a tick cost
//! beside copies, and what memory an hour of joins and leaves leaves behind.
//!
//! ```sh
//! cargo bench -p benches --bench avatars [-- traffic | deltas | memory]
//! ```
//!
//! It prints tables. Without `--bench`, as `cargo test --benches` runs it, it makes one round of
//! each only.
#![allow(missing_docs, reason = "a program")]

#[path = "avatars/deltas.rs"]
mod deltas;
#[path = "avatars/memory.rs"]
mod memory;
#[path = "avatars/traffic.rs"]
mod traffic;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |argument: &str| arguments.iter().any(|given| given == argument);
    let is_short = !has("--bench") || has("--test");
    let only =
        |part| !["traffic", "deltas", "memory"].iter().any(|&other| other != part && has(other));
    if only("traffic") {
        traffic::measure(if is_short { 1 } else { 7 });
    }
    if only("deltas") {
        deltas::measure(if is_short { 2 } else { 200 });
        deltas::measure_components(if is_short { 2 } else { 200 });
    }
    if only("memory") {
        memory::measure(if is_short { 10_000 } else { 1_000_000 });
    }
}
