//! A core for each thread. Where the kernel puts a thread that sleeps between ticks may last as long as the process lives, and a helper
//! on the core of whom it helps is none; so nobody's threads are left to that luck.

use std::sync::{
    LazyLock,
    atomic::{AtomicUsize, Ordering},
};

use core_affinity::CoreId;

static CORES: LazyLock<Vec<CoreId>> = LazyLock::new(|| core_affinity::get_core_ids().unwrap_or_default());

/// Puts the calling thread, which runs the ticks, on the first core, and rayon's threads on all, or on the others if the caller works
/// along with them and does not sleep meanwhile.
pub fn settle(caller_works: bool) {
    let skipped = usize::from(caller_works && CORES.len() > 1);
    let pool = rayon::ThreadPoolBuilder::new().start_handler(move |number| {
        let others = (CORES.len() - skipped).max(1);
        take(skipped + number % others);
    });
    pool.build_global().expect("nobody has started threads yet");
    take(0); // last, as rayon counts the cores that the caller may use
}

/// Puts the calling thread on the next core after the first.
pub fn settle_helper() {
    static HELPERS: AtomicUsize = AtomicUsize::new(1);
    take(HELPERS.fetch_add(1, Ordering::Relaxed));
}

fn take(number: usize) {
    if !CORES.is_empty() {
        core_affinity::set_for_current(CORES[number % CORES.len()]);
    }
}
