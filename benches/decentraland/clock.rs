//! How long steps take, in tables: the best of some rounds, since whatever else runs on the machine
//! only ever adds.

use std::{env::args, time::Instant};

/// The rounds of a bench, or `short` in a run that only shows that the bench runs.
pub fn rounds(short: u32, long: u32) -> u32 {
    let has = |argument: &str| args().any(|given| given == argument);
    if has("--bench") && !has("--test") { long } else { short }
}

/// Whether the command line names a part of the bench, or none, which means all.
pub fn is_named(part: &str) -> bool {
    let mut names = args().skip(1).filter(|argument| !argument.starts_with("--")).peekable();
    names.peek().is_none() || names.any(|name| name == part)
}

/// The least of each column, of so many rounds.
pub fn best<const N: usize>(rounds: u32, round: impl FnMut(u32) -> [f64; N]) -> [f64; N] {
    let least = |best: [f64; N], times: [f64; N]| std::array::from_fn(|at| best[at].min(times[at]));
    (0..rounds).map(round).fold([f64::INFINITY; N], least)
}

/// Adds the nanoseconds of a step to a sum, and returns what the step returns.
pub fn timed<T>(sum: &mut f64, step: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = step();
    *sum += start.elapsed().as_nanos() as f64;
    result
}

/// The nanoseconds of a step.
pub fn nanoseconds(step: impl FnOnce()) -> f64 {
    let mut sum = 0.0;
    timed(&mut sum, step);
    sum
}

/// Begins a table: its numbers, and the names of its columns with ` | ` between them.
pub fn head(numbers: &str, columns: &str) {
    let others = " ---: |".repeat(columns.matches(" | ").count());
    println!("\n{numbers}\n\n| {columns} |\n| --- |{others}");
}

/// A row of a table.
pub fn row<const N: usize>(name: impl std::fmt::Display, numbers: [f64; N]) {
    let numbers = numbers.map(|number| format!("{number:.1}"));
    println!("| {name} | {} |", numbers.join(" | "));
}
