//! The document's components, and a world that runs.

use legion::{systems::Builder, *};
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

pub struct Test {
    pub world: World,
    resources: Resources,
    schedule: Schedule,
}

impl Test {
    pub fn new(bundle: TransformSystemBundle) -> Self {
        let mut builder: Builder = Schedule::builder();
        let schedule = builder.add_transforms(bundle).build();
        Self { world: World::default(), resources: Resources::default(), schedule }
    }

    pub fn run(&mut self) {
        <&mut Writers>::query().for_each_mut(&mut self.world, |writers| writers.0.clear());
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    pub fn get<T: storage::Component + Clone>(&self, entity: Entity) -> T {
        self.world.entry_ref(entity).unwrap().get_component::<T>().unwrap().clone()
    }

    pub fn matrix(&self, entity: Entity) -> Matrix4<f32> {
        self.get::<LocalToWorld>(entity).0
    }

    pub fn writers(&self, entity: Entity) -> Vec<&'static str> {
        self.world.entry_ref(entity).unwrap().get_component::<Writers>().unwrap().0.clone()
    }
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
