//! Matrices that replace a rotation or a scale, and the one that cancels a parent's scale.

use nalgebra::Matrix4;

use super::matrix_component;

/// Replaces [`Rotation`](super::Rotation) in the local matrix.
///
/// Derived as `T(RotationPivotTranslation) T(RotationPivot) R(Rotation) R(PostRotation)
/// T(-RotationPivot)` if the entity has any of these inputs. Without them it is yours to write.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct CompositeRotation(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Matrix4<f32>,
);
matrix_component!(CompositeRotation);

/// Replaces [`Scale`](super::Scale) and [`NonUniformScale`](super::NonUniformScale) in the local
/// matrix.
///
/// Derived as `T(ScalePivotTranslation) T(ScalePivot) Shear S T(-ScalePivot)` if the entity has any
/// of these inputs. Without them it is yours to write.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct CompositeScale(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Matrix4<f32>,
);
matrix_component!(CompositeScale);

/// Cancels the direct parent's scale (Maya's segment scale compensate): part of the local matrix of
/// an entity with a parent.
///
/// Derived as the inverse of the parent's [`CompositeScale`], else of its [`Scale`](super::Scale),
/// else of its [`NonUniformScale`](super::NonUniformScale). Below a parent that has none of the
/// three it is yours to write.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct ParentScaleInverse(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Matrix4<f32>,
);
matrix_component!(ParentScaleInverse);
