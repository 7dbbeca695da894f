//! The matrices: what the systems compute and renderers read.

use nalgebra::{Matrix4, Point3, Vector3};

use super::matrix_component;

/// From an entity's local space to world space: the one transform component other systems rely on.
///
/// Every entity with a transform has it. It is derived: from the entity's own inputs ([`Translation`](super::Translation),
/// [`Rotation`](super::Rotation), ...), times the parent's `LocalToWorld` for a member of a hierarchy. An entity with nothing
/// but `LocalToWorld` is static: its matrix is yours to write, and its children follow.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct LocalToWorld(pub Matrix4<f32>);
matrix_component!(LocalToWorld);

impl LocalToWorld {
    /// Where the entity's origin is in the world: the last column.
    #[must_use]
    pub fn position(&self) -> Point3<f32> {
        Point3::new(self.0.m14, self.0.m24, self.0.m34)
    }

    /// The entity's x axis in the world, not normalised.
    #[must_use]
    pub fn right(&self) -> Vector3<f32> {
        Vector3::new(self.0.m11, self.0.m21, self.0.m31)
    }

    /// The entity's y axis in the world, not normalised.
    #[must_use]
    pub fn up(&self) -> Vector3<f32> {
        Vector3::new(self.0.m12, self.0.m22, self.0.m32)
    }

    /// The entity's z axis in the world, not normalised.
    #[must_use]
    pub fn forward(&self) -> Vector3<f32> {
        Vector3::new(self.0.m13, self.0.m23, self.0.m33)
    }
}

/// From an entity's local space to its parent's local space.
///
/// Together with [`Parent`](super::Parent) it makes the entity a member of a hierarchy. It is derived from the entity's inputs;
/// without any of them it is yours to write, projections and shears included.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct LocalToParent(pub Matrix4<f32>);
matrix_component!(LocalToParent);

/// From world space to an entity's local space: the inverse of [`LocalToWorld`], kept current where present.
///
/// A `LocalToWorld` without a finite inverse gives the identity and a finding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct WorldToLocal(pub Matrix4<f32>);
matrix_component!(WorldToLocal);
