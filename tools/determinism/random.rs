//! Random numbers that are the same on every platform: sums, products and square roots only.

use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};

/// A xorshift generator; its state is never zero.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).max(1))
    }

    /// In `0..bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }

    /// In `-2..2`.
    pub fn float(&mut self) -> f32 {
        self.below(1 << 24) as f32 / (1 << 22) as f32 - 2.0
    }

    pub fn vector(&mut self) -> Vector3<f32> {
        Vector3::from_fn(|_, _| self.float())
    }

    pub fn rotation(&mut self) -> UnitQuaternion<f32> {
        let axis = self.vector();
        UnitQuaternion::new_normalize(Quaternion::from_parts(2.5, axis))
    }

    /// Not far from the identity, sheared and projective.
    pub fn matrix(&mut self) -> Matrix4<f32> {
        Matrix4::identity() + Matrix4::from_fn(|_, _| 0.3 * self.float())
    }
}
