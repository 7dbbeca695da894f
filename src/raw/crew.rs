//! Threads that help if they come in time.
//!
//! A pool's thread that sleeps takes 20 to 100 microseconds to wake, longer than many a run needs as a whole. So the thread that
//! has the work begins at once and does whatever nobody else takes, helpers join when they are awake, and at the end only those are
//! waited for that have really begun: one that comes too late finds the work closed and never looks at it.
#![allow(unsafe_code)]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Calls `work` on this thread and on as many of the pool's as want to help, all at the same time, and returns when no
/// call is left. `work` takes its share from something that it guards itself, and returns when nothing is left to take.
///
/// # Panics
/// If a call does.
pub(crate) fn together(work: &(dyn Fn() + Sync)) {
    let helpers = rayon::current_num_threads() - 1;
    if helpers == 0 {
        return work();
    }
    // SAFETY: the reference is used between a successful `enter` and the `leave` that follows only, and `Closing` waits until nobody is in
    // between, and nobody can come any more, before this function ends in any way.
    let work: &'static (dyn Fn() + Sync) = unsafe { std::mem::transmute(work) };
    let door = Arc::new(Door::default());
    let closing = Closing(&door);
    for _ in 0..helpers {
        let door = door.clone();
        rayon::spawn(move || {
            if door.enter() {
                let _leaving = Leaving(&door);
                work();
            }
        });
    }
    work();
    drop(closing);
    assert!(door.0.load(Ordering::Acquire) & PANICKED == 0, "a helping thread panicked");
}

/// Set when nobody may enter any more.
const CLOSED: usize = 1 << (usize::BITS - 1);
/// Set when a helper panicked.
const PANICKED: usize = CLOSED >> 1;

/// How many are inside, and the two flags.
#[derive(Default)]
struct Door(AtomicUsize);

impl Door {
    fn enter(&self) -> bool {
        let one_more = |state| (state & CLOSED == 0).then_some(state + 1);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_more).is_ok()
    }
}

struct Leaving<'a>(&'a Door);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.0.fetch_or(PANICKED, Ordering::Relaxed);
        }
        self.0.0.fetch_sub(1, Ordering::Release);
    }
}

struct Closing<'a>(&'a Door);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let mut state = self.0.0.fetch_or(CLOSED, Ordering::AcqRel);
        // They are at their last share, so this is short.
        let mut looks = 0;
        while state & !(CLOSED | PANICKED) != 0 {
            if looks < 256 {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
            looks += 1;
            state = self.0.0.load(Ordering::Acquire);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::Mutex,
        thread::sleep,
        time::Duration,
    };

    use super::*;

    fn on_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
    }

    #[test]
    fn everything_is_taken_once_however_many_help() {
        for threads in [1, 2, 7] {
            for shares in [0, 1, 5, 1000] {
                let taken = on_threads(threads, || {
                    let left = Mutex::new(0..shares);
                    let taken = Mutex::new(Vec::new());
                    together(&|| {
                        loop {
                            let Some(share) = left.lock().unwrap().next() else { break };
                            taken.lock().unwrap().push(share);
                        }
                    });
                    taken.into_inner().unwrap()
                });
                let mut sorted = taken.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..shares).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn helpers_that_have_begun_are_waited_for() {
        let helped = on_threads(4, || {
            let finished = AtomicUsize::new(0);
            let begun = AtomicUsize::new(0);
            together(&|| {
                begun.fetch_add(1, Ordering::SeqCst);
                // Until somebody else is here too, so that there is somebody to wait for.
                while begun.load(Ordering::SeqCst) < 2 {
                    std::thread::yield_now();
                }
                sleep(Duration::from_millis(5));
                finished.fetch_add(1, Ordering::SeqCst);
            });
            (begun.into_inner(), finished.into_inner())
        });
        assert!(helped.0 >= 2);
        assert_eq!(helped.0, helped.1);
    }

    #[test]
    fn a_panic_comes_out_and_leaves_nobody_behind() {
        let caught = on_threads(2, || {
            let calls = AtomicUsize::new(0);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                together(&|| {
                    if calls.fetch_add(1, Ordering::SeqCst) == 0 {
                        panic!("the first one");
                    }
                });
            }));
            caught.is_err()
        });
        assert!(caught);
    }
}
