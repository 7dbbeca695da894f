//! What the tests of both formats share: random attributes, one run of the bundle, and a comparison
//! with f64.

use legion::{Entity, Resources, Schedule, World};
use legion_transform::prelude::*;
use nalgebra::{Matrix4, Vector3};
use proptest::prelude::*;

/// A transform with other attributes.
pub fn set<T>(mut transform: T, set: impl FnOnce(&mut T)) -> T {
    set(&mut transform);
    transform
}

/// Any three numbers in a range.
pub fn vector(range: std::ops::Range<f32>) -> impl Strategy<Value = Vector3<f32>> {
    [range.clone(), range.clone(), range].prop_map(Vector3::from)
}

/// Often zero, else anything within five units.
pub fn offset() -> impl Strategy<Value = Vector3<f32>> {
    prop_oneof![1 => Just(Vector3::zeros()), 2 => vector(-5.0..5.0)]
}

/// Often zero, else anything within two turns, in degrees.
pub fn degrees() -> impl Strategy<Value = Vector3<f32>> {
    prop_oneof![1 => Just(Vector3::zeros()), 3 => vector(-720.0..720.0)]
}

/// Often 1 or the same on all axes; negative too.
pub fn scale() -> impl Strategy<Value = Vector3<f32>> {
    let along =
        (0.25_f32..3.0, any::<bool>()).prop_map(|(size, mirror)| if mirror { -size } else { size });
    prop_oneof![
        1 => Just(Vector3::repeat(1.0)),
        1 => (0.25_f32..3.0).prop_map(Vector3::repeat),
        3 => [along.clone(), along.clone(), along].prop_map(Vector3::from),
    ]
}

pub fn run(world: &mut World) {
    let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
    schedule.execute(world, &mut Resources::default());
}

pub fn world_of(world: &mut World, entity: Entity) -> Matrix4<f32> {
    world.entry(entity).unwrap().get_component::<LocalToWorld>().unwrap().0
}

/// The largest difference from an f64 reference, in proportion to the reference's largest number
/// (at least 1).
pub fn difference(matrix: &Matrix4<f32>, reference: &Matrix4<f64>) -> f64 {
    (matrix.cast::<f64>() - reference).amax() / reference.amax().max(1.0)
}

/// What composition in f32 may lose against f64: cancelling pivots cost the most.
pub const TOLERANCE: f64 = 1e-4;

/// How far a node that is spawned below another of its kind is from the square of its local matrix.
pub fn error_below_itself(
    spawn: impl Fn(&mut World, Option<Entity>) -> Entity,
    local: &Matrix4<f32>,
) -> f64 {
    let mut world = World::default();
    let above = spawn(&mut world, None);
    let below = spawn(&mut world, Some(above));
    run(&mut world);
    let local = local.cast::<f64>();
    difference(&world_of(&mut world, below), &(local * local))
}
