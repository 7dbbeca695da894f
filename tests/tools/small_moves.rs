//! Small moves and turns far from the origin are made, one after another.

use harness::TestWorld;
use legion_transform::prelude::*;
use nalgebra::{Point3, Vector3};

/// 1 mm in each of 100 frames, at 1 km: as a root, and below a parent that is there.
#[test]
fn small_moves_add_up_far_from_the_origin() {
    for below in [false, true] {
        let mut test = TestWorld::default();
        let place = Transform::from_xyz(1000.0, 0.0, 0.0);
        let parent = test.world.push_transform(place);
        let moved = match below {
            false => parent,
            true => test.world.push_child(parent, Transform::identity()),
        };
        let local = |test: &TestWorld| test.value::<Translation>(moved).x;
        let before = local(&test);
        for _ in 0..100 {
            test.world.translate(moved, Vector3::x() * 1e-3).unwrap();
        }
        let way = local(&test) - before;
        assert!((way - 0.1).abs() < if below { 1e-5 } else { 4e-3 }, "{way}, below: {below}");
    }
}

/// A moon, 1 m beside the point, in a thousand small turns once around it.
#[test]
fn small_turns_add_up_far_from_the_origin() {
    let mut test = TestWorld::default();
    let planet = test.world.push_transform(Transform::from_xyz(1000.0, 0.0, 0.0));
    let moon = test.world.push_child(planet, Transform::from_xyz(1.0, 0.0, 0.0));
    let step = Rotation::from_rotation_z(std::f32::consts::TAU / 4000.0);
    let point = Point3::new(1000.0, 0.0, 0.0);
    for _ in 0..1000 {
        test.world.rotate_around(moon, point, step).unwrap();
    }
    let at = test.value::<Translation>(moon).0.vector;
    assert!((at - Vector3::y()).norm() < 1e-3, "{at}");
    let turned = test.value::<Rotation>(moon);
    assert!(turned.angle_to(&Rotation::from_rotation_z(std::f32::consts::FRAC_PI_2)) < 1e-3);
}

/// A pose of the world that is 1 mm away.
#[test]
fn a_pose_that_is_near_is_another_pose() {
    let mut test = TestWorld::default();
    let entity = test.world.push_transform(Transform::from_xyz(1000.0, 0.0, 0.0));
    let pose = Transform::from_xyz(1000.001, 0.0, 0.0);
    test.world.set_local_to_world(entity, pose.to_matrix()).unwrap();
    assert_eq!(test.value::<Translation>(entity).0.vector, pose.translation);
}
