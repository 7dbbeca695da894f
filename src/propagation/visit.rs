//! One node: its world matrix, if that has to be computed.
#![allow(unsafe_code)]

use nalgebra::Matrix4;

use super::nodes::Nodes;
use crate::{
    forest::{CYCLE, NONE, Node},
    math::SameBits,
    simd::Simd,
};

/// How many slots ahead matrices are prefetched: long enough for memory to answer.
const AHEAD: u32 = 48;

/// Where a thread is in a run of subtrees.
pub(super) struct Cursor<S: Simd> {
    pub simd: S,
    pub computed: usize,
    pub changed: usize,
    /// The slot that was computed last, which is often the next one's parent, and its world.
    pub last: u32,
    pub world: S::Matrix,
    /// Whether rows seem to follow one another.
    pub consecutive: bool,
}

impl<S: Simd> Cursor<S> {
    #[inline(always)]
    pub fn empty(simd: S) -> Self {
        let world = simd.load(&Matrix4::identity());
        Self { simd, computed: 0, changed: 0, last: NONE, world, consecutive: false }
    }
}

impl<const FLAGS: bool> Nodes<'_, FLAGS> {
    /// Computes the world matrix at a slot, if that has to be. Returns whether what is below it has
    /// to follow.
    ///
    /// # Safety
    /// This thread is the one that computes the slot.
    #[inline(always)]
    pub unsafe fn visit<S: Simd>(&self, slot: u32, below: u32, cursor: &mut Cursor<S>) -> bool {
        let &Node { row, parent, .. } = self.node(slot);
        // Parents come before their children, and the marks of roots are behind all slots.
        if parent >= slot {
            // SAFETY: the caller's promise.
            let (computed, changed) = unsafe { self.visit_root(slot) };
            cursor.computed += usize::from(computed);
            cursor.changed += usize::from(changed);
            return changed || self.moved(slot);
        }
        let Some(matrices) = self.matrices.computed(row) else { return self.moved(slot) };
        let is_below = self.has_changed(parent);
        if !is_below && !self.dirty(slot) {
            return false;
        }
        let simd = cursor.simd;
        // SAFETY: every row stands at one slot only. Slots are computed once, by one thread, and
        // the parent's either by the same thread before, or before this thread was given the run.
        let (local, world) = unsafe { matrices.of(row) };
        let above = if parent == cursor.last {
            cursor.world
        } else {
            // SAFETY: as above; the parent's row is another one.
            simd.load(unsafe { self.matrices.world(self.node(parent).row) })
        };
        let product = simd.product(above, local);
        let changed = simd.replace(world, product);
        (cursor.last, cursor.world) = (slot, product);
        cursor.computed += 1;
        if changed {
            cursor.changed += 1;
            // SAFETY: a row of these matrices; `FLAGS` is what all were made with.
            unsafe { matrices.note_written::<FLAGS>(row.row) };
        }
        let ahead = slot + AHEAD;
        if ahead < self.end && (ahead < below || self.dirty(ahead)) {
            let next = self.node(ahead).row;
            // The hardware prefetches rows that follow one another.
            cursor.consecutive =
                next.row.wrapping_sub(row.row) == AHEAD && next.archetype == row.archetype;
            if !cursor.consecutive {
                self.matrices.prefetch(next);
            }
        }
        changed || self.moved(slot)
    }

    /// Writes the world of a root if it is on a cycle: its local matrix. Returns whether that was
    /// to be done, and whether it differed.
    ///
    /// # Safety
    /// As of [`visit`](Self::visit).
    #[cold]
    #[inline(never)]
    unsafe fn visit_root(&self, slot: u32) -> (bool, bool) {
        let &Node { row, parent, .. } = self.node(slot);
        let Some(matrices) =
            self.matrices.computed(row).filter(|_| parent == CYCLE && self.dirty(slot))
        else {
            return (false, false);
        };
        // SAFETY: as in `visit`.
        let (local, world) = unsafe { matrices.of(row) };
        let changed = !world.same_bits(local);
        if changed {
            *world = *local;
            // SAFETY: a row of these matrices; `FLAGS` is what all were made with.
            unsafe { matrices.note_written::<FLAGS>(row.row) };
        }
        (true, changed)
    }
}
