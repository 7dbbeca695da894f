//! Poses in `f64`.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};

/// A position and a rotation in `f64`, in the space of the nearest frame above the entity, or in
/// the universe. See [`frames`](crate::frames).
///
/// `Translation`, `Rotation` and `Scale` on its entity are ignored: put them on a child. A
/// component of your own in the [write group](crate::TransformSystemBundle::write_group) of
/// `LocalToWorld` wins over it. The finding is
/// [`FrameOverridden`](crate::findings::FindingKind::FrameOverridden).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Frame {
    /// Where it is.
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))]
    pub position: Point3<f64>,
    /// How it is turned: a rotation. One whose length is not 1 counts as if its length were 1.
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))]
    pub rotation: UnitQuaternion<f64>,
}

impl Frame {
    /// A frame that is not turned.
    #[must_use]
    pub fn at(position: Point3<f64>) -> Self {
        Self { position, rotation: UnitQuaternion::identity() }
    }

    /// A frame at these coordinates that is not turned.
    #[must_use]
    pub fn from_xyz(x: f64, y: f64, z: f64) -> Self {
        Self::at(Point3::new(x, y, z))
    }

    /// From the frame's space to the space that it is in.
    #[must_use]
    pub fn to_isometry(&self) -> Isometry3<f64> {
        Isometry3::from_parts(Translation3::from(self.position), self.rotation)
    }
}

impl Default for Frame {
    fn default() -> Self {
        Self::at(Point3::origin())
    }
}

impl From<Isometry3<f64>> for Frame {
    fn from(pose: Isometry3<f64>) -> Self {
        Self { position: Point3::from(pose.translation.vector), rotation: pose.rotation }
    }
}
