//! Frames that are computed where something was written are as if all were computed anew.

use harness::TestWorld;
use legion::{Entity, Schedule};
use legion_transform::{
    edit::EditError,
    frames::{Frame, Origin},
    prelude::*,
};
use nalgebra::{Point3, UnitQuaternion};
use proptest::{prelude::*, sample::Index};

fn bundle() -> TransformSystemBundle {
    TransformSystemBundle::default().large_worlds().print_findings(false)
}

fn frame(x: f64) -> Frame {
    let rotation = UnitQuaternion::from_euler_angles(x, 0.1, -x);
    Frame { position: Point3::new(x, 1.0, x * x), rotation }
}

/// Does something to a world of frames and plain entities, mistakes included: links without
/// `LocalToParent`, cycles, dead parents, frames without a matrix.
fn edit(test: &mut TestWorld, all: &mut Vec<Entity>, what: u8, (a, b): (Entity, Entity), x: f64) {
    let plain = Translation::new(x as f32, 0.0, 0.0);
    let [is_alive, is_parent] = [a, b].map(|entity| test.world.contains(entity));
    match what {
        0 => all.push(test.world.push_transform((frame(x),))),
        1 => all.push(test.world.push_transform((plain,))),
        2 => all.push(test.push((frame(x),))),
        3 => test.resources.insert(Origin(a)),
        4 if is_parent => all.push(test.world.push_child(b, (frame(x),))),
        5 if is_parent => all.push(test.world.push_child(b, (plain,))),
        _ if !is_alive => {}
        6 => test.put(a, frame(x)),
        7 => test.take::<Frame>(a),
        8 => test.put(a, Parent(b)),
        9 | 10 => {
            test.put(a, LocalToParent::identity());
            test.put(a, Parent(b));
        }
        11 => test.take::<Parent>(a),
        12 if x > 0.0 => test.take::<LocalToWorld>(a),
        12 => test.put(a, LocalToWorld::identity()),
        13 if x > 0.0 => test.take::<LocalToParent>(a),
        13 => test.put(a, LocalToParent::identity()),
        14 => test.despawn(a),
        _ => {}
    }
}

/// Queries and edits know frames without the bundle's write groups.
#[test]
fn edits_in_place_know_frames() {
    let mut test = TestWorld::new(bundle());
    let at = |x| Frame::at(Point3::new(x, 0.0, 0.0));
    let station = test.world.push_transform((at(1e9),));
    let ship = test.world.push_child(station, (at(10.0),));
    let viewer = test.world.push_child(station, (Translation::new(3.0, 0.0, 0.0),));
    test.resources.insert(Origin(station));
    test.run();
    let seen = TransformQuery::new(&test.world).local_to_world(ship).unwrap();
    assert_eq!(seen.position().x, 10.0);
    Edits::default().set_parent(&mut test.world, viewer, ship).unwrap();
    test.run();
    assert_eq!(test.x(viewer), 3.0);
}

/// A ship docks and leaves in place, to the millimetre at 1e11 m.
#[test]
fn frames_change_their_parents_in_place() {
    let mut test = TestWorld::new(bundle());
    let station = test.world.push_transform((frame(1e5),));
    let dock = test.world.push_child(station, (Rotation::from_rotation_x(1.0),));
    let ship = test.world.push_transform((Frame {
        position: frame(1e5).position + nalgebra::Vector3::new(0.25, 0.5, 1.0),
        rotation: UnitQuaternion::from_euler_angles(0.5, 0.6, 0.7),
    },));
    test.resources.insert(Origin(station));
    test.run();
    let seen = test.matrix(ship);
    for parent in [Some(dock), Some(station), None] {
        match parent {
            Some(parent) => Edits::default().set_parent(&mut test.world, ship, parent),
            None => Edits::default().remove_parent(&mut test.world, ship),
        }
        .unwrap();
        test.run();
        assert!((test.matrix(ship) - seen).amax() < 1e-5, "{parent:?}: {}", test.matrix(ship));
        let pose = test.value::<Frame>(ship).position.coords.norm();
        assert_eq!(pose < 10.0, parent.is_some(), "in the space of the station, or the universe");
    }
    // Nothing else says where a frame is.
    let edits = Edits::default();
    let framed = Err(EditError::Framed(ship));
    assert_eq!(edits.set_world(&mut test.world, ship, Transform::default()), framed);
    assert_eq!(edits.translate(&mut test.world, ship, nalgebra::Vector3::x()), framed);
    let ahead = edits.look_at(&mut test.world, ship, Point3::origin(), nalgebra::Vector3::y());
    assert_eq!(ahead, framed);
}

/// A plain entity between two frames changes its parent: the frame below it goes along.
#[test]
fn what_is_between_frames_takes_them_along() {
    let mut test = TestWorld::new(bundle());
    let [a, b] = [1.0, 10.0].map(|x| Frame::at(Point3::new(x, 0.0, 0.0)));
    let [near, far] = [a, b].map(|frame| test.world.push_transform((frame,)));
    let plain = test.world.push_child(near, (Translation::identity(),));
    let below = test.world.push_child(plain, (a,));
    // Both have other children, so no frame moves to another archetype.
    let _others = [near, far].map(|it| test.world.push_child(it, (a,)));
    test.run();
    assert_eq!(test.x(below), 2.0);
    test.put(plain, Parent(far));
    test.run();
    assert_eq!(test.x(below), 11.0);
    test.set(plain, Parent(near));
    test.run();
    assert_eq!(test.x(below), 2.0);
}

proptest! {
    #[test]
    fn a_run_is_right_where_nothing_was_computed(
        edits in prop::collection::vec(
            (0_u8..22, any::<Index>(), any::<Index>(), -9.0_f64..9.0),
            1..80,
        )
    ) {
        let mut test = TestWorld::new(bundle());
        let mut all = vec![test.world.push_transform((frame(1.0),))];
        for (what, a, b, x) in edits {
            let two = (*a.get(&all), *b.get(&all));
            edit(&mut test, &mut all, what, two, x);
            if what < 15 {
                continue;
            }
            test.run();
            let matrices = |test: &TestWorld| {
                let matrix = |entity: &Entity| test.get::<LocalToWorld>(*entity).map(|it| it.0);
                all.iter().map(matrix).collect::<Vec<_>>()
            };
            let seen = matrices(&test);
            let mut anew = Schedule::builder().add_transforms(bundle()).build();
            anew.execute(&mut test.world, &mut test.resources);
            prop_assert_eq!(seen, matrices(&test));
        }
    }
}
