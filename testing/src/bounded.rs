//! Matrices with the error that computing them in `f32` may have.

use nalgebra::Matrix4;

use crate::algebra::{M, linear, product, stretch};

/// A matrix and, element by element, the sum of the magnitudes of the products it is made of: what
/// rounding errors are relative to, however much cancels.
///
/// An element may be off by 24 roundings of an `f32` (2.9e-6) times its magnitude.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    /// The matrix.
    pub value: M,
    /// What errors of its elements are relative to.
    pub magnitude: M,
}

/// Roundings that an element may have gone through in `f32`, with room to spare.
const ROUNDINGS: f64 = 24.0;

/// The error of an element of magnitude 1.
pub(crate) const UNIT: f64 = ROUNDINGS * f32::EPSILON as f64;

/// An element that is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// Its row and its column.
    pub at: (usize, usize),
    /// What it should be.
    pub expected: f64,
    /// By how much it may be off.
    pub within: f64,
}

impl Bounded {
    /// A matrix that is known to the last bit.
    #[must_use]
    pub fn exact(value: M) -> Self {
        Self { value, magnitude: value.abs() }
    }

    /// Off by at most so much, element by element.
    #[must_use]
    pub fn within(value: M, tolerance: M) -> Self {
        Self { value, magnitude: tolerance / UNIT }
    }

    /// A matrix of which `f32` can tell nothing.
    #[must_use]
    pub fn unknown() -> Self {
        Self { value: M::identity(), magnitude: M::repeat(f64::from(f32::MAX)) }
    }

    /// Whether the matrix carries no errors.
    pub(crate) fn is_exact(&self) -> bool {
        self.magnitude == self.value.abs()
    }

    /// Whether nothing can be told of some element, because `f32` may overflow on the way.
    pub(crate) fn is_unknown(&self) -> bool {
        let largest = f64::from(f32::MAX) / 16.0;
        self.magnitude.iter().any(|m| *m > largest)
    }

    /// The element that is furthest from what it should be, measured in what it may be off, if
    /// `actual` is not this matrix computed in `f32`.
    #[must_use]
    pub fn wrong_element(&self, actual: &Matrix4<f32>) -> Option<Element> {
        let element = |index: usize, within: f64| Element {
            at: (index % 4, index / 4),
            expected: self.value[index],
            within,
        };
        if !self.magnitude.iter().all(|m| m.is_finite()) {
            // Which elements a NaN spreads to depends on the order of the operations; that it
            // spreads does not.
            let spread = actual.iter().any(|x| !x.is_finite());
            let first = self.value.iter().position(|x| !x.is_finite()).unwrap_or(0);
            return (!spread).then(|| element(first, 0.0));
        }
        if self.is_unknown() {
            return None;
        }
        let wrong = |index: usize| {
            let within = UNIT * self.magnitude[index] + 1e-36;
            let error = (f64::from(actual[index]) - self.value[index]).abs();
            let ratio = if error.is_nan() { f64::INFINITY } else { error / within };
            (ratio > 1.0).then(|| (ratio, element(index, within)))
        };
        let worst = (0..16).filter_map(wrong).max_by(|a, b| a.0.total_cmp(&b.0));
        worst.map(|(_, element)| element)
    }

    /// Why `actual` is not this matrix computed in `f32`, if it is not.
    #[must_use]
    pub fn mismatch(&self, actual: &Matrix4<f32>) -> Option<String> {
        let Element { at, expected, within } = self.wrong_element(actual)?;
        Some(format!(
            "element {at:?} is {} and should be {expected} within {within:e}; expected {}, got {}",
            actual[at],
            one_line(&self.cast32()),
            one_line(actual)
        ))
    }

    pub(crate) fn cast32(&self) -> Matrix4<f32> {
        self.value.map(|element| element as f32)
    }
}

/// The factors may be multiplied in any order.
impl std::ops::Mul for Bounded {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            value: product(&self.value, &other.value),
            magnitude: product(&self.magnitude, &other.magnitude),
        }
    }
}

/// A world matrix with the errors of all worlds above it.
///
/// ```text
///                            element by element                as a length, by row
/// W = P L,  error(W) <=      error(P) |L| + |P| error(L)       length(row) * stretch(L) + ...
///                            + error(P) error(L)
/// ```
///
/// Of the two sums the smaller one counts. Products of errors count where P and L are both 0.
/// Element by element a rotation by 45 degrees makes every error 1.4 times as large, 1e15 times in
/// 100 levels. The length of a row of errors stays as it is under rotations: through it the bound
/// grows in proportion with the depth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) matrix: Bounded,
    /// The lengths of the rows of errors of the upper left 3x3, in units of the magnitude.
    rows: [f64; 4],
}

impl World {
    pub(crate) fn new(matrix: Bounded) -> Self {
        Self { rows: lengths(&matrix.magnitude), matrix }
    }

    pub(crate) fn then(&self, local: &Bounded) -> Self {
        let value = product(&self.matrix.value, &local.value);
        let parent = self.matrix.value.abs() + self.matrix.magnitude * UNIT;
        let own = product(&parent, &local.magnitude);
        let mut magnitude = product(&self.matrix.magnitude, &local.value.abs()) + own;
        let mut rows = lengths(&magnitude);
        let is_affine = [0.0, 0.0, 0.0, 1.0] == [0, 1, 2, 3].map(|k| local.value[(3, k)]);
        let (_, stretch) = stretch(&linear(&local.value));
        if is_affine && stretch.is_finite() && magnitude.iter().all(|m| m.is_finite()) {
            let place = (0..3).map(|k| local.value[(k, 3)].powi(2)).sum::<f64>().sqrt();
            for (row, own_length) in lengths(&own).into_iter().enumerate() {
                let above = self.rows[row];
                rows[row] = rows[row].min(above * stretch + own_length);
                for column in 0..3 {
                    magnitude[(row, column)] = magnitude[(row, column)].min(rows[row]);
                }
                let last = above * place + self.matrix.magnitude[(row, 3)] + own[(row, 3)];
                magnitude[(row, 3)] = magnitude[(row, 3)].min(last);
            }
        }
        Self { matrix: Bounded { value, magnitude }, rows }
    }
}

fn lengths(magnitude: &M) -> [f64; 4] {
    [0, 1, 2, 3].map(|row| (0..3).map(|k| magnitude[(row, k)].powi(2)).sum::<f64>().sqrt())
}

/// A matrix on one line, row by row.
pub(crate) fn one_line(matrix: &Matrix4<f32>) -> String {
    let row = |row: usize| {
        let numbers: Vec<_> = (0..4).map(|column| matrix[(row, column)].to_string()).collect();
        numbers.join(" ")
    };
    format!("[{}]", [0, 1, 2, 3].map(row).join(" | "))
}
