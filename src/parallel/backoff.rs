//! When asking for help does not pay: on a machine whose cores are all busy with other work.
//!
//! A helper that is preempted in the middle of its share cannot be hurried: the caller waits until
//! the kernel lets it run again, several milliseconds where the whole work takes one. So a caller
//! that has waited longer for its helpers than it has worked itself does the next works alone, and
//! twice as many each time it is disappointed again: up to [`MOST`], about the number of works in a
//! second of a game. Help in time saves a part of the work, and a disappointment costs several
//! times the work: so one of the latter is worth many of the former.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// How many works are done alone after the first disappointment, and how many at most.
const FIRST: u32 = 4;
const MOST: u32 = 256;

/// How long a wait is never a disappointment: about what a share takes.
const SHARE: Duration = Duration::from_micros(100);

/// What has been seen of helpers lately, by all threads of the process: they share its cores.
pub(super) struct Backoff {
    /// How many works are still to be done alone.
    alone: AtomicU32,
    /// How many were to be done alone after the last disappointment.
    last: AtomicU32,
}

impl Backoff {
    pub const fn new() -> Self {
        Self { alone: AtomicU32::new(0), last: AtomicU32::new(0) }
    }

    /// Whether to ask for help now.
    pub fn asks(&self) -> bool {
        // Threads that come here at the same time may count one work for two, which is no harm.
        let alone = self.alone.load(Ordering::Relaxed);
        self.alone.store(alone.saturating_sub(1), Ordering::Relaxed);
        alone == 0
    }

    /// Takes note of how long a caller worked, and then waited for helpers that had begun. Without
    /// helpers there is nothing to learn.
    pub fn note(&self, worked: Duration, waited: Duration) {
        let last = self.last.load(Ordering::Relaxed);
        if waited > worked.max(SHARE) {
            let next = (last * 2).clamp(FIRST, MOST);
            self.last.store(next, Ordering::Relaxed);
            self.alone.store(next, Ordering::Relaxed);
        } else if last > 0 {
            self.last.store(last * 7 / 8, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: Duration = Duration::from_millis(1);
    const LONG: Duration = Duration::from_millis(3);

    /// How many works are done alone before helpers are called again.
    fn alone(backoff: &Backoff) -> u32 {
        (0..).find(|_| backoff.asks()).expect("it asks again")
    }

    #[test]
    fn disappointments_double_what_is_done_alone_up_to_a_bound() {
        let backoff = Backoff::new();
        assert_eq!(alone(&backoff), 0);
        let seen: Vec<u32> = (0..8)
            .map(|_| {
                backoff.note(WORK, LONG);
                alone(&backoff)
            })
            .collect();
        assert_eq!(seen, [4, 8, 16, 32, 64, 128, 256, 256]);
    }

    #[test]
    fn helpers_in_time_are_trusted_again() {
        let backoff = Backoff::new();
        (0..8).for_each(|_| backoff.note(WORK, LONG));
        alone(&backoff);
        (0..40).for_each(|_| backoff.note(WORK, WORK / 2));
        assert_eq!(alone(&backoff), 0);
        backoff.note(WORK, LONG);
        assert_eq!(alone(&backoff), FIRST);
    }

    #[test]
    fn a_share_is_waited_for() {
        let backoff = Backoff::new();
        backoff.note(SHARE / 10, SHARE / 2);
        assert_eq!(alone(&backoff), 0);
    }
}
