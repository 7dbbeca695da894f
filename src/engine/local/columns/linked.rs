//! Local matrices of rows of which not all have a parent: without one, `ParentScaleInverse` does
//! not count.
//!
//! ```text
//!  inputs of the archetype      linked row                  row without parent
//!  ParentScaleInverse alone     its value is the matrix     the user's matrix stays
//!  Translation as well          T ParentScaleInverse        T
//! ```

use nalgebra::Matrix4;

use crate::engine::{
    forest::{Forest, NONE},
    simd::{Factors, Formula, Simd},
};

/// The local matrices of an archetype.
#[derive(Clone, Copy)]
pub(super) struct Linked<'a> {
    pub factors: Factors<'a>,
    pub forest: &'a Forest,
    /// The slots of the rows.
    pub slots: &'a [u32],
}

impl Linked<'_> {
    /// Whether a row has a parent.
    #[inline]
    pub fn is_linked(&self, row: usize) -> bool {
        self.slots.get(row).is_some_and(|&slot| slot != NONE && self.forest.is_linked(slot))
    }
}

impl Formula for Linked<'_> {
    fn one(&self, row: usize) -> Matrix4<f32> {
        let inverse = if self.is_linked(row) { self.factors.inverse } else { &[] };
        Factors { inverse, ..self.factors }.one(row)
    }

    #[inline(always)]
    fn four<S: Simd>(&self, simd: S, row: usize) -> [S::Matrix; 4] {
        if self.factors.inverse.is_empty() || (row..row + 4).all(|row| self.is_linked(row)) {
            return self.factors.four(simd, row);
        }
        [0, 1, 2, 3].map(|i| simd.load(&self.one(row + i)))
    }
}
