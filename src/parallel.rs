//! Spreading work over threads where there is enough of it. Without the feature `parallel`, everything runs in place.

/// Rows a thread takes at a time: a few hundred kilobytes of matrices.
pub(crate) const BLOCK: usize = 4096;

/// Rows below which waking other threads costs more than they save.
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
    let blocks = a.chunks_mut(BLOCK).zip(b.chunks_mut(BLOCK / ratio)).enumerate().map(|(block, (a, b))| {
        let all = std::mem::take(&mut rest);
        let (c, others) = all.split_at_mut(c_block.min(all.len()));
        rest = others;
        (block * BLOCK, a, b, c)
    });
    #[cfg(feature = "parallel")]
    if rows >= WORTH_IT {
        use rayon::prelude::*;
        let blocks: Vec<_> = blocks.collect();
        blocks.into_par_iter().for_each(|(first, a, b, c)| f(first, a, b, c));
        return;
    }
    blocks.for_each(|(first, a, b, c)| f(first, a, b, c));
}

/// Calls `f` with the number of a piece's first item and the piece, for each piece of `size` items; on several threads where
/// that pays.
pub(crate) fn for_each_piece<T: Send>(items: &mut [T], size: usize, pays: bool, f: impl Fn(usize, &mut [T]) + Sync) {
    #[cfg(feature = "parallel")]
    if pays {
        use rayon::prelude::*;
        items.par_chunks_mut(size).enumerate().for_each(|(number, piece)| f(number * size, piece));
        return;
    }
    let _ = pays; // without threads it never does
    items.chunks_mut(size).enumerate().for_each(|(number, piece)| f(number * size, piece));
}

/// Calls two functions, both at once where that pays.
pub(crate) fn join<A: Send, B: Send>(pays: bool, a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    #[cfg(feature = "parallel")]
    if pays {
        return rayon::join(a, b);
    }
    let _ = pays; // without threads it never does
    (a(), b())
}
