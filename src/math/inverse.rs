//! Inverses of matrices: of one, and of four at once.

use nalgebra::{Matrix4, Vector3};
use wide::f32x4;

use super::registers::{InRegisters, from_columns, is_affine, is_finite, of_lanes, transposed};

/// The inverse of a matrix, or `None` where there is no finite one.
///
/// Computed in `f64`, where the determinant of a small `f32` matrix does not vanish, and rounded
/// once. A matrix whose bottom row is `(0, 0, 0, 1)` has an inverse of that kind, `[A⁻¹, -A⁻¹ t]`.
#[must_use]
#[inline(always)]
pub fn inverse(matrix: &Matrix4<f32>) -> Option<Matrix4<f32>> {
    let columns = match is_affine(matrix) {
        true => {
            let [[a, b, c, _], [d, e, f, _], [g, h, i, _], [j, k, l, _]] = matrix.data.0;
            let [a, b, c, d, e, f, g, h, i, j, k, l] =
                affine_inverse([a, b, c, d, e, f, g, h, i, j, k, l]);
            let (x, y) = (f32x4::new([a, b, c, 0.0]), f32x4::new([d, e, f, 0.0]));
            [x, y, f32x4::new([g, h, i, 0.0]), f32x4::new([j, k, l, 1.0])]
        }
        false => general_inverse(matrix)?,
    };
    is_finite(columns).then(|| from_columns(columns))
}

/// The upper three rows of the inverse, column by column, from those of a matrix whose bottom row
/// is `(0, 0, 0, 1)`. If an element is infinite or NaN, there is no inverse.
///
/// By cofactors: the rows of `A⁻¹` are `b × c`, `c × a` and `a × b` of its columns, divided by the
/// determinant. Products of two `f32` are exact in `f64`. It has no branch: a loop over several
/// matrices has one in each lane of a vector.
#[inline(always)]
pub(crate) fn affine_inverse(columns: [f32; 12]) -> [f32; 12] {
    let [ax, ay, az, bx, by, bz, cx, cy, cz, tx, ty, tz] = columns;
    let (a, b) = ([ax.into(), ay.into(), az.into()], [bx.into(), by.into(), bz.into()]);
    let (c, t) = ([cx.into(), cy.into(), cz.into()], [tx.into(), ty.into(), tz.into()]);
    let (x, y, z) = (cross(b, c), cross(c, a), cross(a, b));
    let factor = 1.0 / dot(a, x);
    let (x, y, z) = (times(x, factor), times(y, factor), times(z, factor));
    let at = [-dot(x, t) as f32, -dot(y, t) as f32, -dot(z, t) as f32];
    let column = {
        #[inline(always)]
        |i: usize| [x[i] as f32, y[i] as f32, z[i] as f32]
    };
    let ([a, b, c], [d, e, f], [g, h, i]) = (column(0), column(1), column(2));
    [a, b, c, d, e, f, g, h, i, at[0], at[1], at[2]]
}

#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn times(a: [f64; 3], factor: f64) -> [f64; 3] {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// The inverses of four matrices, a lane a matrix. `None` if one of them has no finite inverse, or
/// another bottom row than `(0, 0, 0, 1)`.
#[inline(always)]
pub(crate) fn affine_inverses(matrices: &[Matrix4<f32>; 4]) -> Option<[InRegisters; 4]> {
    let (lanes, bottom) = transposed(matrices);
    let mut inverse = [[0.0; 4]; 12];
    // Zero where all is finite, and the bottom row is `0 0 0 1`.
    let mut odd = [0.0; 4];
    for i in 0..4 {
        let [a, b, c, d, e, f, g, h, j, k, l, m] = &lanes;
        let columns = affine_inverse([
            a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i], j[i], k[i], l[i], m[i],
        ]);
        odd[i] = bottom[i];
        for (lanes, number) in inverse.iter_mut().zip(columns) {
            lanes[i] = number;
            odd[i] += number * 0.0;
        }
    }
    let column = {
        #[inline(always)]
        |i: usize| {
            let [x, y, z] = [inverse[3 * i], inverse[3 * i + 1], inverse[3 * i + 2]];
            [f32x4::new(x), f32x4::new(y), f32x4::new(z)]
        }
    };
    let columns = of_lanes([column(0), column(1), column(2), column(3)]);
    (odd == [0.0; 4]).then_some(columns)
}

#[cold]
fn general_inverse(matrix: &Matrix4<f32>) -> Option<[f32x4; 4]> {
    let inverse = matrix.cast::<f64>().try_inverse()?;
    Some(inverse.data.0.map(|column| f32x4::new(column.map(|x| x as f32))))
}

/// The inverse of a scale along the axes. It is always finite: an axis whose reciprocal is not
/// finite gives 0.
#[must_use]
pub(crate) fn scale_inverse(axes: &Vector3<f32>) -> Matrix4<f32> {
    let inverse = axes.map(|s| {
        let inverse = 1.0 / s;
        if inverse.is_finite() { inverse } else { 0.0 }
    });
    Matrix4::new_nonuniform_scaling(&inverse)
}
