//! What has to be done about one position.
#![allow(unsafe_code)]

use nalgebra::Matrix4;

use super::ground::Ground;
use crate::{
    forest::{CYCLE, NONE, Node},
    math::bits::SameBits,
    simd::Simd,
};

/// How many positions ahead matrices are asked for: long enough for memory to answer.
const AHEAD: u32 = 48;

/// What a thread has at hand during a run.
pub(super) struct Hand<S: Simd> {
    pub simd: S,
    pub computed: usize,
    pub changed: usize,
    /// The position that was computed last, which is often the next one's parent, and its world.
    pub last: u32,
    pub world: S::Matrix,
    /// Whether rows seem to follow one another.
    pub straight: bool,
}

impl<S: Simd> Hand<S> {
    #[inline(always)]
    pub fn empty(simd: S) -> Self {
        let world = simd.load(&Matrix4::identity());
        Self { simd, computed: 0, changed: 0, last: NONE, world, straight: false }
    }
}

impl Ground<'_> {
    /// Does what has to be done about a position. Returns whether what is below it has to follow.
    ///
    /// # Safety
    /// This thread is the one that computes the position.
    #[inline(always)]
    pub unsafe fn visit<S: Simd>(&self, position: u32, below: u32, hand: &mut Hand<S>) -> bool {
        let &Node { row, parent, .. } = self.node(position);
        // Parents stand before their children, and what is no position is behind all of them.
        if parent >= position {
            // SAFETY: the caller's promise.
            let (computed, changed) = unsafe { self.visit_root(position) };
            hand.computed += usize::from(computed);
            hand.changed += usize::from(changed);
            return changed || self.moved(position);
        }
        let Some(matrices) = self.matrices.computed(row) else { return self.moved(position) };
        let is_below = self.has_changed(parent);
        if !is_below && !self.dirty(position) {
            return false;
        }
        let simd = hand.simd;
        // SAFETY: every row stands at one position only. Positions are computed once, by one thread, and the parent's
        // either by the same thread before, or before this thread was given the run.
        let (local, world) = unsafe { matrices.of(row) };
        let above = if parent == hand.last {
            hand.world
        } else {
            // SAFETY: as above; the parent's row is another one.
            simd.load(unsafe { self.matrices.world(self.node(parent).row) })
        };
        let product = simd.product(above, local);
        let changed = simd.replace(world, product);
        (hand.last, hand.world) = (position, product);
        hand.computed += 1;
        if changed {
            hand.changed += 1;
            matrices.note_written();
        }
        let ahead = position + AHEAD;
        if ahead < self.end && (ahead < below || self.dirty(ahead)) {
            let next = self.node(ahead).row;
            // One after another in memory, they come by themselves.
            hand.straight = next.row.wrapping_sub(row.row) == AHEAD && next.archetype == row.archetype;
            if !hand.straight {
                self.matrices.prefetch(next);
            }
        }
        changed || self.moved(position)
    }

    /// Writes the world of a root if it is on a cycle: its local matrix. Returns whether that was to be done, and whether it differed.
    ///
    /// # Safety
    /// As of [`visit`](Self::visit).
    #[cold]
    #[inline(never)]
    unsafe fn visit_root(&self, position: u32) -> (bool, bool) {
        let &Node { row, parent, .. } = self.node(position);
        let Some(matrices) = self.matrices.computed(row).filter(|_| parent == CYCLE && self.dirty(position)) else {
            return (false, false);
        };
        // SAFETY: as in `visit`.
        let (local, world) = unsafe { matrices.of(row) };
        let changed = !world.same_bits(local);
        if changed {
            *world = *local;
            matrices.note_written();
        }
        (true, changed)
    }
}
