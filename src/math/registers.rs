//! Matrices in registers, a column each, and four matrices in lanes.
//!
//! ```text
//!  a matrix in registers      x   y   z   at            each a column of four numbers
//!  four matrices in lanes     x.x of all four, x.y of all four, ... at.z of all four
//! ```
//!
//! A matrix that is stored in parts and read as a whole keeps the processor waiting.

use nalgebra::{ArrayStorage, Matrix4};
use wide::f32x4;

/// A matrix, a register a column.
pub(crate) type InRegisters = [f32x4; 4];

/// The last column of the identity.
pub(crate) const LAST: f32x4 = f32x4::new([0.0, 0.0, 0.0, 1.0]);

/// All bits in the upper three rows.
pub(crate) const UPPER: f32x4 = f32x4::new([ALL_BITS, ALL_BITS, ALL_BITS, 0.0]);
const ALL_BITS: f32 = f32::from_bits(u32::MAX);

/// A column whose last element is 0.
#[inline(always)]
pub(crate) fn column(&[x, y, z]: &[f32; 3]) -> f32x4 {
    f32x4::new([x, y, z, 0.0])
}

/// `matrix S(axes)`
#[inline(always)]
pub(crate) fn scale_columns([x, y, z, at]: InRegisters, axes: &[f32; 3]) -> InRegisters {
    [x * axes[0], y * axes[1], z * axes[2], at]
}

/// `T(translation) matrix`, projective bottom rows included.
#[inline(always)]
pub(crate) fn translate(translation: &[f32; 3], [x, y, z, at]: InRegisters) -> InRegisters {
    let t = column(translation);
    let moved = {
        #[inline(always)]
        |from: f32x4| {
            let bottom = from.to_array()[3];
            (from + t * bottom) & UPPER | from & !UPPER
        }
    };
    [moved(x), moved(y), moved(z), moved(at)]
}

/// The matrix of these columns.
#[inline]
pub(crate) fn from_columns(columns: [f32x4; 4]) -> Matrix4<f32> {
    Matrix4::from_data(ArrayStorage(columns.map(f32x4::to_array)))
}

/// Whether the bottom row is `(0, 0, 0, 1)`.
#[inline]
#[must_use]
pub(crate) fn is_affine(m: &Matrix4<f32>) -> bool {
    let c = &m.data.0;
    // Sums of bits, not short-circuits: four loads and one branch.
    (c[0][3].to_bits() | c[1][3].to_bits() | c[2][3].to_bits()) << 1 == 0 && c[3][3] == 1.0
}

/// Whether no element is infinite or NaN.
#[inline(always)]
pub(crate) fn is_finite([a, b, c, d]: InRegisters) -> bool {
    // 0 times infinity or NaN is NaN.
    let (zero, a, b, c, d) = (f32x4::ZERO, a * 0.0, b * 0.0, c * 0.0, d * 0.0);
    ((a + b) + (c + d)).simd_eq(zero).all()
}

/// The numbers of four vectors: all x, all y, all z.
#[inline(always)]
pub(crate) fn lanes([a, b, c, d]: &[[f32; 3]; 4]) -> [f32x4; 3] {
    [
        f32x4::new([a[0], b[0], c[0], d[0]]),
        f32x4::new([a[1], b[1], c[1], d[1]]),
        f32x4::new([a[2], b[2], c[2], d[2]]),
    ]
}

/// Four matrices, of which the upper three rows are given column by column, a lane a matrix.
#[inline(always)]
pub(crate) fn of_lanes(columns: [[f32x4; 3]; 4]) -> [InRegisters; 4] {
    let column = {
        #[inline(always)]
        |[x, y, z]: [f32x4; 3], bottom| f32x4::transpose([x, y, z, bottom])
    };
    let (a, b) = (column(columns[0], f32x4::ZERO), column(columns[1], f32x4::ZERO));
    let (c, d) = (column(columns[2], f32x4::ZERO), column(columns[3], f32x4::ONE));
    [
        [a[0], b[0], c[0], d[0]],
        [a[1], b[1], c[1], d[1]],
        [a[2], b[2], c[2], d[2]],
        [a[3], b[3], c[3], d[3]],
    ]
}

/// The upper three rows of four matrices, column by column, a lane a matrix. And a lane a matrix
/// that is zero where the bottom row is `(0, 0, 0, 1)`.
#[inline(always)]
pub(crate) fn transposed(matrices: &[Matrix4<f32>; 4]) -> ([[f32; 4]; 12], [f32; 4]) {
    let (mut lanes, mut bottom) = ([[0.0; 4]; 12], f32x4::ZERO);
    for column in 0..4 {
        let four = {
            #[inline(always)]
            |i: usize| f32x4::new(matrices[i].data.0[column])
        };
        let [x, y, z, w] = f32x4::transpose([four(0), four(1), four(2), four(3)]);
        lanes[3 * column] = x.to_array();
        lanes[3 * column + 1] = y.to_array();
        lanes[3 * column + 2] = z.to_array();
        bottom |= if column < 3 { w } else { w - f32x4::ONE };
    }
    (lanes, bottom.to_array())
}
