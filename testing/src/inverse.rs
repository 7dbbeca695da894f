//! The inverse of a 4x4 in `f64`, and how far an `f32` inverse may be from it.

use nalgebra::Matrix3;

use crate::{
    algebra::{M, inverse_and_determinant, product},
    bounded::{Bounded, UNIT},
};

/// What the inverse of a matrix must be.
#[allow(clippy::large_enum_variant)] // short-lived, and most of them are the large one
#[derive(Clone, Copy, Debug)]
pub enum Inverse {
    /// Close to this one.
    Finite(Bounded),
    /// There is none: the identity, and a finding.
    None,
    /// `f32` cannot decide it: any finite matrix, or the identity and a finding.
    Unclear,
}

/// How the inverse of `matrix`, which came from `f32`, is to be judged.
#[must_use]
pub fn inverse(matrix: &M) -> Inverse {
    if has_none(matrix) {
        return Inverse::None;
    }
    let Some((value, determinant)) = inverse_and_determinant(matrix) else {
        return Inverse::Unclear;
    };
    let largest = permanent4(&matrix.abs());
    // The determinant that f32 sees is off by rounding errors of this size.
    let blur = 64.0 * f64::from(f32::EPSILON) * largest;
    let ordinary = |x: f64| x > 1e-28 && x < 1e28;
    if determinant.abs() < 4.0 * blur || !ordinary(determinant.abs()) || !ordinary(largest) {
        return Inverse::Unclear;
    }
    if value.iter().any(|x| x.abs() > 1e28) {
        return Inverse::Unclear;
    }
    // Cofactors and the determinant are sums of products: their errors are relative to the sums of
    // the magnitudes.
    let scale = 1.0 / determinant.abs();
    let mut magnitude = M::zeros();
    for row in 0..4 {
        for column in 0..4 {
            let cofactor = permanent3(&matrix.abs().remove_row(column).remove_column(row));
            magnitude[(row, column)] =
                4.0 * (cofactor * scale + value[(row, column)].abs() * largest * scale);
        }
    }
    let componentwise = product(&product(&value.abs(), &matrix.abs()), &value.abs());
    Inverse::Finite(Bounded { value, magnitude: magnitude.sup(&componentwise) })
}

/// Whether an element is not finite, or a row or a column is 0.
fn has_none(matrix: &M) -> bool {
    matrix.iter().any(|x| !x.is_finite())
        || matrix.row_iter().any(|row| row.iter().all(|x| *x == 0.0))
        || matrix.column_iter().any(|column| column.iter().all(|x| *x == 0.0))
}

fn permanent3(m: &Matrix3<f64>) -> f64 {
    m[(0, 0)] * (m[(1, 1)] * m[(2, 2)] + m[(1, 2)] * m[(2, 1)])
        + m[(0, 1)] * (m[(1, 0)] * m[(2, 2)] + m[(1, 2)] * m[(2, 0)])
        + m[(0, 2)] * (m[(1, 0)] * m[(2, 1)] + m[(1, 1)] * m[(2, 0)])
}

fn permanent4(m: &M) -> f64 {
    (0..4).map(|column| m[(0, column)] * permanent3(&m.remove_row(0).remove_column(column))).sum()
}

/// The inverse of a matrix that itself carries errors, and whether it can be told.
#[must_use]
pub fn inverse_of(matrix: &Bounded) -> Inverse {
    match inverse(&matrix.value) {
        Inverse::Finite(of_value) => {
            let size = of_value.value.abs();
            let carried = product(&product(&size, &matrix.magnitude), &size);
            // Beyond the first order of the error nothing is known.
            let is_near = product(&size, &matrix.magnitude).iter().all(|x| x * UNIT < 0.05);
            let magnitude = of_value.magnitude + carried * 2.0;
            if is_near {
                Inverse::Finite(Bounded { value: of_value.value, magnitude })
            } else {
                Inverse::Unclear
            }
        }
        // A row of errors is no row of zeros.
        Inverse::None if !has_none(&matrix.magnitude) => Inverse::Unclear,
        other => other,
    }
}
