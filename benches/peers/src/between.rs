//! What a program does between two runs, besides the edit.

use std::{hint::black_box, time::Duration};

/// What comes between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Nothing: threads are awake, and the inputs lie in the cache of the calling thread.
    Nothing,
    /// 64 MiB are touched before the edit, so that everything leaves the cache.
    Cold,
    /// All sleep for 16 ms, behind the edit.
    Asleep,
}

/// The variable that names it to a worker.
pub const VARIABLE: &str = "PEERS_BETWEEN";

/// What a worker does between its runs.
pub struct Others {
    between: Between,
    words: Vec<u64>,
}

impl Others {
    /// What the driver named.
    pub fn from_environment() -> Self {
        let between = match std::env::var(VARIABLE).as_deref() {
            Ok("Cold") => Between::Cold,
            Ok("Asleep") => Between::Asleep,
            _ => Between::Nothing,
        };
        let mebibytes = if between == Between::Cold { 64 } else { 0 };
        Self { between, words: vec![1; (mebibytes << 20) / size_of::<u64>()] }
    }

    pub fn before_edit(&mut self) {
        black_box(&mut self.words).iter_mut().for_each(|word| *word += 1);
    }

    pub fn before_run(&self) {
        if self.between == Between::Asleep {
            std::thread::sleep(Duration::from_millis(16));
        }
    }
}
