//! How much random tests try: as much as in an ordinary run, or what the environment asks for.

#![allow(dead_code, reason = "each binary takes what it needs")]

use std::str::FromStr;

fn number<T: FromStr>(name: &str) -> Option<T> {
    let parsed = |text: String| text.parse().ok().unwrap_or_else(|| panic!("{name}={text}"));
    std::env::var(name).ok().map(parsed)
}

/// `LEGION_TRANSFORM_SOAK` times as many: `32` asks for 32 times as many as in an ordinary run,
/// `0.01` for a hundredth, `0` for one.
pub fn soak(ordinary: usize) -> usize {
    let factor = number("LEGION_TRANSFORM_SOAK").unwrap_or(1.0);
    ((ordinary as f64 * factor) as usize).max(1)
}

/// The first seed: that of an ordinary run, or `LEGION_TRANSFORM_SEED`.
pub fn first_seed(ordinary: u64) -> u64 {
    number("LEGION_TRANSFORM_SEED").unwrap_or(ordinary)
}

/// The same, for `ProptestConfig::with_cases`.
pub fn cases(ordinary: u32) -> u32 {
    let count = soak(ordinary as usize) as u32;
    println!("{count} cases");
    count
}

/// Tries so many seeds, or `LEGION_TRANSFORM_SOAK` times as many. If one fails, it says how to
/// repeat that one alone.
pub fn each_seed(ordinary: usize, mut test: impl FnMut(u64)) {
    let (first, count) = (first_seed(0), soak(ordinary));
    println!("{count} cases");
    for seed in first..first + count as u64 {
        let _repeats = Repeats(seed);
        test(seed);
    }
}

/// Says how to repeat a seed if the test panics meanwhile.
pub struct Repeats(pub u64);

impl Drop for Repeats {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("LEGION_TRANSFORM_SOAK=0 LEGION_TRANSFORM_SEED={} repeats it", self.0);
        }
    }
}
