//! Conversions to and from mint 0.5, the interchange types most mathematics crates understand
//! (feature `mint-05`).
//!
//! | component | mint |
//! | --- | --- |
//! | `Translation`, `NonUniformScale`, Eulers, pivots, `Shear` | `Vector3<f32>` |
//! | `Rotation`, `PostRotation` | `Quaternion<f32>` (normalised on the way in) |
//! | the matrices | `ColumnMatrix4<f32>` |
//!
//! A quaternion without a length stays as given, and is a [finding](crate::findings).
//!
//! ```
//! use legion_transform::prelude::*;
//!
//! let translation = Translation::from(mint::Vector3 { x: 1.0, y: 2.0, z: 3.0 });
//! assert_eq!(mint::Vector3::from(translation), mint::Vector3 { x: 1.0, y: 2.0, z: 3.0 });
//! let matrix: mint::ColumnMatrix4<f32> = LocalToWorld::from(translation.to_homogeneous()).into();
//! assert_eq!(matrix.w.y, 2.0); // the last column
//! ```

use mint::{ColumnMatrix4, Quaternion, Vector3 as MintVector3};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::convert::{converts, matrices, rotations, vectors};
use crate::components::*;

converts!(vectors: MintVector3<f32>, |v| v.into(), |v| Vector3::from(v));
converts!(rotations: Quaternion<f32>, |q| q.into(), |q| q.into());
converts!(matrices: ColumnMatrix4<f32>, |m| m.into(), |m| Matrix4::from(m));
