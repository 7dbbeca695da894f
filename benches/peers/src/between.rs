//! What a program does between two runs, besides the edit.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use rayon::prelude::*;

/// What comes between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Nothing: threads are awake, and the inputs lie in the cache of the calling thread.
    Nothing,
    /// 64 MiB are touched before the edit, so that everything leaves the cache.
    Cold,
    /// All sleep for 16 ms, behind the edit.
    Asleep,
    /// The caller works for about 5 ms on 16 MiB behind the edit, and the pool falls asleep.
    Busy,
    /// Others have the pool work on 16 MiB, behind the edit.
    Pool,
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
        use Between::{Asleep, Busy, Cold, Nothing, Pool};
        let name = std::env::var(VARIABLE).unwrap_or_default();
        let is_named = |it: &Between| format!("{it:?}") == name;
        let between = [Cold, Asleep, Busy, Pool].into_iter().find(is_named).unwrap_or(Nothing);
        let mebibytes = match between {
            Nothing | Asleep => 0,
            Cold => 64,
            Busy | Pool => 16,
        };
        Self { between, words: vec![1; (mebibytes << 20) / size_of::<u64>()] }
    }

    pub fn before_edit(&mut self) {
        if self.between == Between::Cold {
            self.words().iter_mut().for_each(step);
        }
    }

    pub fn before_run(&mut self) {
        match self.between {
            Between::Nothing | Between::Cold => {}
            Between::Asleep => std::thread::sleep(Duration::from_millis(16)),
            Between::Busy => {
                let start = Instant::now();
                while start.elapsed() < Duration::from_millis(5) {
                    self.words().iter_mut().for_each(step);
                }
            }
            Between::Pool => {
                self.words().par_chunks_mut(1 << 16).for_each(|it| it.iter_mut().for_each(step));
            }
        }
    }

    fn words(&mut self) -> &mut [u64] {
        black_box(&mut self.words)
    }
}

fn step(word: &mut u64) {
    *word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
}
