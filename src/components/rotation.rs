//! Rotations as unit quaternions.

use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

use super::{EulerOrder, sines::sin_cos, unit_or_same, wraps};

/// `*` and `*=` of a rotation and a turn.
macro_rules! turns {
    ($component:ident, $turn:ty) => {
        /// Turns about its own axes: `turn` acts first. The length stays 1, within 4e-7.
        impl std::ops::MulAssign<$turn> for $component {
            fn mul_assign(&mut self, turn: $turn) {
                self.0 = unit_or_same(self.0 * UnitQuaternion::from(turn));
            }
        }

        /// Turned about its own axes: `turn` acts first. The length stays 1, within 4e-7.
        impl std::ops::Mul<$turn> for $component {
            type Output = Self;

            fn mul(mut self, turn: $turn) -> Self {
                self *= turn;
                self
            }
        }
    };
}

macro_rules! rotation_component {
    ($component:ident) => {
        wraps!($component, UnitQuaternion<f32>);

        impl $component {
            /// No rotation.
            #[must_use]
            pub fn identity() -> Self {
                Self(UnitQuaternion::identity())
            }

            /// From roll, pitch and yaw in radians: about the fixed x axis first, then y, then z.
            ///
            /// The same order as [`EulerOrder::XYZ`](super::EulerOrder::XYZ); the other five have
            /// components of their own.
            #[must_use]
            pub fn from_euler_angles(roll: f32, pitch: f32, yaw: f32) -> Self {
                Self(EulerOrder::XYZ.rotation(&Vector3::new(roll, pitch, yaw)))
            }

            /// About the x axis, by an angle in radians.
            #[must_use]
            pub fn from_rotation_x(angle: f32) -> Self {
                Self::from_axis_angle(&Vector3::x_axis(), angle)
            }

            /// About the y axis, by an angle in radians.
            #[must_use]
            pub fn from_rotation_y(angle: f32) -> Self {
                Self::from_axis_angle(&Vector3::y_axis(), angle)
            }

            /// About the z axis, by an angle in radians: the rotation of two dimensions.
            #[must_use]
            pub fn from_rotation_z(angle: f32) -> Self {
                Self::from_axis_angle(&Vector3::z_axis(), angle)
            }

            /// From an axis and an angle in radians, counterclockwise as seen from the axis' tip.
            /// The same bits on every platform.
            #[must_use]
            pub fn from_axis_angle(axis: &Unit<Vector3<f32>>, angle: f32) -> Self {
                let ([sine, ..], [cosine, ..]) = sin_cos([angle * 0.5, 0.0, 0.0]);
                let [x, y, z] = (axis.into_inner() * sine).into();
                Self(UnitQuaternion::new_unchecked(Quaternion::new(cosine, x, y, z)))
            }
        }

        turns!($component, $component);
        turns!($component, UnitQuaternion<f32>);

        /// The vector, turned.
        impl std::ops::Mul<Vector3<f32>> for $component {
            type Output = Vector3<f32>;

            fn mul(self, vector: Vector3<f32>) -> Vector3<f32> {
                self.0 * vector
            }
        }

        impl Default for $component {
            fn default() -> Self {
                Self::identity()
            }
        }
    };
}

/// Rotation as a unit quaternion.
///
/// Derived if the entity has one of the `RotationEuler...` components.
///
/// `*=` turns it about its own axes, a product from the left about the parent's. Both keep the
/// length 1 within 4e-7, however often. (nalgebra's product, `rotation.0 *= turn`, does not.)
///
/// ```
/// # use legion_transform::prelude::*;
/// fn turn(rotation: &mut Rotation, angle: f32) {
///     let turn = Rotation::from_rotation_y(angle);
///     *rotation *= turn; // about its own y axis
///     *rotation = turn * *rotation; // about the parent's
/// }
///
/// let mut rotation = Rotation::identity();
/// turn(&mut rotation, 0.25);
/// assert!(rotation.angle_to(&Rotation::from_rotation_y(0.5)) < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct Rotation(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub UnitQuaternion<f32>,
);
rotation_component!(Rotation);

/// A rotation that acts before [`Rotation`], as an input of
/// [`CompositeRotation`](super::CompositeRotation).
///
/// Maya's rotate axis (RA); FBX's post-rotation, inverted. Derived if the entity has one of the
/// `PostRotationEuler...` components.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct PostRotation(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub UnitQuaternion<f32>,
);
rotation_component!(PostRotation);
