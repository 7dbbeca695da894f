//! Spreading work over threads where there is enough of it. Without the feature `parallel`, everything runs in place.

/// Rows a thread takes at a time: a few hundred kilobytes of matrices.
pub(crate) const BLOCK: usize = 4096;

/// Cuts two slices into blocks that belong together, `BLOCK` of `a` beside `BLOCK / ratio` of `b`, and calls `f` with the number
/// of the first element of `a` and the two blocks.
pub(crate) fn for_each_block<A: Send, B: Send>(
    a: &mut [A],
    b: &mut [B],
    ratio: usize,
    f: impl Fn(usize, &mut [A], &mut [B]) + Sync,
) {
    #[cfg(feature = "parallel")]
    if a.len() > BLOCK {
        use rayon::prelude::*;
        a.par_chunks_mut(BLOCK)
            .zip(b.par_chunks_mut(BLOCK / ratio))
            .enumerate()
            .for_each(|(block, (a, b))| f(block * BLOCK, a, b));
        return;
    }
    for (block, (a, b)) in a.chunks_mut(BLOCK).zip(b.chunks_mut(BLOCK / ratio)).enumerate() {
        f(block * BLOCK, a, b);
    }
}
