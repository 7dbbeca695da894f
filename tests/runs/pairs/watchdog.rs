//! Ends the process when a run does not.

use std::{
    sync::mpsc::{RecvTimeoutError, channel},
    time::Duration,
};

/// Calls `run`. If that takes longer than `limit`, prints what it was and ends the process.
pub fn watched<R>(what: &str, limit: Duration, run: impl FnOnce() -> R) -> R {
    let (ended, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                eprintln!("{what}: a run has not ended after {limit:?}");
                std::process::abort();
            }
        });
        let result = run();
        drop(ended);
        result
    })
}
