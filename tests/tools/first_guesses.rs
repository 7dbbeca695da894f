//! What a Bevy or Unity programmer writes first, each guessed before it was looked up: algebra and
//! verbs that compile, and do what they say. What does not compile stands in docs/migration.md,
//! "Guessed first", and what the table has beside it is here as well.

use harness::demand;
use legion::{systems::CommandBuffer, *};
use legion_transform::{
    edit::{EditError, FailedEdits},
    frames::Frame,
    prelude::*,
};
use nalgebra::{Matrix4, Point3, Unit, UnitQuaternion, Vector3};
use proptest::prelude::*;
use std::f32::consts::FRAC_PI_2;

fn near(a: Vector3<f32>, b: [f32; 3]) -> bool {
    (a - Vector3::from(b)).norm() < 1e-5
}

fn at(x: f32, y: f32, z: f32) -> (Translation,) {
    (Translation::new(x, y, z),)
}

fn run(world: &mut World) {
    let bundle = TransformSystemBundle::default();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();
    schedule.execute(world, &mut Resources::default());
}

#[test]
fn translations_and_scales_are_added_and_multiplied() {
    let mut place = Translation::new(1.0, 2.0, 3.0);
    place += Vector3::x();
    place -= Vector3::y();
    place.x += 1.0;
    assert_eq!(place * 2.0, Translation::new(6.0, 2.0, 6.0));
    assert_eq!(place - Translation::new(1.0, 1.0, 1.0), Vector3::new(2.0, 0.0, 2.0));
    place.y = 0.0;
    assert_eq!(place + Rotation::identity().forward() * 2.0, Translation::new(3.0, 0.0, 5.0));
    let half = Translation::from([1.0, 2.0, 3.0]).lerp(Translation::identity(), 0.5);
    assert_eq!(half, Translation::new(0.5, 1.0, 1.5));
    assert_eq!(Vector3::from(half), half.vector);
    let mut size = Scale(2.0);
    size *= 1.5;
    assert_eq!((size, size * 2.0), (Scale(3.0), Scale(6.0)));
    let mut axes = NonUniformScale::new(1.0, 2.0, 3.0);
    axes *= 2.0;
    axes *= Vector3::new(1.0, 0.5, 2.0);
    assert_eq!((axes, axes * 0.5).0, NonUniformScale::new(2.0, 2.0, 12.0));
    assert_eq!(Frame::from_xyz(1e9, 0.0, 0.0), Frame::at(Point3::new(1e9, 0.0, 0.0)));
}

#[test]
fn rotations_and_transforms_turn_map_and_blend() {
    let quarter = Rotation::from_rotation_y(FRAC_PI_2);
    assert!(near(quarter.forward(), [1.0, 0.0, 0.0]));
    assert!(near(quarter.right(), [0.0, 0.0, -1.0]));
    assert!(near(quarter.up(), [0.0, 1.0, 0.0]));
    assert!(near(quarter * Vector3::z(), [1.0, 0.0, 0.0]));
    let half = Rotation::identity().slerp(quarter, 0.5);
    assert!(half.angle_to(&Rotation::from_rotation_y(std::f32::consts::FRAC_PI_4)) < 1e-6);
    assert_eq!(quarter.slerp(quarter, 0.3).angle_to(&quarter), 0.0);
    assert!(near(Rotation::look_to(Vector3::x(), Vector3::y()).forward(), [1.0, 0.0, 0.0]));
    let (roll, pitch, yaw) = Rotation::from_euler_angles(0.1, 0.2, 0.3).euler_angles();
    assert!(near(Vector3::new(roll, pitch, yaw), [0.1, 0.2, 0.3]));

    let seat = Transform::from_xyz(1.0, 2.0, 3.0)
        .with_rotation(Rotation::from_rotation_z(FRAC_PI_2))
        .with_scale([2.0; 3]);
    assert!(near(seat.transform_point([1.0, 0.0, 0.0]).coords, [1.0, 4.0, 3.0]));
    let back = seat.inverse().unwrap();
    assert!(near(back.transform_point([1.0, 4.0, 3.0]).coords, [1.0, 0.0, 0.0]));
    assert_eq!(seat.with_scale([1.0, 2.0, 1.0]).inverse(), None);
    assert_eq!(seat.with_scale([0.0; 3]).inverse(), None);
    let half = Transform::identity().lerp(&seat, 0.5);
    assert!(near(half.translation, [0.5, 1.0, 1.5]) && near(half.scale, [1.5; 3]));
}

#[test]
fn matrices_are_read_in_one_line() {
    let mut world = World::default();
    let ship = world.push_transform((Translation::new(10.0, 0.0, 0.0), Scale(2.0)));
    let gun = world.push_child(ship, (Translation::new(0.0, 1.0, 0.0),));
    assert_eq!(TransformQuery::new(&world).position(gun).unwrap(), Point3::new(10.0, 2.0, 0.0));
    world.rotate(ship, Rotation::from_rotation_z(1.0)).unwrap();
    assert_eq!(TransformQuery::new(&world).position(ship).unwrap(), Point3::new(10.0, 0.0, 0.0));

    run(&mut world);
    let matrix = LocalToWorld::of(&world, ship).unwrap();
    assert_eq!(matrix.translation(), Vector3::new(10.0, 0.0, 0.0));
    assert!(matrix.rotation().angle_to(&Rotation::from_rotation_z(1.0)) < 1e-6);
    assert!((matrix.scale().0 - Vector3::repeat(2.0)).norm() < 1e-6);
    assert!((matrix * Point3::origin() - matrix.position()).norm() < 1e-6);
    let inverse: WorldToLocal = matrix.inverse().unwrap();
    assert!((inverse * matrix.position()).coords.norm() < 1e-5);
    assert_eq!(Matrix4::from(matrix), matrix.0);
    let gun_at = LocalToWorld::of(&world, gun).unwrap().position();
    assert!((nalgebra::distance(&matrix.position(), &gun_at) - 2.0).abs() < 1e-6);
    assert_eq!(TransformQuery::new(&world).world_to_local(ship).unwrap(), inverse);
    assert_eq!(Transform::read(&world, gun).unwrap().translation, Vector3::y());
    let as_one = Transform::try_from(matrix).unwrap();
    assert!((as_one.translation - matrix.translation()).norm() < 1e-6);
    world.remove(gun);
    assert!(LocalToWorld::of(&world, gun).is_err());
}

/// What stands in docs/migration.md beside guesses that do not compile.
#[test]
fn what_stands_beside_the_other_guesses() {
    let mut world = World::default();
    let parent = world.push_transform((Transform::identity().with_scale([2.0; 3]), Scale(2.0)));
    let child = world.push_child(parent, at(1.0, 2.0, 0.0));
    run(&mut world);
    let there = Point3::new(9.0, 9.0, 9.0);
    let here = TransformQuery::new(&world).position(child).unwrap();
    world.translate(child, there - here).unwrap();
    let matrix = TransformQuery::new(&world).local_to_world(child).unwrap();
    assert!(near(matrix.translation(), [9.0; 3]) && matrix.rotation() == Rotation::identity());

    let euler = Rotation(EulerOrder::YXZ.rotation(&Vector3::new(0.0, 0.3, 0.0)));
    let mut turned =
        Rotation::from_axis_angle(&Unit::new_normalize(Vector3::new(0.0, 2.0, 0.0)), 0.2);
    turned *= Rotation::from_rotation_y(0.1);
    assert!(turned.angle_to(&euler) < 1e-6);
    let arc = UnitQuaternion::rotation_between(&Vector3::x(), &Vector3::y()).unwrap();
    assert!(arc.angle_to(&Rotation::from_rotation_z(FRAC_PI_2)) < 1e-6);
    let (from, to, most) = (Rotation::identity(), Rotation::from_rotation_z(1.0), 0.25);
    let step = from.slerp(to, (most / from.angle_to(&to)).min(1.0));
    assert!(step.angle_to(&Rotation::from_rotation_z(0.25)) < 1e-6);
    let place = Translation::new(3.0, 4.0, 0.0);
    assert_eq!(((place - Translation::identity()).norm(), place.vector.xy().norm()), (5.0, 5.0));

    let walk = Walk::new(&world).unwrap();
    assert!(walk.ancestors(child).any(|it| it == parent));
    let children: Vec<Entity> = walk.children(parent).collect();
    assert_eq!(world.despawn_subtrees(children), 1);
}

/// A verb is the same on a world, on a command buffer and with options.
#[test]
fn verbs_are_the_same_on_worlds_and_on_commands() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let [hand, cup, eye] = [1.0, 2.0, 3.0].map(|x| world.push_transform(at(x, 0.0, 0.0)));
    let mut commands = CommandBuffer::new(&world);
    commands.set_parent(cup, hand);
    commands.insert_child(hand, 0, eye);
    commands.translate(cup, Vector3::y());
    commands.rotate(hand, Rotation::from_rotation_z(FRAC_PI_2));
    commands.look_at(eye, Point3::new(0.0, 9.0, 9.0), Vector3::y());
    commands.remove_parent(eye);
    commands.set_transform(eye, Transform::from_xyz(0.0, 0.0, 7.0));
    commands.despawn_subtree(hand);
    commands.set_parent(cup, eye);
    commands.flush(&mut world, &mut resources);
    assert_eq!(world.len(), 1);
    assert_eq!(Transform::read(&world, eye).unwrap().translation, Vector3::new(0.0, 0.0, 7.0));
    let failed: Vec<EditError> = resources.get_mut::<FailedEdits>().unwrap().drain().collect();
    assert!(matches!(failed[..], [EditError::Query(_)]), "the cup is gone: {failed:?}");

    let press = world.push_transform((NonUniformScale::new(1.0, 0.5, 1.0),));
    let plate = world.push_transform((Rotation::from_rotation_z(0.5),));
    assert!(matches!(world.set_parent(plate, press), Err(EditError::NoTransform { .. })));
    let edits = Edits::default().on_shear(OnShear::WriteMatrix);
    edits.set_parent(&mut world, plate, press).unwrap();
    let mut commands = CommandBuffer::new(&world);
    edits.remove_parent(&mut commands, plate);
    commands.flush(&mut world, &mut resources);
    assert_eq!(Walk::new(&world).unwrap().parent(plate), None);
}

fn rotation() -> impl Strategy<Value = UnitQuaternion<f32>> {
    prop::array::uniform3(-10.0_f32..10.0).prop_map(|axis| UnitQuaternion::new(axis.into()))
}

proptest! {
    #![proptest_config(demand::cases(256))]

    /// The angle to the first one grows evenly, and the way is the shorter one.
    #[test]
    fn a_slerp_goes_the_shorter_way_at_an_even_speed(
        a in rotation(),
        b in rotation(),
        t in 0.0_f32..=1.0,
    ) {
        let [a64, b64] = [a, b].map(|it| it.cast::<f64>());
        let whole = a64.angle_to(&b64);
        let between = Rotation(a).slerp(Rotation(b), t).0;
        prop_assert!((between.into_inner().norm() - 1.0).abs() < 3e-7);
        let between = between.cast::<f64>();
        let t = f64::from(t);
        prop_assert!((a64.angle_to(&between) - t * whole).abs() < 1e-3);
        prop_assert!((between.angle_to(&b64) - (1.0 - t) * whole).abs() < 1e-3);
        // In the plane of the two: exactly what nalgebra's gives, where that is defined.
        if let Some(other) = a64.try_slerp(&b64, t, 1e-6) {
            prop_assert!(other.angle_to(&between) < 1e-3);
        }
    }
}
