//! Directions of a rotation, and rotations between two.

use nalgebra::{UnitQuaternion, Vector3};

use crate::components::Rotation;

impl Rotation {
    /// Where the x axis points.
    #[must_use]
    pub fn right(&self) -> Vector3<f32> {
        self.0 * Vector3::x()
    }

    /// Where the y axis points.
    #[must_use]
    pub fn up(&self) -> Vector3<f32> {
        self.0 * Vector3::y()
    }

    /// Where the z axis points: forward in this crate, as in Unity. (Bevy's cameras look along -z.)
    #[must_use]
    pub fn forward(&self) -> Vector3<f32> {
        self.0 * Vector3::z()
    }

    /// The rotation at `t` on the shorter way to another, at an even speed: this one at 0, the
    /// other at 1. The same bits on every platform.
    ///
    /// ```
    /// # use legion_transform::prelude::*;
    /// let half = Rotation::from_rotation_y(0.2).slerp(Rotation::from_rotation_y(0.6), 0.5);
    /// assert!(half.angle_to(&Rotation::from_rotation_y(0.4)) < 1e-6);
    /// ```
    #[must_use]
    pub fn slerp(&self, other: Self, t: f32) -> Self {
        Self(slerp(&self.0, &other.0, t))
    }
}

pub(crate) fn slerp(
    a: &UnitQuaternion<f32>,
    b: &UnitQuaternion<f32>,
    t: f32,
) -> UnitQuaternion<f32> {
    let (a, mut b) = (a.into_inner().cast::<f64>(), b.into_inner().cast::<f64>());
    let mut cosine = a.dot(&b);
    if cosine < 0.0 {
        (b, cosine) = (-b, -cosine);
    }
    let (t, angle) = (f64::from(t), libm::acos(cosine.min(1.0)));
    let sine = libm::sin(angle);
    // Where the two are nearly the same, the arc is a straight line.
    let [from, to] = match sine > 1e-9 {
        true => [libm::sin((1.0 - t) * angle) / sine, libm::sin(t * angle) / sine],
        false => [1.0 - t, t],
    };
    let between = UnitQuaternion::new_normalize(a * from + b * to);
    UnitQuaternion::new_unchecked(between.into_inner().cast())
}
