//! The matrices: the systems compute them, renderers read them.

use nalgebra::{Matrix4, Point3, Vector3};

use super::matrix_component;

/// The position and the axes of a matrix, in the space into which it maps.
macro_rules! position_and_axes {
    ($component:ident, $space:literal) => {
        impl $component {
            #[doc = concat!("Where the entity's origin is in ", $space, ": the last column.")]
            #[must_use]
            pub fn position(&self) -> Point3<f32> {
                Point3::new(self.0.m14, self.0.m24, self.0.m34)
            }

            #[doc = concat!("The entity's x axis in ", $space, ", not normalised.")]
            #[must_use]
            pub fn right(&self) -> Vector3<f32> {
                Vector3::new(self.0.m11, self.0.m21, self.0.m31)
            }

            #[doc = concat!("The entity's y axis in ", $space, ", not normalised.")]
            #[must_use]
            pub fn up(&self) -> Vector3<f32> {
                Vector3::new(self.0.m12, self.0.m22, self.0.m32)
            }

            #[doc = concat!("The entity's z axis in ", $space, ", not normalised.")]
            #[must_use]
            pub fn forward(&self) -> Vector3<f32> {
                Vector3::new(self.0.m13, self.0.m23, self.0.m33)
            }
        }
    };
}

/// From an entity's local space to world space: the one transform component other systems rely on.
///
/// Every entity with a transform has it. It is derived: from the entity's own inputs
/// ([`Translation`](super::Translation), [`Rotation`](super::Rotation), ...), times the parent's
/// `LocalToWorld` for a member of a hierarchy. An entity with nothing but `LocalToWorld` is static:
/// its matrix is yours to write, and its children follow.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct LocalToWorld(pub Matrix4<f32>);
matrix_component!(LocalToWorld);
position_and_axes!(LocalToWorld, "the world");

/// From an entity's local space to its parent's local space.
///
/// Together with [`Parent`](super::Parent) it makes the entity a member of a hierarchy. It is
/// derived from the entity's inputs; without any of them it is yours to write, projections and
/// shears included.
///
/// ```
/// # use legion_transform::prelude::*;
/// # use nalgebra::Vector3;
/// let hand = LocalToParent(Translation::new(0.5, 1.2, 0.0).to_homogeneous());
/// assert_eq!((hand.position(), hand.forward()), ([0.5, 1.2, 0.0].into(), Vector3::z()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct LocalToParent(pub Matrix4<f32>);
matrix_component!(LocalToParent);
position_and_axes!(LocalToParent, "the parent's space");

/// From world space to an entity's local space: the inverse of [`LocalToWorld`], kept current where
/// present.
///
/// A `LocalToWorld` without a finite inverse gives the identity and a finding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct WorldToLocal(pub Matrix4<f32>);
matrix_component!(WorldToLocal);
