//! Looking through whole columns for the few rows that differ from what was last seen.

use std::{hash::Hash, hint::black_box, ops::Range};

use legion::Entity;

use crate::{components::Children, parallel, storage::columns::captured};

/// Snapshots in a block: one bit each.
const BLOCK: usize = 64;
/// Blocks, or lists of children, that a thread takes at a time.
const PIECE: usize = 64;
/// Comparisons of ids, or sums of lists, below which waking other threads costs more than they save.
const COMPARISONS_WORTH_IT: usize = 192 * 1024;
const LISTS_WORTH_IT: usize = 16 * 1024;
/// Lists that are fetched from memory together.
pub(super) const TOGETHER: usize = 8;

/// Whether to make so many comparisons and sums on several threads.
pub(super) fn pays(comparisons: usize, lists: usize) -> bool {
    comparisons >= COMPARISONS_WORTH_IT || lists >= LISTS_WORTH_IT
}

/// Snapshots in which something differs: a bit each, behind the first row of their block, for blocks that have any.
pub(super) type Differing = Vec<(usize, u64)>;

/// Calls `differing` with blocks of at most 64 of `rows` rows, and gathers what it says, a bit a row.
pub(super) fn differing_rows(rows: usize, pays: bool, differing: impl Fn(Range<usize>) -> u64 + Sync) -> Differing {
    let mut bits = vec![0; rows.div_ceil(BLOCK)];
    parallel::for_each_piece(&mut bits, PIECE, pays, |first, bits| {
        for (start, bits) in (first * BLOCK..).step_by(BLOCK).zip(bits) {
            *bits = differing(start..(start + BLOCK).min(rows));
        }
    });
    bits.into_iter().enumerate().filter(|(_, bits)| *bits != 0).map(|(block, bits)| (block * BLOCK, bits)).collect()
}

/// The rows of two columns of at most 64 that do not hold the same ids, a bit a row.
pub(super) fn difference<A, B>(a: &[A], b: &[B], id: impl Fn(&A) -> u64, jd: impl Fn(&B) -> u64) -> u64 {
    // Without branches as long as nothing differs, as hardly anything ever does.
    const STEP: usize = 8;
    let bits = |a: &[A], b: &[B]| {
        a.iter().zip(b).enumerate().fold(0, |bits, (row, (a, b))| bits | u64::from(id(a) != jd(b)) << row)
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

/// Likewise for columns of ids.
pub(super) fn id_difference<A, B, I: Hash, J: Hash>(a: &[A], b: &[B], id: impl Fn(&A) -> &I, jd: impl Fn(&B) -> &J) -> u64 {
    difference(a, b, |a| captured(id(a)), |b| captured(jd(b)))
}

/// The checksum of each list.
pub(super) fn checksums(lists: &[Children], pays: bool) -> Vec<u64> {
    let mut sums = vec![0; lists.len()];
    parallel::for_each_piece(&mut sums, PIECE, pays, |first, sums| {
        for (lists, sums) in lists[first..].chunks(TOGETHER).zip(sums.chunks_mut(TOGETHER)) {
            lists.iter().for_each(fetch);
            lists.iter().zip(sums).for_each(|(list, sum)| *sum = checksum(list));
        }
    });
    sums
}

/// Brings a list into the cache, if it is not in its row. Those of several rows, one right after the other, come together.
pub(super) fn fetch(children: &Children) {
    const LINE: usize = 8;
    if children.spilled() {
        black_box(children.iter().step_by(LINE).fold(0, |all, child| all ^ captured(child)));
    }
}

/// A index that tells lists of other children apart, whatever their order; 0 only for what was never seen.
pub(super) fn checksum(children: &Children) -> u64 {
    changed_sum(SEEN, &[], children)
}

/// The sum of a list that lost and gained children.
pub(super) fn changed_sum(sum: u64, lost: &[Entity], gained: &[Entity]) -> u64 {
    let total = |children: &[Entity]| children.iter().map(weight).fold(0, u64::wrapping_add);
    sum.wrapping_sub(total(lost)).wrapping_add(total(gained)) | SEEN
}

/// Set in every sum; the bits below do not depend on it.
const SEEN: u64 = 1 << 63;

/// A index that does not follow from other entities' by addition.
fn weight(child: &Entity) -> u64 {
    let spread = captured(child).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    spread.wrapping_mul(spread.rotate_left(32))
}
