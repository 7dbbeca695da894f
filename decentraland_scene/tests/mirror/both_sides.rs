//! Edits on both sides, runs, messages, restarts and limits in any order: both sides end alike.

use crate::{common::driver::drive, soak::cases};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(150)))]

    #[test]
    fn both_sides_end_alike(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        drive(&bytes);
    }
}
