//! Accelerator: large work is spread over threads. Without it, or without the feature `parallel`,
//! everything runs in place.

#[cfg(feature = "parallel")]
mod latch;
#[cfg(feature = "parallel")]
mod pace;
mod panics;
#[cfg(feature = "parallel")]
mod workers;

pub(crate) use panics::Panics;
#[cfg(feature = "parallel")]
pub(crate) use workers::Threads;

use crate::engine::bits::Bits;

/// How long a wait spins before it sleeps or gives up.
#[cfg(feature = "parallel")]
pub(crate) const SPIN: std::time::Duration = std::time::Duration::from_micros(50);

/// Where a thread begins: the calling thread with the first rows, workers with the last ones.
///
/// So each thread has about the same rows in every stage and in every run. A core reads and writes
/// lines that another core wrote last at a third of the speed, if the two share no cache.
#[cfg(feature = "parallel")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    First,
    Last,
}

/// Rows that a thread takes at a time: 4,096 matrices of 64 bytes are 256 KiB.
pub(crate) const BLOCK: usize = 4096;

/// Without the feature there are none, and nothing pays.
#[cfg(not(feature = "parallel"))]
#[derive(Default)]
pub(crate) struct Threads;

#[cfg(not(feature = "parallel"))]
impl Threads {
    pub fn none() -> Self {
        Self
    }

    pub fn paying(&self, _: usize) -> Option<&Self> {
        None
    }

    pub fn end_run(&self) {}
}

/// Calls `f` with every item, on these threads, too. (`f` is not a parameter of the type: each type
/// of items is compiled once, and a call more for thousands of rows costs nothing.)
pub(crate) fn for_each<I: Iterator<Item: Send>>(
    items: I,
    threads: Option<&Threads>,
    f: &(dyn Fn(I::Item) + Sync),
) {
    #[cfg(feature = "parallel")]
    if let Some(threads) = threads {
        let items = items.collect::<Vec<_>>().into_iter();
        let (shares, left) = (items.len(), std::sync::Mutex::new(items));
        threads.together(shares, &|side| {
            // A closure, so that the lock is released before `f` works on the item.
            let take = || match (left.lock().ok()?, side) {
                (mut left, Side::First) => left.next(),
                (mut left, Side::Last) => left.next_back(),
            };
            while let Some(item) = take() {
                f(item);
            }
        });
        return;
    }
    let _ = threads; // without the feature there are none
    items.for_each(f);
}

/// Takes the number of a block's first row, its rows, and their marks.
type BlockFn<'a, T> = dyn Fn(usize, &mut [T], &mut [u64]) + Sync + 'a;

/// Calls `f` with each block of [`BLOCK`] rows: the number of its first row, the rows, and their
/// marks, 64 a word. Returns the rows that `f` marked.
pub(crate) fn mark_each_block<T: Send>(
    threads: &Threads,
    rows: &mut [T],
    f: &BlockFn<'_, T>,
) -> Bits {
    let (threads, mut marked) = (threads.paying(rows.len()), Bits::default());
    marked.resize(rows.len());
    let marks = marked.words_mut().chunks_mut(BLOCK / 64);
    let blocks = rows.chunks_mut(BLOCK).zip(marks).enumerate();
    for_each(blocks, threads, &|(block, (rows, marks))| f(block * BLOCK, rows, marks));
    marked
}

/// Calls `f` with blocks of neighbouring items, of at least [`BLOCK`] rows each but for the last.
/// With items of 3,000, 2,000 and 500 rows, the first two are a block.
pub(crate) fn for_each_block<T: Send>(
    threads: &Threads,
    items: &mut [T],
    rows: impl Fn(&T) -> usize,
    f: &(dyn Fn(&mut [T]) + Sync),
) {
    let (mut blocks, mut rest, mut sum, mut all) = (Vec::new(), items, 0, 0);
    let mut len = 0;
    while len < rest.len() {
        let next = rows(&rest[len]);
        (len, sum, all) = (len + 1, sum + next, all + next);
        if sum >= BLOCK || len == rest.len() {
            let (block, others) = rest.split_at_mut(len);
            blocks.push(block);
            (rest, len, sum) = (others, 0, 0);
        }
    }
    for_each(blocks.into_iter(), threads.paying(all), f);
}
