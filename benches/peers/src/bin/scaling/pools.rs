//! Pools of 1, 2, 4, ... threads.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The pools, up to the machine's number of threads: two at least. On one core, by `taskset -c 0`,
/// two threads show what helpers cost where they cannot help.
pub struct Pools(Vec<Arc<ThreadPool>>);

impl Pools {
    pub fn new() -> Self {
        let most = std::thread::available_parallelism().map_or(2, |it| it.get().max(2));
        let counts = std::iter::successors(Some(1), |count| Some(count * 2));
        let pool = |count| ThreadPoolBuilder::new().num_threads(count).build().expect("a pool");
        let counts = counts.take_while(|&count| count < most).chain([most]);
        Self(counts.map(|count| Arc::new(pool(count))).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn get(&self, at: usize) -> &Arc<ThreadPool> {
        &self.0[at]
    }

    pub fn threads(&self, at: usize) -> usize {
        self.0[at].current_num_threads()
    }

    /// How long a sleeping thread of the largest pool takes to begin, after some pauses.
    pub fn wake_up(&self) -> String {
        let pool = self.0.last().expect("there is a pool");
        let after = |pause: Duration| {
            let mut times: Vec<Duration> = (0..31)
                .map(|_| {
                    std::thread::sleep(pause);
                    let start = Instant::now();
                    pool.install(|| start.elapsed())
                })
                .collect();
            times.sort_unstable();
            format!("{:?} after a pause of {pause:?}", times[15])
        };
        [200, 16_000].map(|pause| after(Duration::from_micros(pause))).join(", ")
    }
}
