//! Conversions to and from glam 0.33 (feature `glam-033`).
//!
//! | component | glam |
//! | --- | --- |
//! | `Translation`, `NonUniformScale`, Eulers, pivots, `Shear` | `Vec3` |
//! | `Rotation`, `PostRotation` | `Quat` (normalised on the way in) |
//! | the matrices | `Mat4` |
//! | [`Transform`] | `(Vec3, Quat, Vec3)`: scale, rotation, translation |
//!
//! A quaternion without a length stays as given, and is a [finding](crate::findings).
//!
//! ```
//! use legion_transform::prelude::*;
//! use glam::{Mat4, Quat, Vec3};
//!
//! let translation = Translation::from(Vec3::new(1.0, 2.0, 3.0));
//! let rotation = Rotation::from(Quat::from_rotation_x(0.5));
//! let matrix: Mat4 = LocalToWorld::identity().into();
//! assert_eq!((Vec3::from(translation).z, matrix), (3.0, Mat4::IDENTITY));
//! assert!(Quat::from(rotation).abs_diff_eq(Quat::from_rotation_x(0.5), 1e-6));
//! ```

use glam::{Mat4, Quat, Vec3};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};

use super::convert::{converts, matrices, rotations, vectors};
use crate::{components::*, transform::Transform};

converts!(vectors: Vec3, |v| Vec3::from(v), |v| Vector3::from(v));
converts!(rotations: Quat, |q| Quat::from(q), |q| Quaternion::from(q));
converts!(matrices: Mat4, |m| Mat4::from(m), |m| Matrix4::from(m));

impl From<(Vec3, Quat, Vec3)> for Transform {
    fn from((scale, rotation, translation): (Vec3, Quat, Vec3)) -> Self {
        let rotation = Rotation::from(rotation).0;
        Self { translation: translation.into(), rotation, scale: scale.into() }
    }
}

impl From<Transform> for (Vec3, Quat, Vec3) {
    fn from(transform: Transform) -> Self {
        (transform.scale.into(), transform.rotation.into(), transform.translation.into())
    }
}
