//! What a Bevy or Unity programmer writes first compiles, and does what it says. Each line was
//! guessed before it was looked up; the ones that do not compile are in docs/migration.md.

use legion::World;
use legion_transform::{
    TransformQuery, components::WorldToLocal, edit::Edits, frames::Frame, prelude::*,
};
use nalgebra::{Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;

fn near(a: Vector3<f32>, b: [f32; 3]) -> bool {
    (a - Vector3::from(b)).norm() < 1e-5
}

#[test]
fn translations_and_scales_are_added_and_multiplied() {
    let mut place = Translation::new(1.0, 2.0, 3.0);
    place += Vector3::x();
    place -= Vector3::y();
    place.x += 1.0;
    assert_eq!(place * 2.0, Translation::new(6.0, 2.0, 6.0));
    assert_eq!(place - Translation::new(1.0, 1.0, 1.0), Vector3::new(2.0, 0.0, 2.0));
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
fn rotations_have_directions_and_ways_between() {
    let quarter = Rotation::from_rotation_y(std::f32::consts::FRAC_PI_2);
    assert!(near(quarter.forward(), [1.0, 0.0, 0.0]));
    assert!(near(quarter.right(), [0.0, 0.0, -1.0]));
    assert!(near(quarter.up(), [0.0, 1.0, 0.0]));
    assert!(near(quarter * Vector3::z(), [1.0, 0.0, 0.0]));
    let half = Rotation::identity().slerp(quarter, 0.5);
    assert!(half.angle_to(&Rotation::from_rotation_y(std::f32::consts::FRAC_PI_4)) < 1e-6);
    assert_eq!(quarter.slerp(quarter, 0.3).angle_to(&quarter), 0.0);
    let mut turned = Rotation::identity();
    turned *= quarter;
    assert_eq!(turned, quarter);
    assert!(near(Rotation::look_at(Vector3::x(), Vector3::y()).forward(), [1.0, 0.0, 0.0]));
}

#[test]
fn transforms_map_invert_and_blend() {
    let seat = Transform::from_xyz(1.0, 2.0, 3.0)
        .with_rotation(Rotation::from_rotation_z(std::f32::consts::FRAC_PI_2))
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
    Edits::default().rotate(&mut world, ship, Rotation::from_rotation_z(1.0)).unwrap();
    assert_eq!(TransformQuery::new(&world).position(ship).unwrap(), Point3::new(10.0, 0.0, 0.0));

    let mut resources = legion::Resources::default();
    let bundle = TransformSystemBundle::default();
    let mut schedule = legion::Schedule::builder().add_transforms(bundle).build();
    schedule.execute(&mut world, &mut resources);
    let matrix = LocalToWorld::of(&world, ship).unwrap();
    assert_eq!(matrix.translation(), Vector3::new(10.0, 0.0, 0.0));
    assert!(matrix.rotation().angle_to(&Rotation::from_rotation_z(1.0)) < 1e-6);
    assert!((matrix.scale().0 - Vector3::repeat(2.0)).norm() < 1e-6);
    assert!((matrix * Point3::origin() - matrix.position()).norm() < 1e-6);
    let inverse: WorldToLocal = matrix.inverse().unwrap();
    assert!(inverse.transform_point(&matrix.position()).coords.norm() < 1e-5);
    let as_one = Transform::try_from(matrix).unwrap();
    assert!((as_one.translation - matrix.translation()).norm() < 1e-6);
    world.remove(gun);
    assert_eq!(LocalToWorld::of(&world, gun), None);
}

fn rotation() -> impl Strategy<Value = UnitQuaternion<f32>> {
    prop::array::uniform3(-10.0_f32..10.0).prop_map(|axis| UnitQuaternion::new(axis.into()))
}

proptest! {
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
