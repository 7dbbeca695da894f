//! How much work is worth waking a thread: learned from how long threads took to come.
//!
//! A thread that comes late takes a share out of the caller's cache, and the caller waits for it at
//! the end. So threads are asked only for work that takes the caller three times as long as they
//! took to come lately. With 35 us, which is usual for a thread that sleeps:
//!
//! ```text
//!  work                              one thread    threads
//!  propagate 10,050 bones            50 us         are not asked
//!  compose 100,000 T R S             140 us        are asked
//! ```
//!
//! Where a pool is awake they take 2 us to come, where the kernel wakes them late 4 ms. One refusal
//! in 256 is none, to learn whether that has changed.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// How many times as long as a thread takes to come its work has to be.
const TIMES: u64 = 3;

/// One refusal in this number is none.
const TRIED: u32 = 256;

/// What is known of the threads of a pool. Threads may overwrite each other's news: it is a guess.
#[derive(Debug)]
pub(super) struct Wake {
    /// How long threads took to come lately, in nanoseconds.
    wait: AtomicU32,
    refused: AtomicU32,
}

impl Default for Wake {
    fn default() -> Self {
        Self { wait: AtomicU32::new(15_000), refused: AtomicU32::new(0) }
    }
}

impl Wake {
    /// A thread has come, so long after it was asked.
    pub fn note(&self, took: Duration) {
        let took = u32::try_from(took.as_nanos()).unwrap_or(u32::MAX);
        let wait = self.wait.load(Ordering::Relaxed);
        self.wait.store(wait - wait / 4 + took / 4, Ordering::Relaxed);
    }

    /// Whether it pays to ask threads for this number of rows.
    pub fn pays(&self, rows: usize) -> bool {
        let work = rows as u64 * 14 / 10;
        work >= TIMES * u64::from(self.wait.load(Ordering::Relaxed))
            || self.refused.fetch_add(1, Ordering::Relaxed) % TRIED == TRIED - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pays_follows_the_threads() {
        let wake = Wake::default();
        assert!(wake.pays(33_000) && !wake.pays(20_000));
        (0..64).for_each(|_| wake.note(Duration::from_millis(4)));
        assert!(!wake.pays(1_000_000), "1.4 ms of work, and threads take 4");
        let tried = (0..TRIED).filter(|_| wake.pays(1_000_000)).count();
        assert_eq!(tried, 1, "one is tried");
        (0..64).for_each(|_| wake.note(Duration::from_micros(2)));
        assert!(wake.pays(8_192), "they are awake");
    }
}
