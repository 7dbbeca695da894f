//! The operations that the loops need of an instruction set.

use nalgebra::Matrix4;

use super::columns::FourRows;
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
