//! Accelerator: nodes below a change in consecutive rows of one archetype, as in scenes that were
//! spawned parents first.
//!
//! Little has to be asked about such nodes, so they are computed in a loop of their own. Without
//! it, each is [visited](super::visit) like any other: `wide_root` takes 1.5 times as long.
#![allow(unsafe_code)]

use super::nodes::Nodes;
use crate::{
    forest::Node,
    simd::{Isa, Kernel, Simd},
};

/// [`Nodes::consecutive`], to be compiled for each instruction set; made there only, so that its
/// promise holds.
struct ConsecutiveRows<'a, 'b, const FLAGS: bool> {
    nodes: &'a Nodes<'b, FLAGS>,
    start: u32,
    limit: u32,
}

impl<const FLAGS: bool> Kernel for ConsecutiveRows<'_, '_, FLAGS> {
    type Output = (u32, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (u32, usize) {
        // SAFETY: the promise that `consecutive` was given.
        unsafe { self.nodes.consecutive_on(simd, self.start, self.limit) }
    }
}

impl<const FLAGS: bool> Nodes<'_, FLAGS> {
    /// Computes slots from `start` on as long as each stands in the row after the one before, and
    /// hangs off an earlier one. Everything from there to `limit` is below a change. Returns where
    /// it ended, and how many worlds differed.
    ///
    /// # Safety
    /// No other thread computes the slots or writes what they hang off.
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
        let limit = limit.min(start.saturating_add(len as u32));
        // SAFETY: as in `visit`: nothing else writes the worlds of these slots, or what they hang
        // off.
        let world_of = |slot: u32| unsafe { self.matrices.world(self.node(slot).row) };
        // What has moved already is marked with all others: below it, nothing will be found to
        // differ.
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
            if parent != above_of {
                above = if parent == slot - 1 {
                    last
                } else if parent >= start {
                    // SAFETY: the row of a slot that was computed here, before the limit and so one
                    // of the `len` rows.
                    unsafe { simd.load(&(*worlds.add((parent - start) as usize)).0) }
                } else {
                    simd.load(world_of(parent))
                };
                above_of = parent;
            }
            // SAFETY: `index` is below `len`, and the rest is as in `visit`.
            let (local, world) =
                unsafe { (&(*locals.add(index as usize)).0, &mut (*worlds.add(index as usize)).0) };
            last = simd.product(above, local);
            let differs = simd.replace(world, last);
            changed += usize::from(differs);
            if differs {
                // SAFETY: a row of these matrices; `FLAGS` is what all were made with.
                unsafe { matrices.note_written::<FLAGS>(row.row) };
            }
            if differs | moved {
                self.set_changed(slot);
            }
            slot += 1;
        }
        (slot, changed)
    }
}
