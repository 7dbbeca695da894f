//! What the environment asks of random tests: more of them, or one again.

use legion_transform_testing::config;
use proptest::test_runner::{Config, RngSeed};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|number| number.parse().expect("a number"))
}

/// `LEGION_TRANSFORM_SOAK=<so many>`: of what, each test says.
pub fn soak() -> Option<u64> {
    number("LEGION_TRANSFORM_SOAK")
}

/// `LEGION_TRANSFORM_SEED=<seed>`: that one alone.
pub fn seed() -> Option<u64> {
    number("LEGION_TRANSFORM_SEED")
}

/// Says how to repeat a seed if the test panics meanwhile.
pub struct Repeats(pub u64);

impl Drop for Repeats {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("LEGION_TRANSFORM_SEED={} repeats it", self.0);
        }
    }
}

/// proptest's options for a test of so many cases, or as many as `PROPTEST_CASES` says. Which these
/// are follows from `PROPTEST_RNG_SEED`, which `.cargo/config.toml` sets.
pub fn cases(default: u32) -> Config {
    let cases = number("PROPTEST_CASES").map_or(default, |cases| cases as u32);
    Config { cases, ..Config::default() }
}

/// proptest's options for the one world of a seed. If it fails it is shrunk for a minute, or as
/// many milliseconds as `PROPTEST_MAX_SHRINK_TIME` says.
pub fn one_world(seed: u64) -> Config {
    let mut config = Config { cases: 1, rng_seed: RngSeed::Fixed(seed), ..config() };
    if config.max_shrink_time == 0 {
        config.max_shrink_time = 60_000;
    }
    config
}
