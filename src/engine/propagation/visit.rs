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
        inherited: &mut LastInherited,
    ) -> bool {
        let &Node { row, parent, .. } = self.node(slot);
        let simd = cursor.simd;
        // Parents come before their children. Roots have `NONE` or `HELD` here, and these are
        // greater than any slot: one comparison finds all roots.
        let (matrices, above) = match self.matrices.of(row) {
            Some(matrices) if matrices.is_whole && parent < slot => {
                if !self.is_stamped(parent) && !self.dirty(slot) {
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
            _ => match unsafe { self.visit_other(slot, inherited) } {
                Ok(matrices) => (matrices, simd.load(&inherited.matrix)),
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
            // The hardware prefetches consecutive rows by itself.
            if next.row.wrapping_sub(row.row) == AHEAD && next.archetype == row.archetype {
                cursor.consecutive = true;
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
