//! What the environment asks of random tests: more of them, or one again.

#[path = "../../src/engine/storage/tests/soak.rs"]
mod soak;

pub use soak::{Repeats, each_seed, first_seed, soak};

use legion_transform_testing::config;
use proptest::test_runner::{Config, RngSeed};

/// proptest's options for a test of so many cases, or [`soak`] times as many. Which these are
/// follows from `PROPTEST_RNG_SEED`, which `.cargo/config.toml` sets.
pub fn cases(ordinary: u32) -> Config {
    Config::with_cases(soak::cases(ordinary))
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
