//! A small deterministic source of random values (xorshift64*), so that a seed printed by a failing
//! test replays it.

use nalgebra::{Unit, UnitQuaternion, Vector3};

/// The state; never zero.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        // splitmix64, so that neighbouring seeds do not start alike
        let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self((z ^ (z >> 31)) | 1)
    }

    #[allow(clippy::should_implement_trait, reason = "a source of numbers does not end")]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// In `0..bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0);
        ((self.next() >> 33) as usize) % bound
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// In `low..high`, evenly.
    pub fn float(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.next() >> 40) as f32 / (1u64 << 24) as f32)
    }

    pub fn vector(&mut self, reach: f32) -> Vector3<f32> {
        Vector3::new(
            self.float(-reach, reach),
            self.float(-reach, reach),
            self.float(-reach, reach),
        )
    }

    pub fn quaternion(&mut self) -> UnitQuaternion<f32> {
        let axis = self.vector(1.0) + Vector3::new(0.01, 0.02, 1.5);
        UnitQuaternion::from_axis_angle(&Unit::new_normalize(axis), self.float(-3.0, 3.0))
    }

    /// A scale of ordinary size, now and then negative.
    pub fn scale(&mut self) -> f32 {
        let size = self.float(0.4, 2.0);
        if self.one_in(6) { -size } else { size }
    }
}
