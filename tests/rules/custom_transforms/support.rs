//! The document's components, and a world that runs.

use harness::TestWorld;
use legion::*;
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Vector3};

/// The document's `UserComponent` and `UserComponent2`.
#[derive(Clone, Copy)]
pub struct UserComponent(pub f32);
#[derive(Clone, Copy)]
pub struct UserComponent2(pub f32);

/// Which user systems wrote the entity in the last run, in order.
#[derive(Default)]
pub struct Writers(pub Vec<&'static str>);

/// A matrix that no composition in these tests comes to.
pub fn mark(number: f32) -> Matrix4<f32> {
    Matrix4::new_translation(&Vector3::new(number, 1000.0, 0.0))
}

/// A run after which [`writers`] returns the writers of this run alone.
pub fn run(test: &mut TestWorld) {
    <&mut Writers>::query().for_each_mut(&mut test.world, |writers| writers.0.clear());
    test.run();
}

pub fn writers(test: &TestWorld, entity: Entity) -> Vec<&'static str> {
    test.world.entry_ref(entity).unwrap().get_component::<Writers>().unwrap().0.clone()
}

/// What no system may touch: with it in `LocalToWorld`, "not written" shows.
pub fn untouched() -> LocalToWorld {
    LocalToWorld(mark(-77.0))
}

pub fn trs() -> (Translation, Rotation, Scale) {
    (Translation::new(1.0, 2.0, 3.0), Rotation::from_euler_angles(0.1, 0.2, 0.3), Scale(2.0))
}

pub fn trs_matrix() -> Matrix4<f32> {
    let (translation, rotation, scale) = trs();
    translation.to_homogeneous() * rotation.to_homogeneous() * Matrix4::new_scaling(scale.0)
}

pub fn assert_close(a: &Matrix4<f32>, b: &Matrix4<f32>) {
    assert!((a - b).amax() < 1e-4, "{a} is not {b}");
}
