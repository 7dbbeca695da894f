//! Accelerator: a fast loop for slots that are due and whose entities stand in consecutive rows, as
//! after spawning parents first. It prefetches nothing, and reads marks only behind the last
//! change. Slots 2 to 5 below stand in rows 10 to 13. Slot 6 ends the loop: row 20 does not follow
//! row 13.
//!
//! ```text
//! slot          1   2   3   4   5   6
//! archetype     0   0   0   0   0   0
//! row           4  10  11  12  13  20
//! parent        0   1   2   2   1   1
//! ```
#![allow(unsafe_code)]

use super::{
    matrices::RawMatrices,
    nodes::{LastInherited, Nodes},
};
use crate::{
    components::Inherits,
    engine::{
        forest::Node,
        parallel,
        simd::{Isa, Kernel, Simd},
        storage::Row,
    },
};

/// [`Nodes::consecutive`], to be compiled for each instruction set, and apart for rows that inherit
/// the `WHOLE` world. Only that function makes it, so its promise holds.
struct ConsecutiveRows<'a, 'b, const WHOLE: bool> {
    nodes: &'a Nodes<'b>,
    matrices: &'a RawMatrices,
    start: u32,
    below: u32,
    inherited: &'a mut LastInherited,
}

impl Nodes<'_> {
    /// Computes the slots from `start` on while each is due, stands in the row after the one before
    /// and has a parent in an earlier slot. All slots before `below` are below a change. Returns
    /// the first slot that was not computed, the new `below`, and the number of worlds that
    /// changed: 6, 7 and 4 in the drawing, if slot 1 has changed, and all four do.
    ///
    /// Never inlined: the caller's copy of the nodes stays in registers.
    ///
    /// # Safety
    /// They are this thread's next [`Slots`](super::nodes::Slots).
    #[inline(never)]
    pub(super) unsafe fn consecutive(
        &self,
        isa: Isa,
        start: u32,
        below: u32,
        inherited: &mut LastInherited,
    ) -> (u32, u32, usize) {
        let (nodes, &Node { row, parent, .. }) = (self, self.node(start));
        match self.matrices.of(row).filter(|it| !it.local.is_null() && parent < start) {
            None => (start, below, 0),
            Some(matrices) if matrices.is_whole => {
                isa.run(ConsecutiveRows::<true> { nodes, matrices, start, below, inherited })
            }
            Some(matrices) => {
                isa.run(ConsecutiveRows::<false> { nodes, matrices, start, below, inherited })
            }
        }
    }
}

impl<const WHOLE: bool> Kernel for ConsecutiveRows<'_, '_, WHOLE> {
    type Output = (u32, u32, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self { nodes, matrices, start, mut below, inherited } = self;
        let &Node { row: first, parent, .. } = nodes.node(start);
        let (locals, worlds, len) = matrices.rows_from(first.row);
        let limit = nodes.end.min(start.saturating_add(len));
        // SAFETY: as in `visit`: no other thread writes the worlds of these slots or of their
        // parents.
        let world_of = |slot: u32| unsafe { nodes.matrices.world(nodes.node(slot).row) };
        // Children of a node that is dirty below must follow, though its world does not differ
        // here. If any node may be that, all slots count as changed, and no slot's bit is read:
        // some children are computed in vain, to the same bits.
        let dirty_below = nodes.any_dirty_below;
        let mut above_of = (parent, Inherits::ALL);
        let mut above = simd.load(world_of(parent));
        let mut last = above;
        let mut changed = 0;
        let mut slot = start;
        while slot < limit {
            let &Node { row, parent, end } = nodes.node(slot);
            let index = slot - start;
            let next = Row { row: first.row + index, ..first };
            if row != next || parent >= slot || (slot >= below && !nodes.dirty(slot)) {
                break;
            }
            // Most often the parent's world is at hand: slot 3 is a child of slot 2, which came
            // just before, and slot 4 has the same parent as slot 3.
            let parts = if WHOLE { Inherits::ALL } else { matrices.parts(row.row) };
            if (parent, parts) != above_of {
                above = if !WHOLE {
                    simd.load(inherited.of(parent, world_of(parent), parts))
                } else if parent == slot - 1 {
                    last
                } else {
                    simd.load(world_of(parent))
                };
                above_of = (parent, parts);
            }
            // SAFETY: `index` is below `len`; the rest as in `visit`.
            let (local, world) =
                unsafe { (&(*locals.add(index as usize)).0, &mut (*worlds.add(index as usize)).0) };
            last = simd.product(above, simd.load(local));
            let differs = simd.replace(world, last);
            changed += usize::from(differs);
            if differs | dirty_below {
                nodes.set_stamp(slot, differs);
                if slot >= below {
                    below = end;
                }
            }
            slot += 1;
        }
        if changed > 0 {
            let last = first.row + (slot - start) - 1;
            let blocks = (first.row..last).step_by(parallel::BLOCK).chain([last]);
            blocks.for_each(|row| matrices.note_written(row));
        }
        (slot, below, changed)
    }
}
