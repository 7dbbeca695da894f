//! Movement along the axes.

use nalgebra::{Translation3, Vector3};

use super::wraps;

/// Movement along the x, y and z axes, in the parent's space (or the world's, without a parent).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct Translation(pub Translation3<f32>);
wraps!(Translation, Translation3<f32>);

impl Translation {
    /// From the three distances.
    #[must_use]
    pub fn new(x: f32, y: f32, z: f32) -> Self {
        Self(Translation3::new(x, y, z))
    }

    /// No movement.
    #[must_use]
    pub fn identity() -> Self {
        Self(Translation3::identity())
    }
}

impl Default for Translation {
    fn default() -> Self {
        Self::identity()
    }
}

impl From<Vector3<f32>> for Translation {
    fn from(vector: Vector3<f32>) -> Self {
        Self(Translation3 { vector })
    }
}

impl From<Translation> for Vector3<f32> {
    fn from(translation: Translation) -> Self {
        translation.0.vector
    }
}
