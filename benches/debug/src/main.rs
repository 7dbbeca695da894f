//! What calls cost in a debug build of a user's program, with the lines of docs/install.md: `cargo
//! run --manifest-path benches/debug/Cargo.toml`, and with `--release` for the figures beside them.
//! Words behind `--` choose rows that have one of them in their names.
//!
//! Nanoseconds a call or an entity, the least of the rounds of half a second. The rows are those of
//! `cargo bench -p benches --bench transforms -- calls`, with 300 skeletons.

use std::time::{Duration, Instant};

#[path = "../../calls/rows/mod.rs"]
mod rows;

use rows::{Row, Rows, SKELETONS};

/// The least of the rounds of half a second, or of five.
fn least(row: &Row) -> f64 {
    let (mut scene, mut times) = (None, Vec::new());
    let start = Instant::now();
    while times.len() < 5 || start.elapsed() < Duration::from_millis(500) {
        times.push(row.round(&mut scene, SKELETONS[1]).each());
    }
    times.into_iter().fold(f64::INFINITY, f64::min)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted =
        |row: &&Row| words.is_empty() || words.iter().any(|word| row.name.contains(word));
    for row in Rows::all().0.iter().filter(is_wanted) {
        println!("{:7.1}  {}", least(row), row.name);
    }
}
