//! Spreading work over threads where there is enough of it. Without the feature `parallel`,
//! everything runs in place.

#[cfg(feature = "parallel")]
mod backoff;
#[cfg(feature = "parallel")]
pub(crate) mod helpers;

/// Where a thread begins to take.
///
/// A core reads and writes what another one wrote last at a third of the speed (if they share no
/// cache), so a thread is to have the same part of the work in every stage and run: the one that
/// calls has the beginning, helpers the end.
#[cfg(feature = "parallel")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    First,
    Last,
}

/// Rows a thread takes at a time: a few hundred kilobytes of matrices.
pub(crate) const BLOCK: usize = 4096;

/// Rows below which asking for help costs more than it brings.
const WORTH_IT: usize = 32 * 1024;

/// Whether so many rows are worth being spread over threads.
pub(crate) fn pays(rows: usize) -> bool {
    cfg!(feature = "parallel") && rows >= WORTH_IT
}

/// Calls `f` with every item; if that `pays`, together with other threads.
pub(crate) fn for_each<I: Iterator<Item: Send>>(items: I, pays: bool, f: impl Fn(I::Item) + Sync) {
    #[cfg(feature = "parallel")]
    if pays {
        let left = std::sync::Mutex::new(items.collect::<Vec<_>>().into_iter());
        helpers::together(&|side| {
            // A function of its own, so that the lock is released before the item is worked on.
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

/// Cuts three slices into blocks that belong together: [`BLOCK`] of `a`, `BLOCK / ratio` of `b` and
/// `c.1` of `c` (none if that is 0), and calls `f` with the number of the first element of `a` and
/// the blocks.
pub(crate) fn for_each_block<A: Send, B: Send, C: Send>(
    a: &mut [A],
    (b, ratio): (&mut [B], usize),
    (c, c_block): (&mut [C], usize),
    f: impl Fn(usize, &mut [A], &mut [B], &mut [C]) + Sync,
) {
    let pays = pays(a.len());
    let mut rest = c;
    let blocks =
        a.chunks_mut(BLOCK).zip(b.chunks_mut(BLOCK / ratio)).enumerate().map(|(block, (a, b))| {
            let all = std::mem::take(&mut rest);
            let (c, others) = all.split_at_mut(c_block.min(all.len()));
            rest = others;
            (block * BLOCK, a, b, c)
        });
    for_each(blocks, pays, |(first, a, b, c)| f(first, a, b, c));
}

/// Calls `f` with groups of the items, of about [`BLOCK`] rows each.
pub(crate) fn for_each_group<T: Send>(
    items: &mut [T],
    rows: impl Fn(&T) -> usize + Send,
    f: impl Fn(&mut [T]) + Sync,
) {
    let pays = pays(items.iter().map(&rows).sum());
    let mut rest = items;
    let groups = std::iter::from_fn(move || {
        let all = std::mem::take(&mut rest);
        let mut sum = 0;
        let is_over = |item: &T| {
            let over = sum >= BLOCK;
            sum += rows(item);
            over
        };
        let len = all.iter().position(is_over).unwrap_or(all.len());
        let (group, others) = all.split_at_mut(len);
        rest = others;
        (!group.is_empty()).then_some(group)
    });
    for_each(groups, pays, f);
}

/// Calls `f` with the number of a piece's first item and the piece, for each piece of `size` items.
pub(crate) fn for_each_piece<T: Send>(
    items: &mut [T],
    size: usize,
    pays: bool,
    f: impl Fn(usize, &mut [T]) + Sync,
) {
    let pieces = items.chunks_mut(size).enumerate();
    for_each(pieces, pays, |(number, piece)| f(number * size, piece));
}
