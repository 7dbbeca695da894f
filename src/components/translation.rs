//! Movement along the axes.

use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

use nalgebra::{Point3, Translation3, Vector3};

use super::wraps;

/// Movement along the x, y and z axes, in the parent's space (or the world's, without a parent).
///
/// `+`, `-`, `+=` and `-=` take vectors. It derefs to nalgebra's `Translation3`, with the fields
/// `x`, `y` and `z`, or all three as `vector`:
///
/// ```
/// # use legion_transform::prelude::*;
/// # use nalgebra::Vector3;
/// fn step(translation: &mut Translation, velocity: Vector3<f32>) {
///     *translation += velocity;
///     *translation -= translation.vector * 0.5; // half of the way back
///     translation.y = 0.0;
/// }
///
/// let mut translation = Translation::new(1.0, 2.0, 3.0);
/// step(&mut translation, Vector3::new(0.0, 0.0, 1.0));
/// assert_eq!(translation, Translation::new(0.5, 0.0, 2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(transparent)]
pub struct Translation(
    #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Translation3<f32>,
);
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

    /// The translation at `t` on the straight way to another: this one at 0, the other at 1.
    #[must_use]
    pub fn lerp(&self, other: Self, t: f32) -> Self {
        Self::from(self.0.vector.lerp(&other.0.vector, t))
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

impl From<Point3<f32>> for Translation {
    fn from(point: Point3<f32>) -> Self {
        Self::from(point.coords)
    }
}

impl From<[f32; 3]> for Translation {
    fn from([x, y, z]: [f32; 3]) -> Self {
        Self::new(x, y, z)
    }
}

impl Add<Vector3<f32>> for Translation {
    type Output = Self;

    fn add(self, vector: Vector3<f32>) -> Self {
        Self::from(self.0.vector + vector)
    }
}

impl Sub<Vector3<f32>> for Translation {
    type Output = Self;

    fn sub(self, vector: Vector3<f32>) -> Self {
        Self::from(self.0.vector - vector)
    }
}

impl AddAssign<Vector3<f32>> for Translation {
    fn add_assign(&mut self, vector: Vector3<f32>) {
        self.0.vector += vector;
    }
}

impl SubAssign<Vector3<f32>> for Translation {
    fn sub_assign(&mut self, vector: Vector3<f32>) {
        self.0.vector -= vector;
    }
}

/// Makes it `factor` times as far.
impl Mul<f32> for Translation {
    type Output = Self;

    fn mul(self, factor: f32) -> Self {
        Self::from(self.0.vector * factor)
    }
}

/// The way from another translation to this one.
impl Sub for Translation {
    type Output = Vector3<f32>;

    fn sub(self, other: Self) -> Vector3<f32> {
        self.0.vector - other.0.vector
    }
}
