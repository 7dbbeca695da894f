//! Positions about which little has to be asked: below a change, and standing in one archetype row after row, as scenes do that were
//! spawned parents first.
#![allow(unsafe_code)]

use super::ground::Ground;
use crate::forest::Node;
#[cfg(target_arch = "x86_64")]
use crate::raw::kernel::Avx512Product;
use crate::raw::kernel::{Level, Product, ScalarProduct};

impl Ground<'_> {
    /// Computes positions from `start` on as long as each stands in the row after the one before, and hangs off an earlier one.
    /// Everything from there to `limit` is below a change. Returns where it ended, and how many worlds differed.
    ///
    /// # Safety
    /// The positions are before the end of the ground, and no other thread computes them or writes what they hang off.
    pub(super) unsafe fn straight(&self, level: Level, start: u32, limit: u32) -> (u32, usize) {
        // SAFETY: the machine has the level, and the caller's promise.
        unsafe {
            match level {
                Level::Scalar => self.straight_at::<ScalarProduct>(start, limit),
                #[cfg(target_arch = "x86_64")]
                Level::Avx512(_) => self.straight_avx512(start, limit),
            }
        }
    }

    // Not inlined: its loop needs all registers, and so does the one around it.
    #[cfg(target_arch = "x86_64")]
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512vl")]
    unsafe fn straight_avx512(&self, start: u32, limit: u32) -> (u32, usize) {
        // SAFETY: the caller's promise.
        unsafe { self.straight_at::<Avx512Product>(start, limit) }
    }

    #[inline(always)]
    unsafe fn straight_at<K: Product>(&self, start: u32, limit: u32) -> (u32, usize) {
        // SAFETY: positions are before the limit or before such a one, rows in their archetype, and the rest is as in `visit`.
        unsafe {
            let &Node { row: first, parent, .. } = self.node(start);
            let Some(matrices) = self.matrices.computed(first).filter(|_| parent < start) else { return (start, 0) };
            let (locals, worlds, len) = matrices.rows_from(first);
            let limit = limit.min(start.saturating_add(len as u32));
            // Who has moved already is marked with all others: these will only find out that nothing differs.
            let moved = self.any_moved;
            let mut above_of = parent;
            let mut above = K::load(self.matrices.world(self.node(parent).row));
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
                        K::load(&(*worlds.add((parent - start) as usize)).0)
                    } else {
                        K::load(self.matrices.world(self.node(parent).row))
                    };
                    above_of = parent;
                }
                let (local, world) = (locals.add(index as usize), worlds.add(index as usize));
                let (differs, product) = K::product(above, &(*local).0, &mut (*world).0);
                last = product;
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
}
