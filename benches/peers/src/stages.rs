//! The stages of a run, where the crate tells of them: with the feature `stages`.

use std::time::Duration;

#[cfg(feature = "stages")]
#[path = "../../clock/mod.rs"]
mod clock;

/// Whether the crate tells of them.
pub const ARE_TOLD: bool = cfg!(feature = "stages");

/// The variable by which a worker is to time them.
pub const VARIABLE: &str = "PEERS_STAGES";

/// What the name of a stage begins with, among the names of ways.
pub const PREFIX: &str = "stage ";

/// Times them from now on, if the driver wants it.
pub fn start() {
    #[cfg(feature = "stages")]
    if std::env::var_os(VARIABLE).is_some() {
        clock::start();
    }
}

/// How long each took since the last call.
pub fn take() -> Vec<(&'static str, Duration)> {
    #[cfg(feature = "stages")]
    if std::env::var_os(VARIABLE).is_some() {
        let times = clock::Times::take();
        return clock::STAGES.iter().map(|&stage| (stage, times.of(stage))).collect();
    }
    Vec::new()
}
