//! Accelerator: large work is spread over threads.
//!
//! Without it, or without the feature `parallel`, everything runs in place. What it gains stands in
//! docs/measurements.md, under "Threads".

#[cfg(feature = "parallel")]
mod door;
#[cfg(feature = "parallel")]
mod helpers;
mod panics;
#[cfg(feature = "parallel")]
mod wake;

#[cfg(feature = "parallel")]
pub(crate) use helpers::{Helpers, together};
pub(crate) use panics::Panics;

use crate::engine::bits::Bits;

/// How long a wait spins before it sleeps or gives up.
#[cfg(feature = "parallel")]
pub(crate) const SPIN: std::time::Duration = std::time::Duration::from_micros(50);

/// Where a thread begins: the calling thread with the first rows, helpers with the last ones.
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

/// The fewest rows that threads may pay for: 8,192 take one thread 11 microseconds.
#[cfg(feature = "parallel")]
const LEAST: usize = 8 * 1024;

/// Whether threads pay for this number of rows. One row is the work for a plain `T R S`, 1.4 ns;
/// where a row costs more, pass several for each. What pays is [learned](wake): mostly not 10,000,
/// but 100,000. Two calls may differ, so ask once.
#[cfg(feature = "parallel")]
pub(crate) fn pays(rows: usize) -> bool {
    rows >= LEAST && helpers::pay(rows)
}

/// Without threads nothing pays.
#[cfg(not(feature = "parallel"))]
pub(crate) fn pays(_: usize) -> bool {
    false
}

/// Calls `f` with every item; if it `pays`, on several threads. (`f` is no parameter of the type:
/// each type of items is compiled once, and a call more for thousands of rows costs nothing.)
pub(crate) fn for_each<I: Iterator<Item: Send>>(
    items: I,
    pays: bool,
    f: &(dyn Fn(I::Item) + Sync),
) {
    #[cfg(feature = "parallel")]
    if pays {
        let left = std::sync::Mutex::new(items.collect::<Vec<_>>().into_iter());
        together(&|side| {
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
    let _ = pays; // without threads it never does
    items.for_each(f);
}

/// Takes the number of a block's first row, its rows, and their marks.
type BlockFn<'a, T> = dyn Fn(usize, &mut [T], &mut [u64]) + Sync + 'a;

/// Calls `f` with each block of [`BLOCK`] rows: the number of its first row, the rows, and their
/// marks, 64 a word. Returns the rows that `f` marked.
pub(crate) fn mark_each_block<T: Send>(rows: &mut [T], f: &BlockFn<'_, T>) -> Bits {
    let (pays, mut marked) = (pays(rows.len()), Bits::default());
    marked.resize(rows.len());
    let marks = marked.words_mut().chunks_mut(BLOCK / 64);
    let blocks = rows.chunks_mut(BLOCK).zip(marks).enumerate();
    for_each(blocks, pays, &|(block, (rows, marks))| f(block * BLOCK, rows, marks));
    marked
}

/// Calls `f` with blocks of neighbouring items, of at least [`BLOCK`] rows each but for the last.
/// With items of 3,000, 2,000 and 500 rows, the first two are a block.
pub(crate) fn for_each_block<T: Send>(
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
    for_each(blocks.into_iter(), pays(all), f);
}
