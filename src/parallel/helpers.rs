//! Threads that help if they come in time.
//!
//! A pool's thread that sleeps takes 20 to 100 microseconds to wake, longer than many a run needs
//! as a whole. So the thread that has the work begins at once and does whatever is left to take,
//! helpers join when they are awake, and at the end only those are waited for that have really
//! begun: one that comes too late finds the work closed and never looks at it.
//!
//! A wait spins for about as long as a share takes, and then sleeps: a thread that yields instead
//! gives its slice of time to whatever else runs on its core, again and again, while the helper
//! waits for a slice of its own.
#![allow(unsafe_code)]

use std::{
    any::Any,
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::Thread,
    time::{Duration, Instant},
};

use rayon::ThreadPool;

use super::Side;
use crate::accelerators::Accelerator;

/// How long a wait spins before it sleeps.
pub(crate) const SPIN: Duration = Duration::from_micros(50);

thread_local! {
    /// The pool that helps this thread, instead of the one it belongs to or of rayon's global one.
    static POOL: RefCell<Option<Arc<ThreadPool>>> = const { RefCell::new(None) };
}

/// Runs something that is helped by this pool; on the calling thread, as handing it over to a
/// sleeping thread takes longer than many runs.
pub(crate) fn on_pool<R>(pool: Option<Arc<ThreadPool>>, run: impl FnOnce() -> R) -> R {
    struct Restore(Option<Arc<ThreadPool>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            POOL.replace(self.0.take());
        }
    }
    let _restore = Restore(POOL.replace(pool));
    run()
}

/// Calls `work` on this thread, and on each thread of the pool that comes in time, all at once, and
/// returns when no call is left. `work` takes its share from something that it guards itself,
/// and returns when nothing is left to take.
///
/// # Panics
/// If a call does, with what it panicked with.
pub(crate) fn together(work: &(dyn Fn(Side) + Sync)) {
    let pool = POOL.with_borrow(Option::clone);
    let helpers =
        pool.as_ref().map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads())
            - 1;
    if helpers == 0 || !Accelerator::Threads.is_on() {
        return work(Side::First);
    }
    with_helpers(work, helpers, |helper| match &pool {
        Some(pool) => pool.spawn(move || helper.help()),
        None => rayon::spawn(move || helper.help()),
    });
}

fn with_helpers(work: &(dyn Fn(Side) + Sync), helpers: usize, spawn: impl Fn(Helper)) {
    // SAFETY: only the lifetime of a raw pointer changes, which promises nothing by itself: see
    // `Helper`.
    let work_ptr = unsafe {
        std::mem::transmute::<*const Work<'_>, *const Work<'static>>(std::ptr::from_ref(work))
    };
    let door = Arc::new(Door::new());
    let closing = Closing(&door);
    for _ in 0..helpers {
        spawn(Helper { work: work_ptr, door: door.clone() });
    }
    work(Side::First);
    drop(closing);
    let panicked = door.panicked.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(payload) = panicked {
        resume_unwind(payload);
    }
}

type Work<'a> = dyn Fn(Side) + Sync + 'a;

/// The work on its way to a thread that may help. A pointer and not a reference, as a late helper
/// still holds it when the work is gone.
struct Helper {
    work: *const Work<'static>,
    door: Arc<Door>,
}

// SAFETY: what it points to is `Sync`, and is touched only by a helper that has entered.
unsafe impl Send for Helper {}

impl Helper {
    fn help(self) {
        if !self.door.enter() {
            return;
        }
        // SAFETY: between a successful `enter` and the `leave` that follows, the function that has
        // the work has not returned: `Closing` waits, in whatever way it ends, until no helper is
        // in between and none can come in any more. So the work is alive.
        let work = unsafe { &*self.work };
        // A panic must not come out of here, as the pool would abort the process.
        self.door.leave(catch_unwind(AssertUnwindSafe(|| work(Side::Last))).err());
    }
}

/// Set when nothing may enter any more.
const CLOSED: usize = 1 << (usize::BITS - 1);

/// What the helpers share.
struct Door {
    /// How many are inside, and [`CLOSED`].
    inside: AtomicUsize,
    /// Sleeps until the last one has left.
    caller: Thread,
    /// What the first helper that panicked did so with.
    panicked: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Door {
    fn new() -> Self {
        Self {
            inside: AtomicUsize::new(0),
            caller: std::thread::current(),
            panicked: Mutex::new(None),
        }
    }

    fn enter(&self) -> bool {
        let one_more = |inside| (inside & CLOSED == 0).then_some(inside + 1);
        self.inside.fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_more).is_ok()
    }

    fn leave(&self, panicked: Option<Box<dyn Any + Send>>) {
        if let Some(payload) = panicked {
            self.panicked.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
        }
        if self.inside.fetch_sub(1, Ordering::Release) == CLOSED | 1 {
            self.caller.unpark();
        }
    }
}

struct Closing<'a>(&'a Door);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let mut inside = self.0.inside.fetch_or(CLOSED, Ordering::AcqRel);
        if inside & !CLOSED == 0 {
            return;
        }
        // They are at their last share.
        let start = Instant::now();
        while inside & !CLOSED != 0 {
            if start.elapsed() < SPIN {
                std::hint::spin_loop();
            } else {
                // The last one to leave wakes this thread. Anything else may wake it, too, so
                // `inside` is read again.
                std::thread::park();
            }
            inside = self.0.inside.load(Ordering::Acquire);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{thread::sleep, time::Duration};

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
                    together(&|_| {
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
            let caller = std::thread::current().id();
            together(&|side| {
                assert_eq!(side == Side::First, std::thread::current().id() == caller);
                begun.fetch_add(1, Ordering::SeqCst);
                // Until a helper is here too, so that there is one to wait for.
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

    /// Whichever thread panics, the panic comes out of the caller, with what it carried.
    #[test]
    fn a_panic_of_a_helper_comes_out_of_the_caller() {
        let caught = on_threads(3, || {
            let caller = std::thread::current().id();
            let begun = AtomicUsize::new(0);
            catch_unwind(AssertUnwindSafe(|| {
                together(&|_| {
                    begun.fetch_add(1, Ordering::SeqCst);
                    if std::thread::current().id() != caller {
                        panic!("a helper's own words");
                    }
                    // Until a helper is here too.
                    while begun.load(Ordering::SeqCst) < 2 {
                        std::thread::yield_now();
                    }
                });
            }))
        });
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"a helper's own words"));
    }

    /// A helper that comes when the work is gone must not even hold a reference to it, which Miri
    /// reports. (On plain threads, as the pool itself does not pass all of Miri's models.)
    #[test]
    fn helpers_that_come_too_late_touch_nothing_on_plain_threads() {
        let threads = Mutex::new(Vec::new());
        for round in 0..10 {
            let work = Box::new(AtomicUsize::new(0));
            let call = |_| {
                work.fetch_add(1, Ordering::Relaxed);
            };
            with_helpers(&call, 2, |helper| {
                threads.lock().unwrap().push(std::thread::spawn(move || {
                    if round % 2 == 0 {
                        sleep(Duration::from_millis(1));
                    }
                    helper.help();
                }));
            });
            assert!((1..=3).contains(&work.load(Ordering::Relaxed)));
            drop(work);
        }
        threads.into_inner().unwrap().into_iter().for_each(|thread| thread.join().unwrap());
    }

    #[test]
    fn a_panic_comes_out_and_nothing_is_left_behind() {
        let caught = on_threads(2, || {
            let calls = AtomicUsize::new(0);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                together(&|_| {
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
