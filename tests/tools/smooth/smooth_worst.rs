//! What `Smooth` meets at its worst: rows that move behind its back, missed ticks, extreme scales.

use std::f32::consts::FRAC_PI_2;

use harness::TestWorld;
use legion::Entity;
use legion_transform::{frames::Frame, prelude::*, smooth::Smooth};
use nalgebra::{Matrix3, Translation3, UnitQuaternion};

use super::smooth_ticks::{Ticks, x};

/// Systems behind the bundle despawn entities and change components: rows move between the run and
/// `Smooth::tick`.
#[test]
fn rows_may_move_between_the_run_and_the_tick() {
    let mut it = Ticks::new();
    let all = [1.0, 2.0, 3.0, 4.0, 5.0].map(|x| it.test.at(x));
    let [dead, rests, bare, marked, last] = all;
    it.tick();
    for way in [10.0, 20.0] {
        for (entity, i) in all.into_iter().zip(1_u8..) {
            if it.test.has::<Translation>(entity) && entity != rests {
                it.test.set(entity, Translation::new(way + f32::from(i), 0.0, 0.0));
            }
        }
        it.test.run();
        it.test.world.remove(dead);
        it.test.take::<LocalToWorld>(bare);
        it.test.put(marked, "another archetype");
        let _new = it.test.at(100.0);
        let TestWorld { world, resources, .. } = &it.test;
        it.followed.smooth.tick(world, &resources.get::<TransformChanges>().unwrap()).unwrap();
        let before = if way == 10.0 { 0.0 } else { 10.0 };
        let halfway = |i: f32| 0.5 * (way + before) + i;
        assert_eq!([marked, last].map(|entity| x(&it, entity, 0.5)), [4.0, 5.0].map(halfway));
        assert_eq!(x(&it, rests, 0.5), 2.0);
        assert_eq!(it.followed.smooth.matrix(&it.test.world, dead, 0.5), None);
        let moving: Vec<Entity> =
            it.followed.smooth.updates(0.5).map(|(entity, _)| entity).collect();
        assert!(!moving.contains(&dead), "{moving:?}");
    }
}

/// A run that `Smooth` was not told of: what was spawned in it is where it is, and not at 0.
#[test]
fn what_came_in_a_missed_tick_is_where_it_is() {
    let mut it = Ticks::new();
    it.test.at(1.0);
    it.tick();
    let missed = it.test.at(2.0);
    it.test.run();
    it.test.at(3.0);
    it.tick();
    assert_eq!(x(&it, missed, 0.5), 2.0);
}

/// A mirror stays one between two ticks, at any size.
#[test]
fn mirrors_of_any_size_stay_mirrors() {
    for size in [1e-17_f32, 1e-13, 1e-9, 1.0, 1e9, 1e13, 1e17] {
        let turn = UnitQuaternion::from_euler_angles(0.3, 0.4, 0.5);
        let mirror = Transform::from_rotation(turn).with_scale([-size, size, size]);
        let at = |x| LocalToWorld(mirror.with_translation([x, 0.0, 0.0]).to_matrix());
        let mut it = Ticks::new();
        let entity = it.test.push((at(0.0),));
        it.tick();
        it.test.set(entity, at(1.0));
        it.tick();
        let seen = it.followed.smooth.matrix(&it.test.world, entity, 0.5).unwrap();
        let off = (seen.0 - at(0.5).0).fixed_view::<3, 3>(0, 0).amax();
        assert!(off <= 1e-6 * size, "{off} at size {size}");
    }
}

/// A mirror that shrinks to nothing is still one: it turns on its way, and does not go straight.
#[test]
fn a_mirror_shrinks_as_a_mirror() {
    let mirror = |angle: f32, size: f32| {
        let turn = UnitQuaternion::from_euler_angles(0.0, 0.0, angle);
        LocalToWorld(Transform::from_rotation(turn).with_scale([-size, size, size]).to_matrix())
    };
    let mut it = Ticks::new();
    let entity = it.test.push((mirror(0.0, 1.0),));
    it.tick();
    it.test.set(entity, mirror(1.0, 1e-17));
    it.tick();
    let seen = it.followed.smooth.matrix(&it.test.world, entity, 0.5).unwrap();
    let off = (seen.0 - mirror(0.5, 0.5).0).amax();
    assert!(off < 1e-6, "{off} off: {}", seen.0);
    // It grows again as what it is not: no way turns a mirror into what is none.
    let grown = LocalToWorld::identity();
    it.test.set(entity, grown);
    it.tick();
    let seen = it.followed.smooth.matrix(&it.test.world, entity, 0.5).unwrap();
    let off = (seen.0 - 0.5 * (mirror(1.0, 1e-17).0 + grown.0)).amax();
    assert!(off < 1e-6, "{off} off: {}", seen.0);
}

/// A resting entity takes the row of one that goes, also where its matrix is the user's own or a
/// frame's and another one in the archetype is written.
#[test]
fn what_rests_is_not_updated_because_it_gets_another_row() {
    type Build = fn(&mut TestWorld, f32) -> Entity;
    type Write = fn(&mut TestWorld, Entity);
    let own: (Build, Write) = (
        |test, x| test.push((LocalToWorld(Translation3::new(x, 0.0, 0.0).to_homogeneous()),)),
        |test, entity| {
            test.set(entity, LocalToWorld(Translation3::new(9.0, 0.0, 0.0).to_homogeneous()));
        },
    );
    let frame: (Build, Write) = (
        |test, x| test.push((LocalToWorld::identity(), Frame::at([x.into(), 0.0, 0.0].into()))),
        |test, entity| test.set(entity, Frame::at([9.0, 0.0, 0.0].into())),
    );
    let plain: (Build, Write) =
        (|test, x| test.at(x), |test, entity| test.set(entity, Translation::new(9.0, 0.0, 0.0)));
    for (build, write) in [own, frame, plain] {
        let bundle = TransformSystemBundle::default().track_changes().large_worlds();
        let mut test = TestWorld::new(bundle);
        let mut smooth = Smooth::default();
        let mut tick = |test: &mut TestWorld| {
            test.run();
            smooth.tick(&test.world, &test.resources.get::<TransformChanges>().unwrap()).unwrap();
            let updates = smooth.updates(1.0);
            let updates: Vec<(Entity, f32)> =
                updates.map(|(entity, matrix)| (entity, matrix.position().x)).collect();
            smooth.end_frame(1.0);
            updates
        };
        let [first, second, third] = [0.0, 1.0, 2.0].map(|x| build(&mut test, x));
        assert_eq!(tick(&mut test).len(), 3);
        // The first write of matrices lists all of an archetype.
        write(&mut test, second);
        tick(&mut test);
        assert_eq!(tick(&mut test), [(second, 9.0)], "it came to rest");
        write(&mut test, first);
        test.despawn(second);
        assert_eq!(tick(&mut test), [(first, 9.0)], "the third has its row and its matrix");
        assert_eq!(tick(&mut test), [(first, 9.0)]);
        write(&mut test, third);
        test.despawn(first);
        assert_eq!(tick(&mut test), [(third, 9.0)], "it moves, and gets another row");
    }
}

/// An infinite translation is not taken apart, so nothing is turned on the way.
#[test]
fn what_is_not_finite_goes_straight() {
    for translation in [f32::INFINITY, f32::NAN] {
        let mut it = Ticks::new();
        let entity = it.test.push((LocalToWorld::identity(),));
        it.tick();
        let turned = *Rotation::from_rotation_z(FRAC_PI_2).to_rotation_matrix().matrix();
        let mut to = turned.to_homogeneous();
        to.m14 = translation;
        it.test.set(entity, LocalToWorld(to));
        it.tick();
        let seen = it.followed.smooth.matrix(&it.test.world, entity, 0.5).unwrap();
        let middle = 0.5 * (Matrix3::identity() + turned);
        let axes: Matrix3<f32> = seen.fixed_view::<3, 3>(0, 0).into_owned();
        assert!((axes - middle).amax() < 1e-6, "{}", seen.0);
        assert!(!seen.m14.is_finite());
    }
}
