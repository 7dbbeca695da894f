//! Translation, rotation and scale as one value.
//!
//! Legion stores components one type at a time, and so does this crate. [`Transform`] is a *view*
//! of them, with the fields that users of Bevy or Amethyst know. It is no component: spawning takes
//! it apart, reading puts it together, and writing finds the components that the entity has.
//!
//! ```
//! use legion::*;
//! use legion_transform::prelude::*;
//! use nalgebra::Vector3;
//!
//! let mut world = World::default();
//! let eye = Transform::from_xyz(0.0, 2.0, -5.0).looking_at([0.0; 3], Vector3::y());
//! let camera = world.push_transform(eye); // or in a tuple, with your own components
//! let rock = world.push_transform((Translation::new(1.0, 2.0, 3.0),)); // neither turns nor grows
//!
//! let mut transform = Transform::read(&world, rock)?;
//! transform.translation.x += 1.0;
//! transform.scale = Vector3::repeat(2.0);
//! world.set_transform(rock, transform)?;
//!
//! let entry = world.entry(rock).unwrap();
//! assert_eq!(entry.get_component::<Translation>().unwrap().x, 2.0);
//! // A uniform scale goes into `Scale`, a different one into `NonUniformScale`.
//! assert_eq!(entry.get_component::<Scale>().unwrap().0, 2.0);
//! # assert_eq!(Transform::read(&world, camera)?, eye);
//! # Ok::<(), legion_transform::edit::EditError>(())
//! ```
//!
//! [Coming from elsewhere](crate::guide::migration) has the names that other engines give.

use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

use crate::{
    components::{LocalToWorld, NonUniformScale, Rotation, Translation, unit_or_same},
    math::{
        algebra::AffineMap,
        compose::translation_rotation_scale,
        decompose::{DecomposeError, SHEAR_TOLERANCE, decompose},
        look_along, slerp,
    },
};

/// A translation, a rotation and a scale: `T R S`, scale first.
///
/// Two transforms have no product, because the result need not be a translation, rotation and
/// scale. [`AffineMap`] composes: see [`algebra`](crate::math::algebra).
///
/// ```compile_fail
/// # use legion_transform::Transform;
/// let product = Transform::default() * Transform::default();
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transform {
    /// Movement in the parent's space.
    #[cfg_attr(feature = "serde", serde(with = "crate::components::numbers"))]
    pub translation: Vector3<f32>,
    /// Rotation.
    #[cfg_attr(feature = "serde", serde(with = "crate::components::numbers"))]
    pub rotation: UnitQuaternion<f32>,
    /// Scale along the entity's own axes.
    #[cfg_attr(feature = "serde", serde(with = "crate::components::numbers"))]
    pub scale: Vector3<f32>,
}

impl Transform {
    /// The transform of these parts, where an absent one is the identity. `None` if all are absent.
    #[inline]
    pub(crate) fn of_parts(
        translation: Option<Vector3<f32>>,
        rotation: Option<UnitQuaternion<f32>>,
        scale: Option<Vector3<f32>>,
    ) -> Option<Self> {
        if translation.is_none() && rotation.is_none() && scale.is_none() {
            return None;
        }
        Some(Self {
            translation: translation.unwrap_or_else(Vector3::zeros),
            rotation: rotation.unwrap_or_else(UnitQuaternion::identity),
            scale: scale.unwrap_or_else(|| Vector3::repeat(1.0)),
        })
    }

    /// The transform that changes nothing.
    #[must_use]
    pub fn identity() -> Self {
        Self {
            translation: Vector3::zeros(),
            rotation: UnitQuaternion::identity(),
            scale: Vector3::repeat(1.0),
        }
    }

    /// Movement alone.
    #[must_use]
    pub fn from_translation(translation: Vector3<f32>) -> Self {
        Self { translation, ..Self::identity() }
    }

    /// Rotation alone.
    #[must_use]
    pub fn from_rotation(rotation: UnitQuaternion<f32>) -> Self {
        Self { rotation, ..Self::identity() }
    }

    /// Scale alone.
    #[must_use]
    pub fn from_scale(scale: Vector3<f32>) -> Self {
        Self { scale, ..Self::identity() }
    }

    /// Movement alone, by three distances.
    #[must_use]
    pub fn from_xyz(x: f32, y: f32, z: f32) -> Self {
        Self::from_translation(Vector3::new(x, y, z))
    }

    /// A place in the plane `z = 0`, and an angle about the z axis in radians, counterclockwise
    /// from x to y: the place of a sprite.
    #[must_use]
    pub fn from_xy_angle(x: f32, y: f32, angle: f32) -> Self {
        Self::from_xyz(x, y, 0.0).with_rotation(Rotation::from_rotation_z(angle))
    }

    /// The same with another translation: a vector or three numbers.
    #[must_use]
    pub fn with_translation(self, translation: impl Into<Vector3<f32>>) -> Self {
        Self { translation: translation.into(), ..self }
    }

    /// The same with another rotation: a [`Rotation`] or a quaternion.
    #[must_use]
    pub fn with_rotation(self, rotation: impl Into<UnitQuaternion<f32>>) -> Self {
        Self { rotation: rotation.into(), ..self }
    }

    /// The same with another scale: a vector or three numbers.
    #[must_use]
    pub fn with_scale(self, scale: impl Into<Vector3<f32>>) -> Self {
        Self { scale: scale.into(), ..self }
    }

    /// The same, turned so that its z axis points from its translation at `target`, a point of the
    /// parent's space, and its y axis as near to `up` as possible.
    ///
    /// As in [`Rotation::look_to`], another axis replaces an `up` that points at the target, too,
    /// and where there is no direction, nothing turns: at a target where the transform is. An
    /// entity that has a place in the world already turns by
    /// [`look_at`](crate::edit::EditTransforms::look_at).
    #[must_use]
    pub fn looking_at(self, target: impl Into<Point3<f32>>, up: Vector3<f32>) -> Self {
        let direction = target.into().coords - self.translation;
        Self { rotation: look_along(&direction, &up).unwrap_or(self.rotation), ..self }
    }

    /// The value of three components. A uniform [`Scale`](crate::components::Scale) is
    /// `Vector3::repeat(scale.0)` on all axes.
    #[must_use]
    pub fn from_components(
        translation: &Translation,
        rotation: &Rotation,
        scale: &NonUniformScale,
    ) -> Self {
        Self { translation: translation.vector, rotation: rotation.0, scale: scale.0 }
    }

    /// The three components of this value, to spawn them or to write them.
    #[must_use]
    pub fn components(&self) -> (Translation, Rotation, NonUniformScale) {
        (Translation::from(self.translation), Rotation(self.rotation), NonUniformScale(self.scale))
    }

    /// `T R S` as a matrix.
    #[must_use]
    #[inline]
    pub fn to_matrix(&self) -> Matrix4<f32> {
        translation_rotation_scale(&self.translation, &self.rotation, &self.scale)
    }

    /// `T R S` in the narrowest type that holds it; it can be composed and inverted.
    #[must_use]
    pub fn to_map(&self) -> AffineMap {
        AffineMap::from_trs(&self.translation, &self.rotation, &self.scale)
    }

    /// A point of the transform's space in the space that it is in.
    #[must_use]
    pub fn transform_point(&self, point: impl Into<Point3<f32>>) -> Point3<f32> {
        let scaled = point.into().coords.component_mul(&self.scale);
        Point3::from(self.translation + self.rotation * scaled)
    }

    /// The transform that undoes this one. `None` unless the scale is uniform and not zero: the
    /// inverse of another scale and a rotation is sheared ([`to_map`](Self::to_map) has it).
    ///
    /// ```
    /// # use legion_transform::prelude::*;
    /// let seat = Transform::from_xyz(1.0, 2.0, 3.0).with_scale([2.0; 3]);
    /// let back = seat.inverse().unwrap();
    /// let point = seat.transform_point([5.0, 6.0, 7.0]);
    /// assert_eq!(back.transform_point(point), [5.0, 6.0, 7.0].into());
    /// ```
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let factor = 1.0 / self.scale.x;
        if self.scale != Vector3::repeat(self.scale.x) || !factor.is_finite() {
            return None;
        }
        let rotation = unit_or_same(self.rotation.conjugate());
        let translation = -(rotation * self.translation) * factor;
        Some(Self { translation, rotation, scale: Vector3::repeat(factor) })
    }

    /// The transform at `t` on the way to another: translation and scale in a straight line, the
    /// rotation by [`Rotation::slerp`].
    #[must_use]
    pub fn lerp(&self, other: &Self, t: f32) -> Self {
        Self {
            translation: self.translation.lerp(&other.translation, t),
            rotation: slerp(&self.rotation, &other.rotation, t),
            scale: self.scale.lerp(&other.scale, t),
        }
    }

    /// The transform that has this matrix.
    ///
    /// # Errors
    /// [`DecomposeError`] if there is none: the matrix is sheared beyond rounding, singular,
    /// projective or not finite.
    pub fn try_from_matrix(matrix: &Matrix4<f32>) -> Result<Self, DecomposeError> {
        let parts = decompose(matrix)?;
        if parts.is_sheared(SHEAR_TOLERANCE) {
            return Err(DecomposeError::Sheared(parts.shear.amax()));
        }
        Ok(Self { translation: parts.translation, rotation: parts.rotation, scale: parts.scale })
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::identity()
    }
}

impl TryFrom<LocalToWorld> for Transform {
    type Error = DecomposeError;

    /// As [`try_from_matrix`](Self::try_from_matrix).
    fn try_from(matrix: LocalToWorld) -> Result<Self, DecomposeError> {
        Self::try_from_matrix(&matrix.0)
    }
}

impl From<Transform> for Matrix4<f32> {
    fn from(transform: Transform) -> Self {
        transform.to_matrix()
    }
}
