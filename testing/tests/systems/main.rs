//! Three systems of users', each once as it should be and once with a bug, which the kit finds. The
//! documentation shows these files, and what the failing tests print.
#![cfg(not(target_family = "wasm"))]

mod importer;
mod replication;
mod turret;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The message of a test that must fail: at most 15 lines, and what the documentation shows.
fn assert_fails(shown: &str, test: impl FnOnce()) {
    let panic = catch_unwind(AssertUnwindSafe(test)).expect_err("the bug is found");
    let text = panic.downcast_ref::<String>().expect("a panic with a message");
    let text: String = text.trim().lines().map(|line| format!("{}\n", line.trim_end())).collect();
    assert!(text.lines().count() <= 15, "too long:\n{text}");
    assert!(text == shown, "the documentation shows another message than\n{text}");
}
