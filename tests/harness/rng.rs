//! Random values for tests that are no properties of proptest's: its numbers and the strategies of
//! `legion_transform_testing`, from a seed that a failing test prints.

use legion_transform_testing::{Kind, Numbers, Values};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, RngSeed, TestRunner},
};

/// Where the values come from.
#[derive(Clone, Debug)]
pub struct Rng(TestRunner);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(TestRunner::new(Config {
            rng_seed: RngSeed::Fixed(seed),
            rng_algorithm: RngAlgorithm::XorShift,
            ..Config::default()
        }))
    }

    /// One value of a strategy.
    pub fn draw<S: Strategy>(&mut self, strategy: S) -> S::Value {
        strategy.new_tree(&mut self.0).expect("no value is rejected").current()
    }

    /// A seed for another one.
    pub fn seed(&mut self) -> u64 {
        self.0.rng().random()
    }

    /// In `0..bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.rng().random_range(0..bound)
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// In `low..high`, evenly.
    pub fn float(&mut self, low: f32, high: f32) -> f32 {
        self.0.rng().random_range(low..high)
    }

    pub fn vector(&mut self, reach: f32) -> Vector3<f32> {
        Vector3::from_fn(|_, _| self.float(-reach, reach))
    }

    pub fn quaternion(&mut self) -> UnitQuaternion<f32> {
        let [x, y, z, w, ..] = self.numbers(Kind::Rotation);
        UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z))
    }

    /// A scale of ordinary size, now and then negative.
    pub fn scale(&mut self) -> f32 {
        self.draw(values().factor())
    }

    /// An ordinary value of a component: rotations of unit length, scales that have an inverse,
    /// matrices with some of everything.
    pub fn numbers(&mut self, kind: Kind) -> Numbers {
        self.draw(values().numbers(kind))
    }
}

fn values() -> Values {
    Values::default().mirrors()
}
