//! Which core a competitor's threads are on. Where the kernel puts a thread that sleeps between
//! ticks may last as long as the process lives, and a helper on the core of the thread it helps is
//! none.

use std::sync::LazyLock;

use core_affinity::CoreId;

/// What is best for a competitor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// Wherever the kernel likes.
    Any,
    /// The thread that runs the ticks works along: it has the first core, rayon's threads have the
    /// others.
    BesideCaller,
    /// The thread that runs the ticks sleeps until rayon's are done: these have all cores.
    InsteadOfCaller,
}

static CORES: LazyLock<Vec<CoreId>> =
    LazyLock::new(|| core_affinity::get_core_ids().unwrap_or_default());

/// Starts rayon's threads, and puts them and the calling one where they belong.
pub fn settle(places: Places) {
    if places == Places::Any || CORES.len() < 2 {
        return;
    }
    let skipped = usize::from(places == Places::BesideCaller);
    let pool = rayon::ThreadPoolBuilder::new().start_handler(move |number| {
        core_affinity::set_for_current(CORES[skipped + number % (CORES.len() - skipped)]);
    });
    pool.build_global().expect("no threads have been started yet");
    // Last, as rayon counts the cores that the caller may use.
    core_affinity::set_for_current(CORES[0]);
}
