//! The operations that the loops need of an instruction set, and columns, which the kernels read
//! four rows at a time.

use nalgebra::Matrix4;

use crate::math::InRegisters;

/// An instruction set. A value of the type is the proof that the machine has it.
///
/// All functions must be inlined: a function that is called from a loop is compiled for the plain
/// target, and not for this instruction set.
pub(crate) trait Simd: Copy {
    /// A matrix in registers.
    type Matrix: Copy;

    fn load(self, matrix: &Matrix4<f32>) -> Self::Matrix;

    /// Four matrices of their columns.
    fn of_columns(self, matrices: [InRegisters; 4]) -> [Self::Matrix; 4];

    /// Writes a matrix if it differs; NaNs count as equal. Returns whether it did.
    fn replace(self, stored: &mut Matrix4<f32>, matrix: Self::Matrix) -> bool;

    /// [`compose::product`](crate::math::compose::product): `parent * local`.
    fn product(self, parent: Self::Matrix, local: Self::Matrix) -> Self::Matrix;

    /// [`scale_columns`](crate::math::scale_columns).
    fn scale(self, matrix: Self::Matrix, axes: &[f32; 3]) -> Self::Matrix;

    /// [`translate`](crate::math::translate).
    fn translate(self, translation: &[f32; 3], matrix: Self::Matrix) -> Self::Matrix;

    /// [`compose::translation_rotation_scale`](crate::math::compose::translation_rotation_scale) of
    /// four rows.
    fn compose(self, rows: &FourRows<'_>) -> [Self::Matrix; 4];
}

/// Four rows of translations, rotations and scales.
#[derive(Clone, Copy)]
pub(crate) struct FourRows<'a> {
    pub translation: &'a [[f32; 3]; 4],
    /// Quaternions, `x y z w`.
    pub rotation: &'a [[f32; 4]; 4],
    pub scale: FourScales<'a>,
}

#[derive(Clone, Copy)]
pub(crate) enum FourScales<'a> {
    Uniform(&'a [f32; 4]),
    Axes(&'a [[f32; 3]; 4]),
}

/// The factors of an archetype's local matrices, `T inverse R S`: columns as long as the archetype,
/// empty where a component is absent or does not count. R and S have one column each at most.
#[derive(Clone, Copy, Default)]
pub(crate) struct Factors<'a> {
    pub translation: &'a [[f32; 3]],
    pub inverse: &'a [Matrix4<f32>],
    /// Rotations as quaternions, or as matrices.
    pub turn: &'a [[f32; 4]],
    pub rotation: &'a [Matrix4<f32>],
    /// Scales: one number a row, three, or a matrix.
    pub uniform: &'a [f32],
    pub axes: &'a [[f32; 3]],
    pub scale: &'a [Matrix4<f32>],
}

/// Four rows of a column from one on; of an absent one, those in its place.
#[inline(always)]
pub(super) fn four<'a, T>(column: &'a [T], row: usize, absent: &'static [T; 4]) -> &'a [T; 4] {
    if column.is_empty() {
        return absent;
    }
    let four = column.get(row..).and_then(|rows| rows.first_chunk());
    four.expect("columns of one archetype are equally long")
}
