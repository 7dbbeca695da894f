//! Spreading work over threads where there is enough of it. Without the feature `parallel`, everything runs in place.

/// Rows a thread takes at a time: a few hundred kilobytes of matrices.
pub(crate) const BLOCK: usize = 4096;

/// Rows below which asking for help costs more than it brings.
#[cfg(feature = "parallel")]
const WORTH_IT: usize = 32 * 1024;

/// Cuts three slices into blocks that belong together: [`BLOCK`] of `a`, `BLOCK / ratio` of `b` and `c.1` of `c` (none if that is
/// 0), and calls `f` with the number of the first element of `a` and the blocks.
pub(crate) fn for_each_block<A: Send, B: Send, C: Send>(
    a: &mut [A],
    (b, ratio): (&mut [B], usize),
    (c, c_block): (&mut [C], usize),
    f: impl Fn(usize, &mut [A], &mut [B], &mut [C]) + Sync,
) {
    #[cfg(feature = "parallel")]
    let rows = a.len();
    let mut rest = c;
    #[cfg_attr(not(feature = "parallel"), expect(unused_mut))]
    let mut blocks = a.chunks_mut(BLOCK).zip(b.chunks_mut(BLOCK / ratio)).enumerate().map(|(block, (a, b))| {
        let all = std::mem::take(&mut rest);
        let (c, others) = all.split_at_mut(c_block.min(all.len()));
        rest = others;
        (block * BLOCK, a, b, c)
    });
    #[cfg(feature = "parallel")]
    if rows >= WORTH_IT {
        let left = std::sync::Mutex::new(&mut blocks);
        let take = || left.lock().ok().and_then(|mut left| left.next());
        crate::raw::crew::together(&|| {
            while let Some((first, a, b, c)) = take() {
                f(first, a, b, c);
            }
        });
        return;
    }
    blocks.for_each(|(first, a, b, c)| f(first, a, b, c));
}

/// Calls `f` with groups of the items until all are done; of items that weigh as much as that many rows together, several
/// groups at a time.
pub(crate) fn for_each_group<T: Send>(items: &mut [T], weight: impl Fn(&T) -> usize + Sync, f: impl Fn(&mut [T]) + Sync) {
    #[cfg(feature = "parallel")]
    if items.iter().map(&weight).sum::<usize>() >= WORTH_IT {
        let left = std::sync::Mutex::new(items);
        let take = || {
            let mut left = left.lock().ok()?;
            let all = std::mem::take(&mut *left);
            let mut weights = 0;
            let is_over = |item: &T| {
                let over = weights >= BLOCK;
                weights += weight(item);
                over
            };
            let len = all.iter().position(is_over).unwrap_or(all.len());
            let (group, rest) = all.split_at_mut(len);
            *left = rest;
            (!group.is_empty()).then_some(group)
        };
        crate::raw::crew::together(&|| {
            while let Some(group) = take() {
                f(group);
            }
        });
        return;
    }
    let _ = weight;
    f(items);
}

/// Whether so many rows are enough to be spread over threads by themselves.
pub(crate) fn is_spread(rows: usize) -> bool {
    #[cfg(feature = "parallel")]
    return rows >= WORTH_IT;
    #[cfg(not(feature = "parallel"))]
    return rows == usize::MAX;
}
