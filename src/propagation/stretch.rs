//! Positions about which little has to be asked: below a change, and standing in one archetype row after row, as scenes do that were
//! spawned parents first.
#![allow(unsafe_code)]

use super::ground::Ground;
use crate::{
    forest::Node,
    simd::{Isa, Kernel, Simd},
};

/// [`Ground::straight`], to be compiled for each instruction set; made there only, so that its promise holds.
struct Straight<'a, 'b> {
    ground: &'a Ground<'b>,
    start: u32,
    limit: u32,
}

impl Kernel for Straight<'_, '_> {
    type Output = (u32, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (u32, usize) {
        // SAFETY: the promise that `straight` was given.
        unsafe { self.ground.straight_on(simd, self.start, self.limit) }
    }
}

impl Ground<'_> {
    /// Computes positions from `start` on as long as each stands in the row after the one before, and hangs off an earlier one.
    /// Everything from there to `limit` is below a change. Returns where it ended, and how many worlds differed.
    ///
    /// # Safety
    /// No other thread computes the positions or writes what they hang off.
    pub(super) unsafe fn straight(&self, isa: Isa, start: u32, limit: u32) -> (u32, usize) {
        isa.run(Straight { ground: self, start, limit })
    }

    #[inline(always)]
    unsafe fn straight_on<S: Simd>(&self, simd: S, start: u32, limit: u32) -> (u32, usize) {
        let &Node { row: first, parent, .. } = self.node(start);
        let Some(matrices) = self.matrices.computed(first).filter(|_| parent < start) else { return (start, 0) };
        let (locals, worlds, len) = matrices.rows_from(first);
        let limit = limit.min(start.saturating_add(len as u32));
        // SAFETY: as in `visit`: nothing else writes the worlds of these positions, or what they hang off.
        let world_of = |position: u32| unsafe { self.matrices.world(self.node(position).row) };
        // Who has moved already is marked with all others: these will only find out that nothing differs.
        let moved = self.any_moved;
        let mut above_of = parent;
        let mut above = simd.load(world_of(parent));
        let mut last = above;
        let mut changed = 0;
        let mut position = start;
        while position < limit {
            let &Node { row, parent, .. } = self.node(position);
            let index = position - start;
            if row.archetype != first.archetype || row.row != first.row + index || parent >= position {
                break;
            }
            if parent != above_of {
                above = if parent == position - 1 {
                    last
                } else if parent >= start {
                    // SAFETY: the row of a position that was computed here, before the limit and so one of the `len` rows.
                    unsafe { simd.load(&(*worlds.add((parent - start) as usize)).0) }
                } else {
                    simd.load(world_of(parent))
                };
                above_of = parent;
            }
            // SAFETY: `index` is below `len`, and the rest is as in `visit`.
            let (local, world) = unsafe { (&(*locals.add(index as usize)).0, &mut (*worlds.add(index as usize)).0) };
            last = simd.product(above, local);
            let differs = simd.replace(world, last);
            changed += usize::from(differs);
            if differs | moved {
                self.set_changed(position);
            }
            position += 1;
        }
        if changed > 0 {
            matrices.note_written();
        }
        (position, changed)
    }
}
