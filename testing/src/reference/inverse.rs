//! The inverse of a 4x4 in `f64`, and how far an `f32` inverse may be from it.

use crate::reference::{
    algebra::{A, M, inverse_and_determinant, product, without},
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

/// How the inverse of `matrix`, whose elements are exact, is to be judged: it is computed in `f64`
/// and rounded to `f32` once.
///
/// How far off it may be follows from the *condition* of the matrix: what its inverse makes of the
/// error of one rounding of each element, `|inverse| |matrix| |inverse|`. A turn by 45 degrees has
/// inverse elements of 0.7, and may be off by 4e-7; with a scale of 0.001 along one axis these are
/// 700, and may be off by 4e-4.
#[must_use]
pub fn inverse(matrix: &M) -> Inverse {
    if has_none(matrix) {
        return Inverse::None;
    }
    let Some((value, determinant)) = inverse_and_determinant(matrix) else {
        return Inverse::Unclear;
    };
    let sizes = matrix.abs();
    // Cofactors and the determinant are sums of products, so their errors in f64 are relative to
    // the sums of the magnitudes.
    let (largest, scale) = (permanent4(&sizes), 1.0 / determinant.abs());
    if determinant.abs() < 64.0 * f64::EPSILON * largest {
        return Inverse::Unclear;
    }
    let condition = product(&product(&value.abs(), &sizes), &value.abs());
    let tolerance = M::from_fn(|row, column| {
        let cofactor = permanent3(&without(&sizes, column, row));
        let in_f64 = cofactor * scale + value[(row, column)].abs() * largest * scale;
        2.0 * f64::from(f32::EPSILON) * condition[(row, column)] + 64.0 * f64::EPSILON * in_f64
    });
    let beyond = |by: f64| {
        value.zip_fold(&tolerance, false, |any, value, error| {
            any || value.abs() + by * error > f64::from(f32::MAX)
        })
    };
    match (beyond(-1.0), beyond(1.0)) {
        (true, _) => Inverse::None,
        (false, true) => Inverse::Unclear,
        (false, false) => Inverse::Finite(Bounded::within(value, tolerance)),
    }
}

/// Whether an element is not finite, or a row or a column is 0.
fn has_none(matrix: &M) -> bool {
    matrix.iter().any(|x| !x.is_finite())
        || matrix.row_iter().any(|row| row.iter().all(|x| *x == 0.0))
        || matrix.column_iter().any(|column| column.iter().all(|x| *x == 0.0))
}

fn permanent3(m: &A) -> f64 {
    m[(0, 0)] * (m[(1, 1)] * m[(2, 2)] + m[(1, 2)] * m[(2, 1)])
        + m[(0, 1)] * (m[(1, 0)] * m[(2, 2)] + m[(1, 2)] * m[(2, 0)])
        + m[(0, 2)] * (m[(1, 0)] * m[(2, 1)] + m[(1, 1)] * m[(2, 0)])
}

fn permanent4(m: &M) -> f64 {
    (0..4).map(|column| m[(0, column)] * permanent3(&without(m, 0, column))).sum()
}

/// The inverse of a matrix that itself carries errors, and whether it is known.
#[must_use]
pub fn inverse_of(matrix: &Bounded) -> Inverse {
    if matrix.is_unknown() {
        return Inverse::Unclear;
    }
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
        // A row of errors is not a row of zeros.
        Inverse::None if !has_none(&matrix.magnitude) => Inverse::Unclear,
        other => other,
    }
}
