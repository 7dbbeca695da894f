//! Threads that help if they come in time.
//!
//! A sleeping thread takes longer to wake than many a run takes. So the calling thread begins at
//! once and takes one share after the other. Workers join when they are awake. At the end the
//! caller waits only for workers that have begun: a later one finds the [latch](super::latch)
//! closed.
//!
//! Late workers stay in the pool's queue. So a bundle limits them: with a pool of 8 threads each
//! call asks for 7, until 224 are queued.
//!
//! A wait spins for about the time of a share, and then sleeps. To yield instead would give time to
//! other programs.
#![allow(unsafe_code)]

use std::sync::{Arc, Mutex, MutexGuard};

use rayon::ThreadPool;

use super::{
    BLOCK, Panics, Side,
    latch::{CloseOnDrop, Latch},
    pace::Pace,
};

/// How many workers stand in a pool's queue, for each that a call asks for, before calls ask for
/// none. A thread that wakes late finds those of earlier calls first, and then one that is in time.
const QUEUED: usize = 32;

/// Whether the target has a clock and threads that may wait: not in browsers, where
/// [`Instant::now`] panics, whatever threads a pool has.
const CAN_WAIT: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// Where workers come from.
#[derive(Default)]
pub(crate) struct Threads {
    /// The pool. Without it, the calling thread's own pool helps, or rayon's global one.
    pub pool: Option<Arc<ThreadPool>>,
    /// Whether there are none, whatever the pool.
    are_none: bool,
    /// Each worker that is queued or helps has a clone. So the number of clones says how long the
    /// queue is.
    queued: Arc<()>,
    /// Whether they make runs faster.
    pace: Mutex<Pace>,
}

impl Threads {
    /// No threads but the calling one.
    pub fn none() -> Self {
        Self { are_none: true, ..Self::default() }
    }

    /// These threads, if this run is faster [with them](super::pace) and there is more than one
    /// block of rows to share.
    pub fn paying(&self, rows: usize) -> Option<&Self> {
        let may_pay = rows > BLOCK && !self.are_none && CAN_WAIT && self.workers() > 0;
        (may_pay && self.pace().pays(rows)).then_some(self)
    }

    /// A run ends, and its time counts.
    pub fn end_run(&self) {
        self.pace().end_run();
    }

    /// How many threads help.
    fn workers(&self) -> usize {
        let threads = self.pool.as_ref().map(|pool| pool.current_num_threads());
        threads.unwrap_or_else(rayon::current_num_threads) - 1
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().expect("nothing panics with the lock")
    }

    /// Calls `work` on this thread, and at the same time on each thread of the pool that comes in
    /// time, but on no more threads than there are `shares`. Returns when all calls have returned.
    /// `work` takes shares from a queue that it locks itself, and returns when no share is left.
    ///
    /// A pool of n threads adds n - 1 workers, because the calling thread works, too: it does not
    /// run in the pool, as waking a thread takes longer than many a run.
    ///
    /// # Panics
    /// If a call panics, with the same payload.
    pub fn together(&self, shares: usize, work: &(dyn Fn(Side) + Sync)) {
        let workers = self.workers();
        if Arc::strong_count(&self.queued) > QUEUED * workers {
            return work(Side::First);
        }
        let workers = workers.min(shares.saturating_sub(1));
        with_helpers(work, workers, &self.queued, |worker| match &self.pool {
            Some(pool) => pool.spawn(move || worker.help()),
            None => rayon::spawn(move || worker.help()),
        });
    }
}

/// [`Threads::together`], with the given number of workers.
fn with_helpers(
    work: &(dyn Fn(Side) + Sync),
    workers: usize,
    queued: &Arc<()>,
    spawn: impl Fn(Worker),
) {
    // SAFETY: only the lifetime of a raw pointer changes, which promises nothing by itself.
    // `Worker` says when it may be followed.
    let work_ptr = unsafe {
        std::mem::transmute::<*const Call<'_>, *const Call<'static>>(std::ptr::from_ref(work))
    };
    let latch = Arc::new(Latch::new());
    let closing = CloseOnDrop(&latch);
    for _ in 0..workers {
        spawn(Worker { work: work_ptr, latch: latch.clone(), _queued: queued.clone() });
    }
    work(Side::First);
    drop(closing);
    std::mem::take(&mut *latch.panics()).go_on();
}

type Call<'a> = dyn Fn(Side) + Sync + 'a;

/// The work on its way to a thread that may help. A pointer and not a reference, because a late
/// worker still holds it when the work is gone.
struct Worker {
    work: *const Call<'static>,
    latch: Arc<Latch>,
    /// Counts this worker; see [`Threads`].
    _queued: Arc<()>,
}

// SAFETY: the work is `Sync`, and only a worker that has entered touches it. One that is dropped
// before, or finds the latch closed, does not. The other fields are `Send` by themselves.
unsafe impl Send for Worker {}

impl Worker {
    fn help(self) {
        if !self.latch.enter() {
            return;
        }
        // SAFETY: the work lives until `with_helpers` returns or unwinds. Both drop `CloseOnDrop`,
        // which closes the latch and waits until all workers that entered have left. This one has
        // entered and not left, so the work is alive.
        let work = unsafe { &*self.work };
        // A panic must not leave this function: the pool would abort the process.
        let mut panics = Panics::default();
        panics.catch(|| work(Side::Last));
        self.latch.leave(panics);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Mutex,
            atomic::{AtomicUsize, Ordering},
        },
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
                    Threads::default().together(usize::MAX, &|_| {
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
            Threads::default().together(usize::MAX, &|side| {
                assert_eq!(side == Side::First, std::thread::current().id() == caller);
                begun.fetch_add(1, Ordering::SeqCst);
                // Until a worker is here too, so that there is one to wait for.
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

    /// The caller resumes a worker's panic, with its payload.
    #[cfg(panic = "unwind")]
    #[test]
    fn a_panic_of_a_helper_comes_out_of_the_caller() {
        let caught = on_threads(3, || {
            let caller = std::thread::current().id();
            let begun = AtomicUsize::new(0);
            crate::caught(|| {
                Threads::default().together(usize::MAX, &|_| {
                    begun.fetch_add(1, Ordering::SeqCst);
                    if std::thread::current().id() != caller {
                        panic!("a worker's own words");
                    }
                    // Until a worker is here too.
                    while begun.load(Ordering::SeqCst) < 2 {
                        std::thread::yield_now();
                    }
                });
            })
        });
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"a worker's own words"));
    }

    /// All calls panic, with payloads that panic when they are dropped. One comes out.
    #[cfg(panic = "unwind")]
    #[test]
    fn payloads_that_do_not_come_out_are_forgotten() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("a payload is dropped");
            }
        }
        let caught = on_threads(4, || {
            let begun = AtomicUsize::new(0);
            crate::caught(|| {
                Threads::default().together(usize::MAX, &|_| {
                    begun.fetch_add(1, Ordering::SeqCst);
                    // Until two workers are here too.
                    while begun.load(Ordering::SeqCst) < 3 {
                        std::thread::yield_now();
                    }
                    std::panic::panic_any(Bomb);
                });
            })
        });
        let payload = caught.unwrap_err();
        assert!(payload.is::<Bomb>());
        std::mem::forget(payload);
    }

    /// A worker that comes when the work is gone must not even hold a reference to it, which Miri
    /// reports. (On plain threads, because rayon's pool does not pass all of Miri's models.)
    #[test]
    fn helpers_that_come_too_late_touch_nothing_on_plain_threads() {
        let threads = Mutex::new(Vec::new());
        for round in 0..10 {
            let work = Box::new(AtomicUsize::new(0));
            let call = |_| {
                work.fetch_add(1, Ordering::Relaxed);
            };
            with_helpers(&call, 2, &Arc::default(), |worker| {
                threads.lock().unwrap().push(std::thread::spawn(move || {
                    if round % 2 == 0 {
                        sleep(Duration::from_millis(1));
                    }
                    worker.help();
                }));
            });
            assert!((1..=3).contains(&work.load(Ordering::Relaxed)));
            drop(work);
        }
        threads.into_inner().unwrap().into_iter().for_each(|thread| thread.join().unwrap());
    }

    #[cfg(panic = "unwind")]
    #[test]
    fn a_panic_comes_out_and_nothing_is_left_behind() {
        let caught = on_threads(2, || {
            let calls = AtomicUsize::new(0);
            let caught = crate::caught(|| {
                Threads::default().together(usize::MAX, &|_| {
                    if calls.fetch_add(1, Ordering::SeqCst) == 0 {
                        panic!("the first one");
                    }
                });
            });
            caught.is_err()
        });
        assert!(caught);
    }
}
