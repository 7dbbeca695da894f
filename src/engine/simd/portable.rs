//! A matrix as four registers, a column each, on `wide::f32x4`.

use nalgebra::Matrix4;
use wide::{f32x4, i32x4};

use super::operations::{FourRows, FourScales, Simd};
use crate::math::{InRegisters, LAST, UPPER, compose, scale_columns, translate};

/// The instruction set that every machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

/// The columns of a matrix.
#[derive(Clone, Copy)]
pub(crate) struct Matrix {
    columns: [f32x4; 4],
    /// Whether the bottom row is `0 0 0 1`.
    affine: bool,
}

impl Simd for Portable {
    type Matrix = Matrix;

    #[inline(always)]
    fn load(self, matrix: &Matrix4<f32>) -> Matrix {
        of_columns(load(matrix))
    }

    #[inline(always)]
    fn of_columns(self, [a, b, c, d]: [InRegisters; 4]) -> [Matrix; 4] {
        [of_columns(a), of_columns(b), of_columns(c), of_columns(d)]
    }

    #[inline(always)]
    fn replace(self, stored: &mut Matrix4<f32>, matrix: Matrix) -> bool {
        let (old, new) = (load(stored), &matrix.columns);
        let differing = |differ: fn(f32x4, f32x4) -> i32x4| {
            let [a, b, c, d] = [
                differ(old[0], new[0]),
                differ(old[1], new[1]),
                differ(old[2], new[2]),
                differ(old[3], new[3]),
            ];
            !((a | b) | (c | d)).simd_eq(i32x4::ZERO).all()
        };
        if !differing(differing_bits) {
            return false;
        }
        // A NaN in a row makes the row's sum a NaN. A sum may also be NaN without one: infinities
        // of both signs. So this only says where a closer look is needed.
        let sum = (new[0] + new[1]) + (new[2] + new[3]);
        if sum.is_nan().any() && !differing(differing_numbers) {
            return false;
        }
        *stored = to_matrix(matrix);
        true
    }

    #[inline(always)]
    fn product(self, parent: Matrix, local: Matrix) -> Matrix {
        if !(parent.affine & local.affine) {
            return self.load(&projective(&to_matrix(parent), &to_matrix(local)));
        }
        let [a, b, c, d] = parent.columns;
        let linear = [a, b, c];
        let [x, y, z, at] = local.columns;
        // The bottom row is 0 times the other rows: NaN where they are infinite.
        let columns = [
            times(linear, x) & UPPER,
            times(linear, y) & UPPER,
            times(linear, z) & UPPER,
            ((times(linear, at) + d) & UPPER) | LAST,
        ];
        Matrix { columns, affine: true }
    }

    #[inline(always)]
    fn scale(self, matrix: Matrix, axes: &[f32; 3]) -> Matrix {
        of_columns(scale_columns(matrix.columns, axes))
    }

    #[inline(always)]
    fn translate(self, translation: &[f32; 3], matrix: Matrix) -> Matrix {
        let Matrix { columns, affine } = matrix;
        Matrix { columns: translate(translation, columns), affine }
    }

    /// Lane `i` is row `i` until the columns are transposed back.
    #[inline(always)]
    fn compose(self, rows: &FourRows<'_>) -> [Matrix; 4] {
        let [q, r, s, t] = rows.rotation;
        let turns = [f32x4::new(*q), f32x4::new(*r), f32x4::new(*s), f32x4::new(*t)];
        let [a, b, c] = compose::linear(f32x4::transpose(turns), f32x4::ONE);
        let [x, y, z] = scales(&rows.scale);
        let a = f32x4::transpose([a[0] * x, a[1] * x, a[2] * x, f32x4::ZERO]);
        let b = f32x4::transpose([b[0] * y, b[1] * y, b[2] * y, f32x4::ZERO]);
        let c = f32x4::transpose([c[0] * z, c[1] * z, c[2] * z, f32x4::ZERO]);
        let d = last_columns(rows.translation);
        [
            Matrix { columns: [a[0], b[0], c[0], d[0]], affine: true },
            Matrix { columns: [a[1], b[1], c[1], d[1]], affine: true },
            Matrix { columns: [a[2], b[2], c[2], d[2]], affine: true },
            Matrix { columns: [a[3], b[3], c[3], d[3]], affine: true },
        ]
    }
}

// Written out instead of mapped over arrays: closures of `array::map` are compiled for the plain
// target, and called.

#[inline(always)]
fn load(matrix: &Matrix4<f32>) -> [f32x4; 4] {
    let [a, b, c, d] = matrix.data.0;
    [f32x4::new(a), f32x4::new(b), f32x4::new(c), f32x4::new(d)]
}

#[inline(always)]
fn of_columns(columns: InRegisters) -> Matrix {
    let [a, b, c, d] =
        [bits(columns[0]), bits(columns[1]), bits(columns[2]), bits(columns[3] ^ LAST)];
    let others = ((a | b | c) & i32x4::splat(i32::MAX)) | d;
    Matrix { columns, affine: others.to_array()[3] == 0 }
}

#[inline(always)]
fn to_matrix(matrix: Matrix) -> Matrix4<f32> {
    let mut result = Matrix4::zeros();
    let columns = &mut result.data.0;
    columns[0] = matrix.columns[0].to_array();
    columns[1] = matrix.columns[1].to_array();
    columns[2] = matrix.columns[2].to_array();
    columns[3] = matrix.columns[3].to_array();
    result
}

#[inline(always)]
fn bits(lanes: f32x4) -> i32x4 {
    // SAFETY: both are four lanes of 32 bits, and all bits are values of either.
    unsafe { std::mem::transmute::<f32x4, i32x4>(lanes) }
}

#[inline(always)]
fn differing_bits(old: f32x4, new: f32x4) -> i32x4 {
    bits(old ^ new)
}

/// The bits that differ, but none in lanes where both are NaN.
#[inline(always)]
fn differing_numbers(old: f32x4, new: f32x4) -> i32x4 {
    bits(old ^ new) & !bits(old.is_nan() & new.is_nan())
}

/// The product of three columns and the upper three rows of another.
#[inline(always)]
fn times(linear: [f32x4; 3], column: f32x4) -> f32x4 {
    let column = column.to_array();
    linear[0] * f32x4::splat(column[0])
        + linear[1] * f32x4::splat(column[1])
        + linear[2] * f32x4::splat(column[2])
}

/// The product where a bottom row is not `0 0 0 1`.
#[cold]
#[inline(never)]
fn projective(parent: &Matrix4<f32>, local: &Matrix4<f32>) -> Matrix4<f32> {
    compose::product(parent, local)
}

/// Four scales along each of the axes.
#[inline(always)]
fn scales(scales: &FourScales<'_>) -> [f32x4; 3] {
    match *scales {
        FourScales::Uniform(four) => [f32x4::new(*four); 3],
        FourScales::Axes(four) => {
            let at = lanes(four);
            let (a, b, c) = (at(0).to_array(), at(4).to_array(), at(8).to_array());
            [
                f32x4::new([a[0], a[3], b[2], c[1]]),
                f32x4::new([a[1], b[0], b[3], c[2]]),
                f32x4::new([a[2], b[1], c[0], c[3]]),
            ]
        }
    }
}

/// Four translations with a 1 each.
#[inline(always)]
fn last_columns(translations: &[[f32; 3]; 4]) -> [f32x4; 4] {
    let at = lanes(translations);
    let [_, x, y, z] = at(8).to_array();
    [
        (at(0) & UPPER) | LAST,
        (at(3) & UPPER) | LAST,
        (at(6) & UPPER) | LAST,
        f32x4::new([x, y, z, 1.0]),
    ]
}

/// Four floats from one of twelve on.
#[inline(always)]
fn lanes(vectors: &[[f32; 3]; 4]) -> impl Fn(usize) -> f32x4 {
    let floats = vectors.as_flattened();
    #[inline(always)]
    |i| f32x4::new([floats[i], floats[i + 1], floats[i + 2], floats[i + 3]])
}
