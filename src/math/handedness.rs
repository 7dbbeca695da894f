//! Mirrors: whether a matrix has one
//! ([`LocalToWorld::is_mirrored`](crate::components::LocalToWorld::is_mirrored)), and crossing
//! between left-handed and right-handed worlds, for example from Unity's (y up, z forward).
//!
//! Flipping one axis of *space* changes the hand. [`Flip`] changes positions, rotations and
//! matrices accordingly; flipping twice gives everything back.

use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};

use super::decompose::linear;

/// Whether the matrix turns a right hand into a left one: the determinant of its linear part is
/// negative.
#[must_use]
pub(crate) fn is_mirrored(matrix: &Matrix4<f32>) -> bool {
    // In f64 the determinant of small scales does not underflow to zero.
    linear(matrix).determinant() < 0.0
}

/// The axis of space that is turned round.
///
/// # Examples
/// ```
/// use legion_transform::math::handedness::Flip;
/// use nalgebra::{UnitQuaternion, Vector3};
///
/// // The same turn, described in both worlds, carries the same point to the same place.
/// let turn = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3);
/// let point = Vector3::new(1.0, 2.0, 3.0);
/// let there = Flip::Z.rotation(&turn) * Flip::Z.vector(&point);
/// assert!((Flip::Z.vector(&there) - turn * point).norm() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flip {
    /// x to -x.
    X,
    /// y to -y.
    Y,
    /// z to -z: the usual way between Unity and right-handed worlds.
    Z,
}

impl Flip {
    fn axis(self) -> usize {
        self as usize
    }

    /// A position, translation or direction. (Scales do not change.)
    #[must_use]
    pub fn vector(self, vector: &Vector3<f32>) -> Vector3<f32> {
        let mut vector = *vector;
        vector[self.axis()] = -vector[self.axis()];
        vector
    }

    /// A rotation: its axis is mirrored and its sense reversed, so the axis' other two components
    /// change sign.
    #[must_use]
    pub fn rotation(self, rotation: &UnitQuaternion<f32>) -> UnitQuaternion<f32> {
        let mut axis = -rotation.imag();
        axis[self.axis()] = -axis[self.axis()];
        UnitQuaternion::new_unchecked(Quaternion::from_parts(rotation.scalar(), axis))
    }

    /// A matrix between two spaces that are both flipped: `F M F`.
    #[must_use]
    pub fn matrix(self, matrix: &Matrix4<f32>) -> Matrix4<f32> {
        let axis = self.axis();
        matrix.map_with_location(
            |row, column, x| if (row == axis) != (column == axis) { -x } else { x },
        )
    }
}
