//! Matrices with the error that computing them in `f32` may have.

use nalgebra::Matrix4;

use crate::reference::algebra::{M, linear, product, stretch};

/// A matrix and, element by element, the sum of the magnitudes of the products it is made of: what
/// rounding errors are relative to, however much cancels.
///
/// An element may be off by 24 roundings of an `f32` (2.9e-6) times its magnitude.
///
/// Where an `f32` may overflow on the way, nothing is known of the matrix, nor of what is computed
/// from it: infinity times 0 is not 0. Where it may underflow, the error is not relative to the
/// value any more. So each product of numbers that are not 0 has a least magnitude:
///
/// ```text
///  1e-40 * 1e-3     the nearest f32 is off by up to 7e-46, which is 0.7 % of it
///  ... * 1e30       off by 7e-16, and by 2.9e-19 alone if only the value were looked at
/// ```
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

/// From here on a sum of products may overflow an `f32`.
const LARGEST: f64 = f32::MAX as f64 / 16.0;

/// The least magnitude of a sum of products that are not 0: each may underflow, by half of the
/// least number that an `f32` holds.
const LEAST: f64 = 24.0 * 1.4e-45 / UNIT;

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

    /// A matrix of which `f32` can tell nothing. Nor can it of any product of it.
    #[must_use]
    pub fn unknown() -> Self {
        Self { value: M::identity(), magnitude: M::repeat(f64::from(f32::MAX)) }
    }

    /// Whether the matrix carries no errors.
    pub(crate) fn is_exact(&self) -> bool {
        self.magnitude == self.value.abs()
    }

    /// Whether nothing is known of the matrix, because `f32` may overflow on the way.
    pub(crate) fn is_unknown(&self) -> bool {
        self.magnitude.iter().any(|m| *m > LARGEST && m.is_finite())
    }

    /// The same with errors that an underflow makes where an element is not 0.
    pub(crate) fn rounded(self) -> Self {
        let with_least = |m: f64| if m == 0.0 { 0.0 } else { m + LEAST };
        Self { value: self.value, magnitude: self.magnitude.map(with_least) }
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
        if self.is_unknown() {
            return None;
        }
        if !self.magnitude.iter().all(|m| m.is_finite()) {
            // Which elements a NaN spreads to depends on the order of the operations; that it
            // spreads does not.
            let spread = actual.iter().any(|x| !x.is_finite());
            let first = self.value.iter().position(|x| !x.is_finite()).unwrap_or(0);
            return (!spread).then(|| element(first, 0.0));
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

    /// The product of factors that may be multiplied from either end: where one order underflows,
    /// the other may not. Of 7e29, 0.5 and 1e-40 the first two make 3.5e29, the last two 5e-41.
    pub(crate) fn product_of<const N: usize>(factors: [Self; N]) -> Self {
        let first = factors.into_iter().reduce(|all, next| all * next);
        let last = factors.into_iter().rev().reduce(|all, before| before * all);
        match first.zip(last) {
            Some((a, b)) if !a.is_unknown() && !b.is_unknown() => {
                let magnitude = a.magnitude.zip_map(&b.magnitude, |a, b| if a < b { b } else { a });
                Self { value: a.value, magnitude }
            }
            _ => Self::unknown(),
        }
    }

    pub(crate) fn cast32(&self) -> Matrix4<f32> {
        self.value.map(|element| element as f32)
    }
}

/// The factors may be multiplied in any order.
impl std::ops::Mul for Bounded {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        if self.is_unknown() || other.is_unknown() {
            return Self::unknown();
        }
        let value = product(&self.value, &other.value);
        Self { value, magnitude: product(&self.magnitude, &other.magnitude) }.rounded()
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
        if self.matrix.is_unknown() || local.is_unknown() {
            return Self::new(Bounded::unknown());
        }
        let value = product(&self.matrix.value, &local.value);
        let parent = self.matrix.value.abs() + self.matrix.magnitude * UNIT;
        let own = product(&parent, &local.magnitude);
        let carried = product(&self.matrix.magnitude, &local.value.abs());
        let mut magnitude = Bounded { value, magnitude: carried + own }.rounded().magnitude;
        let mut rows = lengths(&magnitude);
        let is_affine = [0.0, 0.0, 0.0, 1.0] == [0, 1, 2, 3].map(|k| local.value[(3, k)]);
        let (_, stretch) = stretch(&linear(&local.value));
        if is_affine && stretch.is_finite() && magnitude.iter().all(|m| m.is_finite()) {
            let place = (0..3).map(|k| local.value[(k, 3)].powi(2)).sum::<f64>().sqrt();
            for (row, own_length) in lengths(&own).into_iter().enumerate() {
                let above = self.rows[row];
                rows[row] = rows[row].min(above * stretch + own_length + LEAST);
                for column in 0..3 {
                    magnitude[(row, column)] = magnitude[(row, column)].min(rows[row]);
                }
                let last = above * place + self.matrix.magnitude[(row, 3)] + own[(row, 3)] + LEAST;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::algebra::V;
    use crate::reference::formulas::{scaling, translation};

    /// 1e30 by 1e30 overflows, and infinity by 0 is NaN: nothing is known, whatever follows.
    #[test]
    fn what_is_unknown_stays_unknown() {
        let large = scaling(V::repeat(1e30));
        let unknown = large * large;
        assert!(unknown.is_unknown());
        for it in [unknown * scaling(V::zeros()), scaling(V::zeros()) * unknown] {
            assert!(it.is_unknown() && (it * translation(V::zeros())).is_unknown());
        }
        let world = World::new(unknown).then(&scaling(V::zeros()));
        assert!(world.matrix.is_unknown() && world.then(&scaling(V::zeros())).matrix.is_unknown());
    }

    /// 1e-40 by 1e-3 is 1e-43 and up to 7e-46 off; 1e30 times as large, up to 7e-16.
    #[test]
    fn underflows_are_carried_on() {
        let [tiny, small, large] = [1e-40_f32, 1e-3, 1e30];
        let in_f32 = tiny * small * large;
        let factors = [tiny, small, large].map(|it| scaling(V::repeat(it.into())));
        let [a, b, c] = factors;
        for bound in [a * b * c, World::new(a).then(&b).then(&c).matrix] {
            let error = (f64::from(in_f32) - bound.value[(0, 0)]).abs();
            assert!(error > 1e-16 && error < UNIT * bound.magnitude[(0, 0)], "{error:e}");
        }
    }
}
