//! What a program does between two runs.

use std::{hint::black_box, time::Duration};

use rayon::{ThreadPool, prelude::*};

/// What comes between two runs, besides the edit that stands right before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Nothing: the pool is awake, and the inputs lie in the cache of the calling thread.
    Bare,
    /// All sleep for 16 ms, behind the edit.
    Asleep,
    /// The caller works for about 5 ms on 16 MB behind the edit, and the pool falls asleep.
    Busy,
    /// Others have the pool work on 16 MB, behind the edit.
    Pool,
}

impl Frame {
    pub const ALL: [Self; 4] = [Self::Bare, Self::Asleep, Self::Busy, Self::Pool];

    /// How often a turn times a run: frames that take long are run less often.
    pub fn ticks(self) -> usize {
        if self == Self::Bare { 7 } else { 3 }
    }
}

/// What others' work is done on.
pub struct Cache(Vec<u64>);

impl Cache {
    pub fn new() -> Self {
        Self(vec![1; (16 << 20) / size_of::<u64>()])
    }

    /// What comes between an edit and the run behind it.
    pub fn pass(&mut self, frame: Frame, pool: &ThreadPool) {
        let step = |word: &mut u64| *word = word.wrapping_mul(6_364_136_223_846_793_005) + 1;
        match frame {
            Frame::Bare => {}
            Frame::Asleep => std::thread::sleep(Duration::from_millis(16)),
            Frame::Busy => {
                let start = std::time::Instant::now();
                while start.elapsed() < Duration::from_millis(5) {
                    black_box(&mut self.0).iter_mut().for_each(step);
                }
            }
            Frame::Pool => {
                let words = black_box(&mut self.0);
                pool.install(|| {
                    words.par_chunks_mut(1 << 16).for_each(|it| it.iter_mut().for_each(step))
                });
            }
        }
    }
}
