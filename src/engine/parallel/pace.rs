//! Whether workers make runs faster: learned from how long whole runs took. A late worker takes a
//! share out of the caller's cache. So large runs are timed, with workers and without:
//!
//! ```text
//!  first large work      such as               alone      with workers     then
//!  8,192 to 16,383       a chain of 10,000     10.0 ns    17.5 ns a row    alone
//!  65,536 to 131,071     100,000 roots          3.8 ns     2.8 ns a row    with workers
//! ```
//!
//! A time is the median of the last five. Runs of one size take both ways in turn, with workers
//! first, until there are five of each or workers are clearly faster. Then the slower way is tried
//! after 16 runs, 32, 64, and so on up to 4,096. If a trial is faster, the next run is a trial,
//! too: after three, the other way is the usual one.

use std::{collections::BTreeMap, time::Instant};

/// How many times are remembered.
const TIMES: usize = 5;

/// How many times as long a run takes alone when workers are clearly faster, with fewer times than
/// [`TIMES`]. The other way round that is never clear: the first run with workers is a cold one.
const CLEAR: f32 = 1.25;

/// After how many runs the slower way is tried, at first and at last.
const PAUSES: [u32; 2] = [16, 4096];

/// What runs of all sizes took.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// By the logarithm of the rows of a run's first large work: 100,000 are in size 16.
    sizes: BTreeMap<u32, Size>,
    run: Option<Run>,
}

/// The run that is under way, from its first large work on.
#[derive(Debug)]
struct Run {
    rows: usize,
    has_helpers: bool,
    since: Instant,
}

impl Pace {
    /// Whether workers are asked for work of this many rows. The first work of a run decides for
    /// all of it.
    pub fn pays(&mut self, rows: usize) -> bool {
        let begin = || {
            let has_helpers = self.sizes.entry(rows.ilog2()).or_default().choose();
            Run { rows, has_helpers, since: Instant::now() }
        };
        self.run.get_or_insert_with(begin).has_helpers
    }

    /// The run ends, and its time counts. (One that panics ends with the next one. That time is far
    /// too long, and medians pass over it.)
    pub fn end_run(&mut self) {
        if let Some(Run { rows, has_helpers, since }) = self.run.take() {
            let a_row = since.elapsed().as_nanos() as f32 / rows as f32;
            let size = self.sizes.entry(rows.ilog2()).or_default();
            size.ways[usize::from(has_helpers)].note(a_row);
        }
    }
}

/// What runs of one size took.
#[derive(Debug, Default)]
struct Size {
    /// Alone, and with workers.
    ways: [Way; 2],
    /// Which of the two was faster when the last run of this size began.
    faster: usize,
    /// How many runs pass from one trial of the slower way to the next, and until the next.
    pause: u32,
    left: u32,
    /// Whether the last run was a trial.
    is_trial: bool,
}

impl Size {
    /// Whether the next run has workers.
    fn choose(&mut self) -> bool {
        let counts = [self.ways[0].count, self.ways[1].count];
        if counts.contains(&0) {
            return counts[1] == 0;
        }
        let medians = [self.ways[0].median(), self.ways[1].median()];
        let is_clear = medians[0] > CLEAR * medians[1];
        if !is_clear && counts.iter().any(|&count| count < TIMES) {
            return counts[1] <= counts[0];
        }
        let faster = usize::from(medians[1] < medians[0]);
        if self.faster != faster {
            (self.faster, self.pause, self.left) = (faster, PAUSES[0], PAUSES[0]);
        } else if self.is_trial && self.ways[1 - faster].last() >= medians[faster] {
            self.pause = (2 * self.pause).clamp(PAUSES[0], PAUSES[1]);
            self.left = self.pause;
        }
        self.is_trial = self.left == 0;
        self.left = self.left.saturating_sub(1);
        (faster == 1) != self.is_trial
    }
}

/// The last times of one way, in nanoseconds a row.
#[derive(Debug, Default)]
struct Way {
    times: [f32; TIMES],
    count: usize,
}

impl Way {
    fn note(&mut self, time: f32) {
        self.times[self.count % TIMES] = time;
        self.count += 1;
    }

    fn last(&self) -> f32 {
        self.times[(self.count - 1) % TIMES]
    }

    fn median(&self) -> f32 {
        let mut times = self.times;
        let times = &mut times[..self.count.min(TIMES)];
        times.sort_unstable_by(f32::total_cmp);
        times[times.len() / 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of one size, in which a row takes this long alone and with workers. Returns how many
    /// had workers.
    fn run(size: &mut Size, runs: usize, [alone, helped]: [f32; 2]) -> usize {
        let mut count = 0;
        for _ in 0..runs {
            let has_helpers = size.choose();
            size.ways[usize::from(has_helpers)].note(if has_helpers { helped } else { alone });
            count += usize::from(has_helpers);
        }
        count
    }

    #[test]
    fn runs_take_the_faster_way_and_try_the_other_ever_more_rarely() {
        let mut size = Size::default();
        assert_eq!(run(&mut size, 10, [5.0, 6.0]), 5, "each way in turn");
        assert_eq!(run(&mut size, 1000, [5.0, 6.0]), 6, "after 0, 16, 48, 112, 240 and 496");
        assert_eq!(run(&mut Size::default(), 10, [10.0, 5.0]), 9, "workers are clearly faster");
        // The other cores have time now. They are tried within 512 runs, then within 1,024 ...
        assert!(run(&mut size, 20_000, [5.0, 3.0]) > 5_000);
        assert!(run(&mut size, 1000, [5.0, 3.0]) > 990);
        // They are taken: what is used is found slower at once.
        assert!(run(&mut size, 1000, [5.0, 50.0]) < 10);
    }

    #[test]
    fn a_run_takes_one_way() {
        let mut pace = Pace::default();
        assert!(pace.pays(10_000), "none has helped yet");
        assert_eq!(pace.pays(1_000_000), pace.pays(10_000), "one way for all of a run");
        pace.end_run();
        assert!(!pace.pays(10_000), "alone has to be tried");
        pace.end_run();
        assert!(pace.pays(100_000), "another size");
    }
}
