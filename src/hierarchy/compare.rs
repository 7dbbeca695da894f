//! Looking through whole columns for the few rows in which two of them differ.

use std::ops::Range;

use crate::parallel;

/// Rows in a block: one bit each.
const BLOCK: usize = 64;
/// Blocks that a thread takes at a time.
const PIECE: usize = 64;
/// Comparisons of ids below which waking other threads costs more than they save.
const COMPARISONS_WORTH_IT: usize = 192 * 1024;

/// Whether to make so many comparisons on several threads.
pub(super) fn pays(comparisons: usize) -> bool {
    comparisons >= COMPARISONS_WORTH_IT
}

/// Rows in which something differs: a bit each, with the first row of their block, for blocks that
/// have any.
pub(super) type Differing = Vec<(usize, u64)>;

/// Calls `differing` with blocks of at most 64 of `rows` rows, and gathers what it says, a bit a
/// row.
pub(super) fn differing_rows(
    rows: usize,
    pays: bool,
    differing: impl Fn(Range<usize>) -> u64 + Sync,
) -> Differing {
    let mut bits = vec![0; rows.div_ceil(BLOCK)];
    parallel::for_each_piece(&mut bits, PIECE, pays, |first, bits| {
        for (start, bits) in (first * BLOCK..).step_by(BLOCK).zip(bits) {
            *bits = differing(start..(start + BLOCK).min(rows));
        }
    });
    bits.into_iter()
        .enumerate()
        .filter(|(_, bits)| *bits != 0)
        .map(|(block, bits)| (block * BLOCK, bits))
        .collect()
}

/// The rows of two columns of at most 64 that do not hold the same ids, a bit a row.
pub(super) fn difference<A, B>(
    a: &[A],
    b: &[B],
    id: impl Fn(&A) -> u64,
    jd: impl Fn(&B) -> u64,
) -> u64 {
    // Without branches as long as nothing differs, as hardly anything ever does.
    const STEP: usize = 8;
    let bits = |a: &[A], b: &[B]| {
        a.iter()
            .zip(b)
            .enumerate()
            .fold(0, |bits, (row, (a, b))| bits | u64::from(id(a) != jd(b)) << row)
    };
    let ((steps, rest), (other_steps, other_rest)) = (a.as_chunks::<STEP>(), b.as_chunks::<STEP>());
    let mut found = bits(rest, other_rest) << (steps.len() * STEP % BLOCK);
    for (step, (a, b)) in steps.iter().zip(other_steps).enumerate() {
        if a.iter().zip(b).fold(0, |any, (a, b)| any | (id(a) ^ jd(b))) != 0 {
            found |= bits(a, b) << (step * STEP);
        }
    }
    found
}
