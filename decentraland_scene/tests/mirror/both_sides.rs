//! Edits on both sides, runs, messages, restarts and limits in any order: both sides end alike.
//!
//! `SOAK=100000 cargo test --release --test mirror both_sides::`
//! takes that many cases.

use crate::common::driver::drive;
use proptest::prelude::*;

fn cases() -> u32 {
    std::env::var("SOAK").map_or(300, |cases| cases.parse().expect("SOAK is a number of cases"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn both_sides_end_alike(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        drive(&bytes);
    }
}
