//! One node: whether its world has to be computed, and computing it.
#![allow(unsafe_code)]

use nalgebra::Matrix4;

use super::{matrices::RawMatrices, nodes::Nodes};
use crate::{
    components::Inherits,
    engine::{
        forest::{NONE, Node},
        simd::Simd,
    },
    math::{SameBits, inherited},
};

/// How many slots ahead matrices are prefetched.
///
/// A node takes about 5 ns, a line that is in no cache about 100. So 20 slots would be enough, and
/// 48 leave room for threads that share the memory. While slot 100 is computed, the matrices of
/// slot 148 are on their way ("prefetched" in docs/measurements.md).
const AHEAD: u32 = 48;

/// What a thread carries from one slot to the next.
pub(super) struct Cursor<S: Simd> {
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
/// the cursor, which stays in registers.
pub(super) struct Part {
    parent: u32,
    parts: Inherits,
    matrix: Matrix4<f32>,
}

impl Part {
    pub fn none() -> Self {
        Self { parent: NONE, parts: Inherits::ALL, matrix: Matrix4::identity() }
    }
}

impl<S: Simd> Cursor<S> {
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
    /// It is one of this thread's [`Slots`](super::nodes::Slots).
    #[inline(always)]
    pub unsafe fn visit<S: Simd>(
        &self,
        slot: u32,
        below: u32,
        cursor: &mut Cursor<S>,
        part: &mut Part,
    ) -> bool {
        let &Node { row, parent, .. } = self.node(slot);
        let simd = cursor.simd;
        // Parents come before their children. Roots have `NONE` or `CYCLE` here, and these are
        // greater than any slot: one comparison finds all roots.
        let (matrices, above) = match self.matrices.computed(row) {
            Some(matrices) if parent < slot => {
                if !self.has_changed(parent) && !self.dirty(slot) {
                    return false;
                }
                let above = if parent == cursor.last {
                    cursor.world
                } else {
                    // SAFETY: the parent's world is final.
                    simd.load(unsafe { self.matrices.world(self.node(parent).row) })
                };
                (matrices, above)
            }
            // SAFETY: the caller's promise.
            _ => match unsafe { self.visit_other(slot, part) } {
                Ok((matrices, above)) => (matrices, simd.load(&above)),
                Err((computed, changed)) => {
                    cursor.computed += usize::from(computed);
                    cursor.changed += usize::from(changed);
                    return self.follow(slot, changed);
                }
            },
        };
        // SAFETY: nothing else touches this world now.
        let (local, world) = unsafe { matrices.of(row) };
        let product = simd.product(above, simd.load(local));
        let changed = simd.replace(world, product);
        (cursor.last, cursor.world) = (slot, product);
        cursor.computed += 1;
        if changed {
            cursor.changed += 1;
            matrices.note_written(row.row);
        }
        self.prefetch_ahead(slot, below, cursor);
        self.follow(slot, changed)
    }

    /// Prefetches the matrices that a later visit needs, if it will compute.
    #[inline(always)]
    fn prefetch_ahead<S: Simd>(&self, slot: u32, below: u32, cursor: &mut Cursor<S>) {
        let ahead = slot + AHEAD;
        if ahead < self.end && (ahead < below || self.dirty(ahead)) {
            let (row, next) = (self.node(slot).row, self.node(ahead).row);
            // The hardware prefetches consecutive rows by itself. The loop for these computes no
            // parts of parents' worlds.
            if next.row.wrapping_sub(row.row) == AHEAD && next.archetype == row.archetype {
                cursor.consecutive = self.matrices.computed(next).is_some();
            } else {
                self.matrices.prefetch(next);
            }
        }
    }

    /// What a node that is due inherits, if it is a child that inherits its parent's world in part.
    /// Of other nodes, whether the world was computed here, and whether it changed: a root on a
    /// cycle has its local matrix; the worlds of other roots were composed before.
    ///
    /// # Safety
    /// As of [`visit`](Self::visit).
    #[cold]
    #[inline(never)]
    unsafe fn visit_other(
        &self,
        slot: u32,
        last: &mut Part,
    ) -> Result<(&RawMatrices, Matrix4<f32>), (bool, bool)> {
        let node = self.node(slot);
        let is_due = match node.is_linked() {
            true => self.dirty(slot) || self.has_changed(node.parent),
            false => self.dirty(slot) && node.is_cyclic(),
        };
        let due = is_due.then(|| self.matrices.computed_somehow(node.row)).flatten();
        let Some((matrices, parts)) = due else { return Err((false, false)) };
        if node.is_linked() {
            if (last.parent, last.parts) != (node.parent, parts) {
                // SAFETY: as in `visit`.
                let world = unsafe { self.matrices.world(self.node(node.parent).row) };
                *last = Part { parent: node.parent, parts, matrix: inherited(world, parts) };
            }
            return Ok((matrices, last.matrix));
        }
        // SAFETY: as in `visit`.
        let (local, world) = unsafe { matrices.of(node.row) };
        let changed = !world.same_bits(local);
        if changed {
            *world = *local;
            matrices.note_written(node.row.row);
        }
        Err((true, changed))
    }
}
