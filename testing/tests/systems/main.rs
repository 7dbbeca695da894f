//! A user's systems, each once as it should be and once with a mistake, which the kit finds. The
//! documentation shows three of these files, and what the failing tests print.
//!
//! Each right one is tried with ordinary numbers, and with extreme ones: there is no false alarm.
#![cfg(not(target_family = "wasm"))]

mod camera;
mod carrier;
mod clock;
mod importer;
mod joint;
mod replication;
#[path = "../../../src/engine/storage/tests/soak.rs"]
mod soak;
mod turret;

use std::panic::{AssertUnwindSafe, catch_unwind};

use legion::*;
use legion_transform::prelude::*;
use legion_transform_testing::{Check, Histories, Values, config, edits};
use proptest::test_runner::{Config, RngSeed};

/// The worlds on which a system is tried.
#[derive(Clone, Copy)]
struct Trial {
    seed: u64,
    extremes: bool,
    /// One in so many of the usual cases is tried.
    one_in: u32,
}

impl Trial {
    const ORDINARY: Self = Self { seed: 0, extremes: false, one_in: 1 };

    fn check(self) -> Check {
        Check::default().config(self.config())
    }

    fn config(self) -> Config {
        let config = config();
        let (cases, rng_seed) = (config.cases / self.one_in, RngSeed::Fixed(self.seed));
        Config { cases, rng_seed, ..config }
    }

    fn values(self) -> Values {
        match self.extremes {
            true => Values::default().extremes(),
            false => Values::default(),
        }
    }

    fn edits(self) -> Histories {
        let edits = edits().values(self.values());
        // One large world is enough.
        if self.extremes { edits.most(100) } else { edits }
    }
}

/// Tries a right system: nothing is found.
fn is_right(system: impl Fn(Trial)) {
    soak::each_seed(1, |seed| {
        // With extreme numbers many properties hold for nothing.
        for (extremes, one_in) in [(false, 4), (true, 16)] {
            system(Trial { seed, extremes, one_in });
        }
    });
}

/// The message with which a test fails.
fn found(test: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(test)).expect_err("the mistake is found");
    let text = panic.downcast_ref::<String>().expect("a panic with a message");
    text.trim().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Tries a system with a mistake: the message says so, in at most 15 lines.
fn is_found(what: &str, system: impl Fn(Trial)) {
    let text = found(|| system(Trial::ORDINARY));
    assert!(text.lines().count() <= 15 && text.contains(what), "another message:\n{text}");
}

/// The message of a test that must fail: at most 15 lines, and what the documentation shows.
fn assert_fails(shown: &str, test: impl FnOnce()) {
    let text = found(test);
    assert!(text.lines().count() <= 15, "too long:\n{text}");
    assert!(text == shown, "the documentation shows another message than\n{text}");
}

/// Whether no world matrix is flat or has very large numbers. In other worlds an `f32` cannot keep
/// what these systems promise; what the kit looks at holds in all.
fn is_ordinary(world: &World) -> bool {
    let mut matrices = <&LocalToWorld>::query();
    matrices.iter(world).all(|it| it.0.amax() < 1e6 && it.0.determinant().abs() > 1e-9)
}

/// Whether two numbers are the same but for rounding, relative to `size`.
fn is_near(a: f32, b: f32, size: f32) -> bool {
    (a - b).abs() <= 1e-4 * (1.0 + size)
}
