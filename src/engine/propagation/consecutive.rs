//! Accelerator: a fast loop for slots below a change whose entities stand in consecutive rows.
//!
//! Scenes that were spawned parents first are stored in preorder. Slots 2 to 5 below stand in rows
//! 10 to 13 of one archetype, so the loop walks along the two columns: it reads no marks, finds no
//! archetype's matrices and prefetches nothing. Slot 6 ends it: row 20 does not follow row 13.
//!
//! ```text
//! slot          1   2   3   4   5   6
//! archetype     0   0   0   0   0   0
//! row           4  10  11  12  13  20
//! parent        0   1   2   2   1   1
//! ```
//!
//! What it gains: `wide_root` in docs/measurements.md, one parent of 250,000.
#![allow(unsafe_code)]

use super::nodes::Nodes;
use crate::engine::{
    forest::Node,
    simd::{Isa, Kernel, Simd},
};

/// [`Nodes::consecutive`], to be compiled for each instruction set. Only that function makes it, so
/// its promise holds.
struct ConsecutiveRows<'a, 'b> {
    nodes: &'a Nodes<'b>,
    start: u32,
    limit: u32,
}

impl Kernel for ConsecutiveRows<'_, '_> {
    type Output = (u32, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (u32, usize) {
        // SAFETY: the caller of `consecutive` promised the same.
        unsafe { self.nodes.consecutive_on(simd, self.start, self.limit) }
    }
}

impl Nodes<'_> {
    /// Computes the slots from `start` on while each stands in the row after the one before and has
    /// a parent in an earlier slot. All slots up to `limit` are below a change. Returns the first
    /// slot that was not computed, and the number of worlds that changed: `(6, 4)` in the drawing,
    /// if all four differ.
    ///
    /// # Safety
    /// No other thread computes these slots or writes the worlds of their parents.
    pub(super) unsafe fn consecutive(&self, isa: Isa, start: u32, limit: u32) -> (u32, usize) {
        isa.run(ConsecutiveRows { nodes: self, start, limit })
    }

    #[inline(always)]
    unsafe fn consecutive_on<S: Simd>(&self, simd: S, start: u32, limit: u32) -> (u32, usize) {
        let &Node { row: first, parent, .. } = self.node(start);
        let Some(matrices) = self.matrices.computed(first).filter(|_| parent < start) else {
            return (start, 0);
        };
        let (locals, worlds, len) = matrices.rows_from(first);
        let limit = limit.min(start.saturating_add(len));
        // SAFETY: as in `visit`: no other thread writes the worlds of these slots or of their
        // parents.
        let world_of = |slot: u32| unsafe { self.matrices.world(self.node(slot).row) };
        // Children of a moved node must follow though its world does not differ here. If any node
        // may have moved, all slots count as changed, and no slot's bit is read: some children are
        // computed in vain, to the same bits.
        let moved = self.any_moved;
        let mut above_of = parent;
        let mut above = simd.load(world_of(parent));
        let mut last = above;
        let mut changed = 0;
        let mut slot = start;
        while slot < limit {
            let &Node { row, parent, .. } = self.node(slot);
            let index = slot - start;
            if row.archetype != first.archetype || row.row != first.row + index || parent >= slot {
                break;
            }
            // Most often the parent's world is at hand: slot 3 is a child of slot 2, which came
            // just before, and slot 4 has the same parent as slot 3.
            if parent != above_of {
                above = if parent == slot - 1 {
                    last
                } else if parent >= start {
                    // SAFETY: `parent` was computed by this loop, so it is below the limit and its
                    // row is one of the `len`.
                    unsafe { simd.load(&(*worlds.add((parent - start) as usize)).0) }
                } else {
                    simd.load(world_of(parent))
                };
                above_of = parent;
            }
            // SAFETY: `index` is below `len`; the rest as in `visit`.
            let (local, world) =
                unsafe { (&(*locals.add(index as usize)).0, &mut (*worlds.add(index as usize)).0) };
            last = simd.product(above, simd.load(local));
            let differs = simd.replace(world, last);
            changed += usize::from(differs);
            if differs {
                matrices.note_written(row.row);
            }
            if differs | moved {
                self.set_changed(slot, differs);
            }
            slot += 1;
        }
        (slot, changed)
    }
}
