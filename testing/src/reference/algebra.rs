//! What the formulas need of linear algebra, from the definitions and in `f64`. Nothing here calls
//! the functions that the crate under test is built on: nalgebra's types are storage alone.

use nalgebra::{Matrix3, Matrix4, Vector3};

/// A 4x4 in `f64`, for column vectors.
pub type M = Matrix4<f64>;
/// A vector in `f64`.
pub type V = Vector3<f64>;
/// The upper left 3x3.
pub(crate) type A = Matrix3<f64>;

/// Row times column. Where the bottom row is (0, 0, 0, 1), a place that is infinite has no part in
/// the axes: 0 times infinity would be a NaN.
#[must_use]
pub fn product(a: &M, b: &M) -> M {
    let is_affine = [0.0, 0.0, 0.0, 1.0] == [0, 1, 2, 3].map(|column| b[(3, column)]);
    M::from_fn(|row, column| {
        let [x, y, z, place] = [0, 1, 2, 3].map(|k| a[(row, k)] * b[(k, column)]);
        let axes = x + y + z;
        if is_affine && column < 3 { axes } else { axes + place }
    })
}

/// Row times column.
pub(crate) fn product3(a: &A, b: &A) -> A {
    A::from_fn(|row, column| (0..3).map(|k| a[(row, k)] * b[(k, column)]).sum())
}

/// The rows as columns.
pub(crate) fn turned_over(a: &A) -> A {
    A::from_fn(|row, column| a[(column, row)])
}

/// The inverse and the determinant, by cofactors: what is 0 comes out as 0.
pub(crate) fn inverse_and_determinant(matrix: &M) -> Option<(M, f64)> {
    let cofactor = |row: usize, column: usize| {
        let rest = without(matrix, row, column);
        let sign = if (row + column).is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * dot(axis(&rest, 0), cross(axis(&rest, 1), axis(&rest, 2)))
    };
    let determinant: f64 = (0..4).map(|column| matrix[(0, column)] * cofactor(0, column)).sum();
    let inverse = M::from_fn(|row, column| cofactor(column, row) / determinant);
    (determinant != 0.0).then_some((inverse, determinant))
}

/// The 3x3 that is left without a row and a column.
pub(crate) fn without(matrix: &M, row: usize, column: usize) -> A {
    const LEFT: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];
    A::from_fn(|r, c| matrix[(LEFT[row][r], LEFT[column][c])])
}

/// The upper left 3x3.
pub(crate) fn linear(matrix: &M) -> A {
    A::from_fn(|row, column| matrix[(row, column)])
}

/// A 4x4 with this upper left 3x3, and the identity elsewhere.
pub(crate) fn with_linear(a: &A) -> M {
    M::from_fn(|row, column| match (row < 3, column < 3) {
        (true, true) => a[(row, column)],
        _ => f64::from(u8::from(row == column)),
    })
}

pub(crate) fn axis(a: &A, column: usize) -> V {
    V::new(a[(0, column)], a[(1, column)], a[(2, column)])
}

pub(crate) fn dot(a: V, b: V) -> f64 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

pub(crate) fn cross(a: V, b: V) -> V {
    V::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

pub(crate) fn length(a: V) -> f64 {
    // Scaled, so that squares neither overflow nor vanish.
    let largest = a.x.abs().max(a.y.abs()).max(a.z.abs());
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let unit = a / largest;
    largest * dot(unit, unit).sqrt()
}

/// The smallest and the largest factor by which a 3x3 stretches a vector: its singular values, from
/// the closed form of the eigenvalues of a symmetric 3x3.
pub(crate) fn stretch(a: &A) -> (f64, f64) {
    let square = A::from_fn(|row, column| dot(axis(a, row), axis(a, column)));
    let mean = (square[(0, 0)] + square[(1, 1)] + square[(2, 2)]) / 3.0;
    let off = square - A::from_diagonal_element(mean);
    let spread = (off.iter().map(|x| x * x).sum::<f64>() / 6.0).sqrt();
    if spread <= mean * 1e-15 {
        return (mean.max(0.0).sqrt(), mean.max(0.0).sqrt());
    }
    let unit = off / spread;
    let half = dot(axis(&unit, 0), cross(axis(&unit, 1), axis(&unit, 2))) / 2.0;
    let angle = half.clamp(-1.0, 1.0).acos() / 3.0;
    let eigenvalue = |turn: f64| (mean + 2.0 * spread * (angle + turn).cos()).max(0.0).sqrt();
    (eigenvalue(std::f64::consts::TAU / 3.0), eigenvalue(0.0))
}

/// The product of three perpendicular unit axes, and how long each column is beyond those before
/// it, relative to itself: Gram and Schmidt, twice for the sake of accuracy.
pub(crate) fn orthonormal(a: &A) -> (A, [f64; 3]) {
    let mut q = A::zeros();
    let mut beyond = [0.0; 3];
    for (column, beyond) in beyond.iter_mut().enumerate() {
        let whole = axis(a, column);
        let mut rest = whole;
        for _ in 0..2 {
            for before in 0..column {
                let unit = axis(&q, before);
                rest -= unit * dot(unit, rest);
            }
        }
        *beyond = length(rest) / length(whole);
        q.set_column(column, &(rest / length(rest)));
    }
    (q, beyond)
}
