//! Rotations as unit quaternions.

use nalgebra::{Unit, UnitQuaternion, Vector3};

use super::wraps;

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
                Self(UnitQuaternion::from_euler_angles(roll, pitch, yaw))
            }

            /// From an axis and an angle in radians, counterclockwise as seen from the axis' tip.
            #[must_use]
            pub fn from_axis_angle(axis: &Unit<Vector3<f32>>, angle: f32) -> Self {
                Self(UnitQuaternion::from_axis_angle(axis, angle))
            }
        }

        /// Turns about its own axes: `turn` acts first.
        impl std::ops::MulAssign for $component {
            fn mul_assign(&mut self, turn: Self) {
                self.0 *= turn.0;
            }
        }

        /// Turns about its own axes: `turn` acts first.
        impl std::ops::MulAssign<UnitQuaternion<f32>> for $component {
            fn mul_assign(&mut self, turn: UnitQuaternion<f32>) {
                self.0 *= turn;
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
/// `*=` turns it about its own axes, a product from the left about the parent's:
///
/// ```
/// # use legion_transform::prelude::*;
/// # use nalgebra::Vector3;
/// fn turn(rotation: &mut Rotation, angle: f32) {
///     let turn = Rotation::from_axis_angle(&Vector3::y_axis(), angle);
///     *rotation *= turn; // about its own y axis
///     rotation.0 = *turn * rotation.0; // about the parent's
/// }
///
/// let mut rotation = Rotation::identity();
/// turn(&mut rotation, 0.25);
/// assert!(rotation.angle_to(&Rotation::from_axis_angle(&Vector3::y_axis(), 0.5)) < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct Rotation(pub UnitQuaternion<f32>);
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
pub struct PostRotation(pub UnitQuaternion<f32>);
rotation_component!(PostRotation);
