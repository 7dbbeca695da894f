//! Inputs of the composites: pivots, their translations, and shear.

use nalgebra::Vector3;

use super::vector_component;

/// The point, in local space, about which the entity turns: an input of
/// [`CompositeRotation`](super::CompositeRotation).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct RotationPivot(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Vector3<f32>,
);
vector_component!(RotationPivot, 0.0);

/// A translation after the rotation about the pivot, which keeps the entity in place when its pivot
/// moves: an input of [`CompositeRotation`](super::CompositeRotation).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct RotationPivotTranslation(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Vector3<f32>,
);
vector_component!(RotationPivotTranslation, 0.0);

/// The point, in local space, that scaling leaves where it is: an input of
/// [`CompositeScale`](super::CompositeScale).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct ScalePivot(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Vector3<f32>,
);
vector_component!(ScalePivot, 0.0);

/// A translation after scaling about the pivot: an input of
/// [`CompositeScale`](super::CompositeScale).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct ScalePivotTranslation(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Vector3<f32>,
);
vector_component!(ScalePivotTranslation, 0.0);

/// Shear after scaling, stored `(xy, xz, yz)` and meaning `[[1, xy, xz], [0, 1, yz], [0, 0, 1]]`:
/// an input of [`CompositeScale`](super::CompositeScale).
///
/// Maya's SH, which Unity leaves unused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct Shear(#[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Vector3<f32>);
vector_component!(Shear, 0.0);
