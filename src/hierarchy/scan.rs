//! Looking through whole columns for the few rows that differ from what was last seen.

use std::{hash::Hash, ops::Range};

use crate::{components::Children, parallel, raw::slices::captured};

/// Rows looked at together, without branches.
const BLOCK: usize = 64;
/// Blocks that a thread takes at a time.
const PIECE: usize = 64;
/// Rows below which waking other threads costs more than they save.
const WORTH_IT: usize = 48 * 1024;

/// The blocks of `rows` rows in which `differs` finds anything, in order.
pub(super) fn differing_blocks(rows: usize, differs: impl Fn(Range<usize>) -> bool + Sync) -> Vec<Range<usize>> {
    let block = |number: usize| number * BLOCK..((number + 1) * BLOCK).min(rows);
    let mut flags = vec![false; rows.div_ceil(BLOCK)];
    parallel::for_each_piece(&mut flags, PIECE, rows >= WORTH_IT, |first, flags| {
        flags.iter_mut().enumerate().for_each(|(number, flag)| *flag = differs(block(first + number)));
    });
    flags.iter().enumerate().filter(|(_, differs)| **differs).map(|(number, _)| block(number)).collect()
}

/// 0 if the two columns hold the same ids.
pub(super) fn difference<A, B, I: Hash, J: Hash>(a: &[A], b: &[B], id: impl Fn(&A) -> &I, jd: impl Fn(&B) -> &J) -> u64 {
    a.iter().zip(b).fold(0, |any, (a, b)| any | (captured(id(a)) ^ captured(jd(b))))
}

/// The rows whose children do not have these sums, in order.
pub(super) fn differing_sums(now: &[Children], sums: &[u64]) -> Vec<u32> {
    let mut flags = vec![false; now.len()];
    parallel::for_each_piece(&mut flags, PIECE, now.len() >= 8 * PIECE, |first, flags| {
        for (row, flag) in (first..).zip(flags) {
            *flag = checksum(&now[row]) != sums[row];
        }
    });
    flags.iter().enumerate().filter(|(_, differs)| **differs).map(|(row, _)| row as u32).collect()
}

/// A number that tells lists of children apart; 0 only for what was never seen.
pub(super) fn checksum(children: &Children) -> u64 {
    // A multiplication waits for the one before it, so several sums are taken side by side.
    const LANES: usize = 8;
    let mix = |sum: u64, number: u64| (sum.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut sums = [children.len() as u64 + 1; LANES];
    let (chunks, rest) = children.as_chunks::<LANES>();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, child)| *sum = mix(*sum, captured(child)));
    }
    sums.iter_mut().zip(rest).for_each(|(sum, child)| *sum = mix(*sum, captured(child)));
    sums.into_iter().fold(0, mix) | 1 << 63
}
