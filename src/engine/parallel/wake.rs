//! How much work is worth waking a thread: learned from how long threads took to come.
//!
//! A thread that comes late takes a share out of the caller's cache, and the caller waits for it at
//! the end. So threads are asked only for work that takes the caller three times as long as they
//! mostly take to come. For example, with 35 us:
//!
//! ```text
//!  work                              one thread    threads
//!  propagate 10,050 bones            50 us         are not asked
//!  compose 100,000 T R S             140 us        are asked
//! ```
//!
//! How long they take differs from machine to machine and from wait to wait ("Threads" in
//! docs/measurements.md). So it is guessed, and the guess follows the median: it grows by a quarter
//! if a thread took longer, else it falls by a quarter. Work of 300 us is always shared, as a late
//! thread costs it little. Every 64th refusal becomes a yes, to learn whether threads come faster
//! now.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// How many times as long as a thread takes to come its work has to be.
const TIMES: u64 = 3;

/// One refusal in this number becomes a yes.
const TRIED: u32 = 64;

/// The least and the greatest guess, in nanoseconds.
const LIMITS: [u32; 2] = [1_000, 100_000];

/// A guess at the threads of a pool. Threads may overwrite each other's guess.
#[derive(Debug)]
pub(super) struct Wake {
    /// How long threads mostly take to come, in nanoseconds.
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
        let wait = self.wait.load(Ordering::Relaxed);
        let is_longer = took.as_nanos() > u128::from(wait);
        let guess = if is_longer { wait + wait / 4 } else { wait - wait / 4 };
        self.wait.store(guess.clamp(LIMITS[0], LIMITS[1]), Ordering::Relaxed);
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
        (0..64).for_each(|_| wake.note(Duration::from_micros(35)));
        assert!(wake.pays(100_000) && !wake.pays(40_000), "they sleep");
        (0..64).for_each(|i| wake.note(Duration::from_micros(if i % 4 == 0 { 4_000 } else { 35 })));
        assert!(wake.pays(100_000), "one in four is late");
        (0..64).for_each(|_| wake.note(Duration::from_millis(4)));
        assert!(wake.pays(215_000), "301 us of work");
        let tried = (0..TRIED).filter(|_| wake.pays(200_000)).count();
        assert_eq!(tried, 1, "one is tried");
        (0..64).for_each(|_| wake.note(Duration::from_micros(2)));
        assert!(wake.pays(8_192), "they are awake");
    }
}
