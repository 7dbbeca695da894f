//! Two worlds that edit one scene in any order of edits by hand, runs of the bundle, sends, writes,
//! packets and restarts, with limits and below a root: only edits are sent, limits hold, packets
//! keep their size, and both sides end in the same bytes and matrices.
#![no_main]

#[path = "../../tests/mirror/common/driver.rs"]
mod driver;
#[allow(dead_code)]
#[path = "../../tests/mirror/common/live.rs"]
mod live;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // Longer ones say nothing new, and take long.
    driver::drive(&data[..data.len().min(600)]);
});
