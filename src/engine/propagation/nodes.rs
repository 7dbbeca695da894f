//! The forest up to the end of a range, and the matrices, as the loop reads them; and the slots
//! that a thread visits.
//!
//! # Stamps
//!
//! "The children of this slot have to follow" is a byte a slot with the number of the propagation:
//! in propagation 7 a 7 says that they do, a 6 is left over. So nothing is cleared between runs.
//! Numbers go from 1 to 127, then all bytes are set to 0. The highest bit says that the world
//! changed in this propagation, not before.
//!
//! ```text
//! slot       0     1        2   3
//! stamp      7     7|128    6   0      in propagation 7: 0 was dirty below, 1 has changed
//! ```
//!
//! A byte and not a bit, because two threads may store neighbouring slots at once.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, Ordering};

use nalgebra::Matrix4;

use super::matrices::{RawMatrices, SharedMatrices};
use crate::{
    components::Inherits,
    engine::{
        bits,
        forest::{NONE, Node, PropagationView},
        simd::Simd,
    },
    math::{SameBits, inherited},
};

/// The nodes before an end, with their marks and matrices, or with other data `D`.
pub(super) struct Nodes<'a, D = SharedMatrices<'a>> {
    /// The slot behind the last one of the range.
    pub end: u32,
    pub matrices: D,
    nodes: &'a [Node],
    /// The stamps, by slot.
    stamps: &'a [AtomicU8],
    /// The number of this propagation.
    stamp: u8,
    /// Worlds to compute, a bit a slot.
    dirty: &'a [u64],
    /// Worlds that changed before propagation began, a bit a slot. Only the children are computed.
    dirty_below: &'a [u64],
    /// Whether any bit of `dirty_below` may be set.
    pub any_dirty_below: bool,
}

impl<'a, D> Nodes<'a, D> {
    pub fn of(&Slots { forest, end, .. }: &Slots<'a>, matrices: D) -> Self {
        let count = end as usize;
        let words = count.div_ceil(64);
        Self {
            end,
            matrices,
            nodes: &forest.nodes()[..count],
            stamps: &forest.stamps()[..count],
            stamp: forest.stamp(),
            dirty: &forest.dirty()[..words],
            dirty_below: &forest.dirty_below()[..words],
            any_dirty_below: forest.any_dirty_below(),
        }
    }

    #[inline(always)]
    pub fn node(&self, slot: u32) -> &Node {
        &self.nodes[slot as usize]
    }

    /// Whether the children of a slot have to follow: its world has changed in this propagation, or
    /// had before it.
    #[inline(always)]
    pub fn is_stamped(&self, slot: u32) -> bool {
        self.stamps[slot as usize].load(Ordering::Relaxed) & !PropagationView::DIFFERS == self.stamp
    }

    /// The children of a slot have to follow. `differs`: the world has changed in this propagation.
    #[inline(always)]
    pub fn set_stamp(&self, slot: u32, differs: bool) {
        let stamp = self.stamp | if differs { PropagationView::DIFFERS } else { 0 };
        self.stamps[slot as usize].store(stamp, Ordering::Relaxed);
    }

    #[inline(always)]
    pub fn dirty(&self, slot: u32) -> bool {
        bits::get(self.dirty, slot as usize)
    }

    /// Whether the children of a slot have to follow: it `differs` now, or had changed already.
    /// Stamps it if they do.
    #[inline(always)]
    pub fn follow(&self, slot: u32, differs: bool) -> bool {
        let follow = differs || bits::get(self.dirty_below, slot as usize);
        if follow {
            self.set_stamp(slot, differs);
        }
        follow
    }
}

/// The slots of a range that one thread visits, whatever is handed down: the marked ones, and all
/// below a change.
///
/// **Why it may write them**: distinct slots have distinct rows, and one thread visits a slot,
/// once. So nothing else touches this row now. If slots 2 and 3 shared a row, two threads could
/// write one matrix: `forest` refuses the second slot. What the parent has is final: its slot comes
/// first, so this thread visited it, or it was visited before this thread took the range.
#[derive(Clone, Copy)]
pub(super) struct Slots<'a> {
    pub forest: PropagationView<'a>,
    /// The slot that was visited last; one before the first, wrapping, in the beginning.
    pub last: u32,
    /// The slot behind the last one.
    pub end: u32,
    /// Slots before this one are below a change.
    pub below: u32,
}

impl Slots<'_> {
    #[inline(always)]
    pub fn next(&mut self) -> Option<u32> {
        let mut slot = self.last.wrapping_add(1);
        // Behind the changed subtrees only marked slots are visited, found 64 at a time.
        if slot >= self.below && slot < self.end {
            slot = self.forest.next_marked(slot);
        }
        self.last = slot;
        (slot < self.end).then_some(slot)
    }

    /// The children of the last slot have to follow: they stand before `end`. Extents nest: inside
    /// of a changed subtree this adds nothing, because `below` is behind that subtree already.
    #[inline(always)]
    pub fn follow(&mut self, end: u32) {
        if self.last >= self.below {
            self.below = end;
        }
    }
}

/// How many slots ahead matrices are prefetched.
///
/// A node takes about 5 ns, a line that is in no cache about 100. So 20 slots would be enough, and
/// 48 leave room for threads that share the memory. While slot 100 is computed, the matrices of
/// slot 148 are on their way ("prefetched" in docs/performance.md).
const AHEAD: u32 = 48;

/// What a thread carries from one slot to the next.
pub(super) struct Carried<S: Simd> {
    pub simd: S,
    pub computed: usize,
    pub changed: usize,
    /// The slot that was computed last, and its world, still in registers: in a chain it is the
    /// next slot's parent.
    pub last: u32,
    pub world: S::Matrix,
    /// The last look ahead found the row [`AHEAD`] rows further on. So rows probably follow one
    /// another, and [`Nodes::consecutive`] is worth a try.
    pub consecutive: bool,
}

/// What was last inherited in part, of which parent: siblings often inherit the same. Apart from
/// the carried, which stays in registers.
pub(super) struct LastInherited {
    parent: u32,
    parts: Inherits,
    matrix: Matrix4<f32>,
}

impl LastInherited {
    pub fn none() -> Self {
        Self { parent: NONE, parts: Inherits::ALL, matrix: Matrix4::identity() }
    }

    /// What a child inherits of its parent, which has this world.
    #[inline]
    pub fn of(&mut self, parent: u32, world: &Matrix4<f32>, parts: Inherits) -> &Matrix4<f32> {
        if (self.parent, self.parts) != (parent, parts) {
            *self = Self { parent, parts, matrix: inherited(world, parts) };
        }
        &self.matrix
    }
}

impl<S: Simd> Carried<S> {
    #[inline(always)]
    pub fn empty(simd: S) -> Self {
        let world = simd.load(&Matrix4::identity());
        Self { simd, computed: 0, changed: 0, last: NONE, world, consecutive: false }
    }
}

impl Nodes<'_> {
    /// Computes the world matrix at a slot if it is dirty or its parent's world changed. Returns
    /// whether the children have to follow: the world changed now, or had changed already.
    ///
    /// # Safety
    /// It is one of this thread's [`Slots`].
    #[inline(always)]
    pub unsafe fn visit<S: Simd>(
        &self,
        slot: u32,
        below: u32,
        carried: &mut Carried<S>,
        inherited: &mut LastInherited,
    ) -> bool {
        let &Node { row, parent, .. } = self.node(slot);
        let simd = carried.simd;
        // Parents come before their children. Roots have `NONE` or `HELD` here, and these are
        // greater than any slot: one comparison finds all roots.
        let (matrices, above) = match self.matrices.of(row) {
            Some(matrices) if matrices.is_whole && parent < slot => {
                if !self.is_stamped(parent) && !self.dirty(slot) {
                    return false;
                }
                let above = if parent == carried.last {
                    carried.world
                } else {
                    // SAFETY: the parent's world is final.
                    simd.load(unsafe { self.matrices.world(self.node(parent).row) })
                };
                (matrices, above)
            }
            // SAFETY: the caller's promise.
            _ => match unsafe { self.visit_other(slot, inherited) } {
                Ok(matrices) => (matrices, simd.load(&inherited.matrix)),
                Err((computed, changed)) => {
                    carried.computed += usize::from(computed);
                    carried.changed += usize::from(changed);
                    return self.follow(slot, changed);
                }
            },
        };
        // SAFETY: nothing else touches this world now.
        let (local, world) = unsafe { matrices.of(row) };
        let product = simd.product(above, simd.load(local));
        let changed = simd.replace(world, product);
        (carried.last, carried.world) = (slot, product);
        carried.computed += 1;
        if changed {
            carried.changed += 1;
            matrices.note_written(row.row);
        }
        self.prefetch_ahead(slot, below, carried);
        self.follow(slot, changed)
    }

    /// Prefetches the matrices that a later visit needs, if it will compute.
    #[inline(always)]
    fn prefetch_ahead<S: Simd>(&self, slot: u32, below: u32, carried: &mut Carried<S>) {
        let ahead = slot + AHEAD;
        if ahead < self.end && (ahead < below || self.dirty(ahead)) {
            let (row, next) = (self.node(slot).row, self.node(ahead).row);
            // The hardware prefetches consecutive rows by itself.
            if next.row.wrapping_sub(row.row) == AHEAD && next.archetype == row.archetype {
                carried.consecutive = true;
            } else {
                self.matrices.prefetch(next);
            }
        }
    }

    /// Computes what a node that is due inherits, into `inherited`, if it is a child that inherits
    /// its parent's world in part. Of other nodes, whether the world was computed here, and whether
    /// it changed: a held root has its local matrix; the worlds of other roots were composed
    /// before.
    ///
    /// # Safety
    /// As of [`visit`](Self::visit).
    #[cold]
    #[inline(never)]
    unsafe fn visit_other(
        &self,
        slot: u32,
        inherited: &mut LastInherited,
    ) -> Result<&RawMatrices, (bool, bool)> {
        let &Node { row, parent, .. } = self.node(slot);
        let is_linked = self.node(slot).is_linked();
        let is_due = self.dirty(slot) && (is_linked || self.node(slot).is_held())
            || is_linked && self.is_stamped(parent);
        let due = self.matrices.of(row).filter(|it| is_due && !it.local.is_null());
        let matrices = due.ok_or((false, false))?;
        if is_linked {
            // SAFETY: as in `visit`.
            let world = unsafe { self.matrices.world(self.node(parent).row) };
            inherited.of(parent, world, matrices.parts(row.row));
            return Ok(matrices);
        }
        // SAFETY: as in `visit`.
        let (local, world) = unsafe { matrices.of(row) };
        let changed = !world.same_bits(local);
        if changed {
            *world = *local;
            matrices.note_written(row.row);
        }
        Err((true, changed))
    }
}
