//! How long steps take: the best of some rounds, since whatever else runs on the machine only ever
//! adds.

use std::time::Instant;

/// The rounds that are asked for, or `short` in a run that only shows that the bench runs.
pub fn rounds(short: u32, long: u32) -> u32 {
    let has = |argument: &str| std::env::args().any(|given| given == argument);
    if has("--bench") && !has("--test") { long } else { short }
}

/// Whether a part of the bench is asked for: by its name, or all of them by no name.
pub fn is_asked_for(part: &str) -> bool {
    let names = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let names: Vec<String> = names.collect();
    names.is_empty() || names.iter().any(|name| name == part)
}

/// The least of each column, of so many rounds.
pub fn best<const N: usize>(rounds: u32, mut round: impl FnMut(u32) -> [f64; N]) -> [f64; N] {
    let mut best = [f64::INFINITY; N];
    for number in 0..rounds {
        for (best, time) in best.iter_mut().zip(round(number)) {
            *best = best.min(time);
        }
    }
    best
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
