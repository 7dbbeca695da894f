//! What an instruction set has to offer.

use nalgebra::Matrix4;

use super::columns::FourRows;

/// An instruction set. A value of the type is the proof that the machine has it.
///
/// All functions are inlined, also where the compiler would not: a loop is compiled for the
/// instruction set as a whole.
pub(crate) trait Simd: Copy {
    /// A matrix in registers.
    type Matrix: Copy;

    /// What tells whether many matrices are finite: zero as long as all are, NaN from the first on
    /// that is not.
    type Zero: Copy;

    fn load(self, matrix: &Matrix4<f32>) -> Self::Matrix;

    fn store(self, stored: &mut Matrix4<f32>, matrix: Self::Matrix);

    /// Writes a matrix if it differs; NaNs count as equal. Returns whether it did.
    fn replace(self, stored: &mut Matrix4<f32>, matrix: Self::Matrix) -> bool;

    /// [`compose::product`](crate::math::compose::product): `parent * local`.
    fn product(self, parent: Self::Matrix, local: &Matrix4<f32>) -> Self::Matrix;

    /// [`compose::translation_rotation_scale`](crate::math::compose::translation_rotation_scale) of
    /// four rows.
    fn compose(self, rows: &FourRows<'_>) -> [Self::Matrix; 4];

    fn zero(self) -> Self::Zero;

    /// Adds zero times four matrices.
    fn check(self, zero: Self::Zero, matrices: &[Self::Matrix; 4]) -> Self::Zero;

    /// Whether all matrices were finite. Some that are, and have elements of the order of
    /// `f32::MAX`, may count as not finite.
    fn all_finite(self, zero: Self::Zero) -> bool;
}
