//! Scale: uniform, or along each axis.

use std::ops::{Mul, MulAssign};

use nalgebra::Vector3;

use super::{vector_component, wraps};

/// Uniform scale. Prefer it: it keeps angles, so that with [`Rotation`](super::Rotation) and
/// [`Translation`](super::Translation) it forms a similarity, and similarities compose.
///
/// If an entity has [`NonUniformScale`], too, this one wins, and there is a finding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct Scale(#[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub f32);
wraps!(Scale, f32);

impl Scale {
    /// Scale 1, which changes nothing.
    #[must_use]
    pub const fn identity() -> Self {
        Self(1.0)
    }
}

impl Default for Scale {
    fn default() -> Self {
        Self::identity()
    }
}

/// Scale along each axis.
///
/// Below a non-uniformly scaled parent a rotated child is sheared, which no translation, rotation
/// and scale can express; prefer [`Scale`] where it is enough.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct NonUniformScale(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Vector3<f32>,
);
vector_component!(NonUniformScale, 1.0);

impl NonUniformScale {
    /// Scale 1 on each axis, which changes nothing.
    #[must_use]
    pub const fn identity() -> Self {
        Self::new(1.0, 1.0, 1.0)
    }
}

/// Makes it `factor` times as large.
impl MulAssign<f32> for Scale {
    fn mul_assign(&mut self, factor: f32) {
        self.0 *= factor;
    }
}

/// Makes it `factor` times as large.
impl Mul<f32> for Scale {
    type Output = Self;

    fn mul(self, factor: f32) -> Self {
        Self(self.0 * factor)
    }
}

/// Makes it `factor` times as large.
impl MulAssign<f32> for NonUniformScale {
    fn mul_assign(&mut self, factor: f32) {
        self.0 *= factor;
    }
}

/// Makes it `factor` times as large.
impl Mul<f32> for NonUniformScale {
    type Output = Self;

    fn mul(self, factor: f32) -> Self {
        Self(self.0 * factor)
    }
}

/// Axis by axis.
impl MulAssign<Vector3<f32>> for NonUniformScale {
    fn mul_assign(&mut self, factors: Vector3<f32>) {
        self.0.component_mul_assign(&factors);
    }
}
