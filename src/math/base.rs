//! The matrix into which a local matrix is multiplied.

use std::cell::OnceCell;

use nalgebra::{Matrix3, Matrix4, Vector3, Vector4};

use super::{
    compose::{is_affine, origin_below},
    decompose::right_angled,
    is_finite,
};

/// What an entity inherits of its parent's world matrix; the identity for a root.
pub(crate) struct Base {
    pub matrix: Matrix4<f64>,
    pub is_affine: bool,
    pub is_finite: bool,
    /// The same, where a run multiplies it in `f32`: in the world, relative to the origin.
    seen: Option<Matrix4<f32>>,
    inverse: OnceCell<Option<Matrix4<f64>>>,
}

impl Base {
    pub fn new(matrix: &Matrix4<f32>) -> Self {
        let (is_affine, is_finite) = (is_affine(matrix), is_finite(matrix));
        let (seen, inverse) = (Some(*matrix), OnceCell::new());
        Self { matrix: matrix.cast(), is_affine, is_finite, seen, inverse }
    }

    /// The same of a matrix that is known in `f64`, in a frame.
    pub fn exact(matrix: Matrix4<f64>) -> Self {
        let is_finite = matrix.iter().all(|x| x.is_finite());
        let (is_affine, inverse) = (has_affine_row(&matrix), OnceCell::new());
        Self { matrix, is_affine, is_finite, seen: None, inverse }
    }

    /// Where a local place is: in the world as a run computes it, in a frame as it is.
    #[inline]
    pub fn place(&self, local: &Vector3<f32>) -> Vector3<f64> {
        match &self.seen {
            Some(seen) => origin_below(seen, local).cast(),
            None => carried(&self.matrix, &local.cast()),
        }
    }

    /// `None` if it is flat, as [`decompose`](crate::math::decompose) says.
    pub fn inverse(&self) -> Option<&Matrix4<f64>> {
        let inverted = || {
            let matrix = self.matrix;
            let inverse =
                if self.is_affine { affine_inverse(&matrix) } else { matrix.try_inverse() };
            // A number that is not finite in f32 cannot be stored.
            inverse.filter(|all| all.iter().all(|x| (*x as f32).is_finite()))
        };
        self.inverse.get_or_init(inverted).as_ref()
    }

    /// Whether space is flat below it.
    pub fn is_flat(&self) -> bool {
        let is_flat = || right_angled(&linear_part(&self.matrix)).is_none();
        if self.is_affine { is_flat() } else { self.inverse().is_none() }
    }

    /// The matrix below it that is a matrix of the world. `None` if it is flat.
    pub fn below(&self, world: &Matrix4<f64>) -> Option<Matrix4<f64>> {
        Some(times(self.inverse()?, world))
    }

    /// The step of the world from this one to another that turns and scales just the same.
    pub fn step_to(&self, other: &Self) -> Option<Vector3<f64>> {
        let is_same = linear_part(&self.matrix) == linear_part(&other.matrix);
        let is_step = self.is_affine && other.is_affine && is_same;
        is_step.then(|| origin(&other.matrix) - origin(&self.matrix))
    }

    /// The step below it that is a step of the world. Of a flat one, the shortest such step:
    /// `None` if the step leads out of its plane by more than `rounding`.
    ///
    /// Below a sprite of scale (2, 2, 0), the step (4, 0, 0) is (2, 0, 0), and there is none that
    /// is (0, 0, 1).
    pub fn step(&self, by: &Vector3<f64>, rounding: f64) -> Option<Vector3<f64>> {
        if let Some(inverse) = self.inverse() {
            return Some(linear_part(inverse) * by);
        }
        if !self.is_finite {
            return None;
        }
        let flat = linear_part(&self.matrix);
        let parts = flat.svd(true, true);
        let step = parts.solve(by, 1e-6 * parts.singular_values.amax()).ok()?;
        ((flat * step - by).amax() <= rounding).then_some(step)
    }

    /// The rounding error of the world position of a local one, if that of each number is `one`.
    pub fn rounding(&self, local: &Vector3<f64>, one: f64) -> f64 {
        one * (linear_part(&self.matrix).abs() * local.abs() + origin(&self.matrix).abs()).amax()
    }
}

/// What is left of numbers that cancel to so small a part of them is known to a percent in `f32`.
pub(super) const LEFT: f64 = 1e-5;

/// Whether so little is left of a direction in a space that an `f32` does not know it: space is
/// flat there but for rounding. An ancestor of scale (1, 0, 1), with turns below, makes a matrix
/// that has an inverse, in which numbers are as great as 1e7.
pub(crate) fn vanishes(space: &Matrix3<f64>, local: &Vector3<f64>) -> bool {
    (space * local).amax() < LEFT * (space.abs() * local.abs()).amax()
}

/// The product of two matrices. It takes half the time if both are affine.
pub(crate) fn times(a: &Matrix4<f64>, b: &Matrix4<f64>) -> Matrix4<f64> {
    if !has_affine_row(a) || !has_affine_row(b) {
        return a * b;
    }
    let linear = linear_part(a);
    affine(&(linear * linear_part(b)), &(linear * origin(b) + origin(a)))
}

#[inline]
fn has_affine_row(matrix: &Matrix4<f64>) -> bool {
    matrix.row(3) == Vector4::w().transpose()
}

/// The affine matrix of these parts.
pub(crate) fn affine(linear: &Matrix3<f64>, origin: &Vector3<f64>) -> Matrix4<f64> {
    let mut matrix = linear.to_homogeneous();
    matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(origin);
    matrix
}

/// The inverse of an affine matrix, which stays affine.
fn affine_inverse(matrix: &Matrix4<f64>) -> Option<Matrix4<f64>> {
    let linear = linear_part(matrix);
    right_angled(&linear)?;
    let back = linear.try_inverse()?;
    Some(affine(&back, &-(back * origin(matrix))))
}

/// The upper left part: what turns and scales.
pub(crate) fn linear_part(matrix: &Matrix4<f64>) -> Matrix3<f64> {
    matrix.fixed_view::<3, 3>(0, 0).into()
}

/// A point, carried by an affine map.
pub(crate) fn carried(map: &Matrix4<f64>, point: &Vector3<f64>) -> Vector3<f64> {
    linear_part(map) * point + origin(map)
}

pub(crate) fn origin(matrix: &Matrix4<f64>) -> Vector3<f64> {
    matrix.fixed_view::<3, 1>(0, 3).into()
}
