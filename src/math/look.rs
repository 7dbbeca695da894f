//! Rotations that look somewhere: the z axis along a direction, the y axis towards `up`.

use nalgebra::{Matrix3, Rotation3, Unit, UnitQuaternion, Vector3};

use crate::components::Rotation;

impl Rotation {
    /// The rotation that looks along `direction`: its z axis points there, and its y axis as near
    /// to `up` as possible.
    ///
    /// Neither needs length 1. If `up` is zero or parallel to `direction`, another axis replaces
    /// it. Where there is no direction, nothing turns: one that is zero or not finite gives the
    /// identity. [`Transform::looking_at`](crate::Transform::looking_at) and
    /// [`look_at`](crate::edit::EditTransforms::look_at) take a point, and keep to the same rule.
    ///
    /// ```
    /// # use legion_transform::prelude::*;
    /// # use nalgebra::Vector3;
    /// let right = Rotation::look_to(Vector3::new(5.0, 0.0, 0.0), Vector3::y());
    /// assert!((*right * Vector3::z() - Vector3::x()).norm() < 1e-6);
    /// ```
    #[must_use]
    pub fn look_to(direction: Vector3<f32>, up: Vector3<f32>) -> Self {
        look_along(&direction, &up).map_or_else(Self::identity, Self)
    }
}

/// The rotation that carries the z axis along `direction`, and the y axis as near to `up` as
/// possible. `None` if the direction is zero or not finite.
pub(crate) fn look_along(
    direction: &Vector3<f32>,
    up: &Vector3<f32>,
) -> Option<UnitQuaternion<f32>> {
    let rotation = facing(&Matrix3::identity(), &direction.cast(), &up.cast())?;
    Some(UnitQuaternion::from_rotation_matrix(&rotation).cast())
}

/// The rotation whose z axis, mapped out of a space by the inverse of `into`, points `towards`. Its
/// y axis is as near to `up` as possible. Where `up` is zero or parallel to `towards`, another axis
/// replaces it: the first of y, z and x that is not parallel.
pub(crate) fn facing(
    into: &Matrix3<f64>,
    towards: &Vector3<f64>,
    up: &Vector3<f64>,
) -> Option<Rotation3<f64>> {
    let towards = Unit::try_new(*towards, f64::from(f32::MIN_POSITIVE))?;
    let ups = [*up, Vector3::y(), Vector3::z(), Vector3::x()];
    let up = ups.into_iter().find(|up| {
        let up = Unit::try_new(*up, f64::from(f32::MIN_POSITIVE));
        up.is_some_and(|up| up.cross(&towards).norm() > 1e-6)
    })?;
    frame(&(into * towards.into_inner()), &(into * up))
}

/// The rotation that carries the z axis along `forward` and the y axis into the plane of `forward`
/// and `up`.
pub(crate) fn frame(forward: &Vector3<f64>, up: &Vector3<f64>) -> Option<Rotation3<f64>> {
    let across = up.cross(forward);
    let usable =
        forward.norm() > 0.0 && across.norm() > 0.0 && across.iter().all(|x| x.is_finite());
    usable.then(|| Rotation3::face_towards(forward, up))
}
