//! What the head of `edit` says, in its own numbers, and each kind of loss that there was.

use harness::TestWorld;
use legion::{Entity, storage::Component};
use legion_transform::{
    components::{CompositeScale, Shear},
    edit::EditError,
    math::decompose::DecomposeError,
    prelude::*,
};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

fn edits() -> Edits {
    Edits::default()
}

fn angle(test: &TestWorld, entity: Entity) -> f32 {
    test.value::<Rotation>(entity).angle()
}

fn axes(test: &TestWorld, entity: Entity) -> [f32; 3] {
    test.value::<NonUniformScale>(entity).0.into()
}

/// A root with these components, set below another one.
fn adopted<T: Component, P: Component>(
    test: &mut TestWorld,
    child: T,
    parent: P,
) -> (Entity, Result<(), EditError>) {
    let (child, parent) = (test.root(child), test.root(parent));
    (child, edits().set_parent(&mut test.world, child, parent))
}

#[test]
fn sizes_go_into_the_scale_that_counts() {
    let mut test = TestWorld::default();
    for (child, parent, wanted) in [
        ([1.0, 2.0, 1.0], 0.01, [100.0, 200.0, 100.0]),
        ([1.0, 1.0, 1.0], 0.5, [2.0; 3]),
        ([1.0, 1.0, 0.0], 0.5, [2.0, 2.0, 0.0]),
    ] {
        let (child, _) = adopted(&mut test, NonUniformScale(child.into()), Scale(parent));
        assert_eq!(axes(&test, child), wanted);
        assert!(!test.has::<Scale>(child) && !test.has::<Rotation>(child));
    }
    let (child, _) = adopted(&mut test, Scale(1.0), NonUniformScale::new(0.5, 1.0, 1.0));
    assert_eq!(axes(&test, child), [2.0, 1.0, 1.0]);
    assert!(!test.has::<Scale>(child));
    let (child, _) = adopted(&mut test, Scale(0.0), NonUniformScale::new(0.5, 1.0, 1.0));
    assert_eq!((test.get(child), test.has::<NonUniformScale>(child)), (Some(Scale(0.0)), false));
    let at = Translation::new(1.0, 2.0, 3.0);
    let (child, _) = adopted(&mut test, at, Scale(0.01));
    assert_eq!((test.get(child), test.has::<Rotation>(child)), (Some(Scale(100.0)), false));
    // An entity that had two keeps the one that counts.
    let both =
        test.push((LocalToWorld::identity(), Scale(2.0), NonUniformScale::new(1.0, 2.0, 3.0)));
    let parent = test.root(Scale(0.5));
    edits().set_parent(&mut test.world, both, parent).unwrap();
    assert_eq!((test.value::<Scale>(both).0, axes(&test, both)), (4.0, [1.0, 2.0, 3.0]));
}

#[test]
fn what_is_0_stays_0_and_turns() {
    let mut test = TestWorld::default();
    let turn = Rotation::from_rotation_y(1.0);
    for sizes in [[0.0; 3], [1.0, 1.0, 0.0], [0.0, 3.0, 0.0], [-1.0, 0.0, 2.0]] {
        let components =
            (LocalToWorld::identity(), Rotation::identity(), NonUniformScale(sizes.into()));
        let flat = test.push(components);
        edits().rotate(&mut test.world, flat, turn).unwrap();
        assert!((angle(&test, flat) - 1.0).abs() < 1e-6 && axes(&test, flat) == sizes);
        let target = Point3::new(3.0, 0.0, 0.0);
        edits().look_at(&mut test.world, flat, target, Vector3::y()).unwrap();
        // A mirrored z axis would look the other way; here it is not mirrored.
        let forward = test.value::<Rotation>(flat).forward();
        assert!((forward - Vector3::x()).norm() < 1e-6, "{sizes:?}: {forward}");
        assert_eq!(axes(&test, flat), sizes);
        let wanted = Transform::from_xyz(1.0, 0.0, 0.0).with_rotation(turn).with_scale(sizes);
        edits().set_transform(&mut test.world, flat, wanted).unwrap();
        assert_eq!(Transform::read(&test.world, flat), Ok(wanted));
    }
    // One flat child stops no other one.
    let parent = test.root(Rotation::from_rotation_z(0.5));
    let children = [0.0, 1.0].map(|z| test.child(parent, NonUniformScale::new(1.0, 1.0, z)));
    assert_eq!(edits().detach_children(&mut test.world, parent), Ok(children.to_vec()));
    assert!(children.iter().all(|child| (angle(&test, *child) - 0.5).abs() < 1e-6));
}

#[test]
fn a_column_of_0_that_is_given_gets_a_direction() {
    let mut test = TestWorld::default();
    let sprite = test.push((LocalToWorld::identity(), NonUniformScale::new(1.0, 1.0, 1.0)));
    let given = Matrix4::from_diagonal(&[2.0, 2.0, 0.0, 1.0].into());
    edits().set_local_to_world(&mut test.world, sprite, given).unwrap();
    assert_eq!((axes(&test, sprite), test.has::<Rotation>(sprite)), ([2.0, 2.0, 0.0], false));
    let turn = Rotation::from_rotation_x(0.5);
    edits().set_local_to_world(&mut test.world, sprite, turn.0.to_homogeneous() * given).unwrap();
    assert!((angle(&test, sprite) - 0.5).abs() < 1e-6);
    // Flat, but along no axis: not even a matrix is written.
    let slanted = Matrix4::from_columns(&[
        [1.0, 0.0, 0.0, 0.0].into(),
        [1.0, 0.0, 0.0, 0.0].into(),
        [0.0, 0.0, 1.0, 0.0].into(),
        [0.0, 0.0, 0.0, 1.0].into(),
    ]);
    let edits = edits().on_shear(OnShear::WriteMatrix);
    let refused = edits.set_local_to_world(&mut test.world, sprite, slanted);
    let reason = DecomposeError::Singular;
    assert_eq!(refused, Err(EditError::NoTransform { entity: sprite, reason }));
}

/// A quarter turn is one up to 0.0000002. Below a parent that is 100 times flatter along y, that is
/// 0.00002 of the child's x axis; the other axes say how it is turned.
#[test]
fn rounding_that_a_parent_magnifies_is_neither_shear_nor_a_turn() {
    let mut test = TestWorld::default();
    let flat = test.root(NonUniformScale::new(1.0, 0.01, 1.0));
    let half = std::f32::consts::FRAC_1_SQRT_2.next_down();
    let quarter = UnitQuaternion::new_unchecked([0.0, 0.0, half, half].into());
    let child = test.child(flat, Rotation(quarter));
    edits().remove_parent(&mut test.world, child).unwrap();
    let (turn, sizes) = (test.value::<Rotation>(child), axes(&test, child));
    let off = (*turn * Vector3::y() + Vector3::x()).norm();
    assert!(off < 1e-6 && (sizes[0] - 0.01).abs() < 1e-8, "{off} {sizes:?}");
}

/// Below a parent of 1 : 0.0000001 a cube would be sheared by millions. That is no flat matrix, nor
/// one that is too large.
#[test]
fn what_only_the_parent_flattens_is_sheared() {
    let mut test = TestWorld::default();
    let parent = test.root(NonUniformScale::new(1.0, 1e-7, 1.0));
    let child = test.child(parent, Scale(1.0));
    let turned = Rotation::from_rotation_z(0.5).to_homogeneous();
    let refused = edits().set_local_to_world(&mut test.world, child, turned).unwrap_err();
    let is_sheared =
        matches!(refused, EditError::NoTransform { reason: DecomposeError::Sheared(_), .. });
    assert!(is_sheared, "{refused}");
    let edits = edits().on_shear(OnShear::WriteMatrix);
    edits.set_local_to_world(&mut test.world, child, turned).unwrap();
    assert!(test.has::<LocalToParent>(child) && !test.has::<Scale>(child));
}

#[test]
fn the_axis_that_mirrors_stays() {
    let mut test = TestWorld::default();
    let two = test.root(Scale(2.0));
    let mirrored = test.child(two, NonUniformScale::new(-2.0, 2.0, 2.0));
    edits().remove_parent(&mut test.world, mirrored).unwrap();
    assert_eq!((axes(&test, mirrored), test.has::<Rotation>(mirrored)), ([-4.0, 4.0, 4.0], false));
    // The other hand: the axis that lets the turn stay.
    for mirror in [[-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0], [-1.0; 3]] {
        let (child, _) =
            adopted(&mut test, NonUniformScale::new(3.0, 2.0, 1.0), NonUniformScale(mirror.into()));
        let wanted = [3.0 * mirror[0], 2.0 * mirror[1], mirror[2]];
        assert_eq!((axes(&test, child), test.has::<Rotation>(child)), (wanted, false));
    }
    // One number mirrors along all axes.
    let (child, _) = adopted(&mut test, Scale(1.0), Scale(-2.0));
    assert_eq!((test.get(child), test.has::<Rotation>(child)), (Some(Scale(-0.5)), false));
}

#[test]
fn turns_come_as_what_is_nearest_to_the_old_one() {
    let mut test = TestWorld::default();
    let mut turned = |angles: [f32; 3], by: [f32; 3]| {
        let [x, y, z] = angles.map(f32::to_radians);
        let euler =
            (LocalToWorld::identity(), Rotation::identity(), RotationEulerXYZ::new(x, y, z));
        let arm = test.push(euler);
        let [x, y, z] = by.map(f32::to_radians);
        let by = Rotation::from_euler_angles(x, y, z);
        edits().rotate(&mut test.world, arm, by).unwrap();
        test.value::<RotationEulerXYZ>(arm).0.map(f32::to_degrees)
    };
    for (angles, by, wanted) in [
        ([0.0, 80.0, 0.0], [0.0, 20.0, 0.0], [0.0, 100.0, 0.0]),
        ([0.0, 0.0, -231.0], [0.0, 0.0, 6.0], [0.0, 0.0, -225.0]),
        ([0.0, 0.0, 725.0], [0.0, 0.0, -6.0], [0.0, 0.0, 719.0]),
        ([0.0, 90.0, 10.0], [0.0, 0.0, 30.0], [-15.0, 90.0, 25.0]),
    ] {
        let got = turned(angles, by);
        assert!((got - Vector3::from(wanted)).amax() < 0.05, "{got}, {wanted:?}");
    }
    // The quaternion stays on its side, and the place keeps its bits, over a whole turn and more.
    let place = Translation::new(0.1, 0.7, 1000.3);
    let ship = test.push((LocalToWorld::identity(), place, Rotation::identity()));
    let mut last = test.value::<Rotation>(ship);
    for _ in 0..1000 {
        edits().rotate(&mut test.world, ship, Rotation::from_rotation_y(0.01)).unwrap();
        let now = test.value::<Rotation>(ship);
        assert!(now.coords.dot(&last.coords) > 0.9);
        last = now;
    }
    assert_eq!(test.value::<Translation>(ship), place);
    assert!((last.norm() - 1.0).abs() < 1e-6);
}

/// At 1 km, turns of a millionth of a radian add up, and moves of a hundredth of a millimetre. So
/// does a quarter turn around a point, a metre from there.
#[test]
fn the_smallest_turns_and_moves_count() {
    let mut test = TestWorld::default();
    let far = test.root(Translation::new(1000.0, 0.0, 0.0));
    let [tip, moon] =
        [Vector3::y(), Vector3::x()].map(|at| test.child(far, Translation(at.into())));
    test.put(tip, Rotation::identity());
    let step = Rotation::from_rotation_z(std::f32::consts::TAU / 4000.0);
    let point = Point3::new(1000.0, 0.0, 0.0);
    for _ in 0..1000 {
        edits().rotate(&mut test.world, tip, Rotation::from_rotation_z(1e-6)).unwrap();
        edits().translate(&mut test.world, tip, Vector3::x() * 1e-5).unwrap();
        edits().rotate_around(&mut test.world, moon, point, step).unwrap();
    }
    assert!((angle(&test, tip) - 1e-3).abs() < 1e-5, "{}", angle(&test, tip));
    assert!((test.value::<Translation>(tip).x - 1e-2).abs() < 1e-6);
    assert_eq!(test.value::<Translation>(tip).y, 1.0);
    let at = test.value::<Translation>(moon).0.vector;
    assert!((at - Vector3::y()).norm() < 1e-3, "{at}");
    assert!((angle(&test, moon) - std::f32::consts::FRAC_PI_2).abs() < 1e-3);
    // A pose 1 mm away is another one.
    let pose = Transform::from_xyz(1000.001, 0.0, 0.0);
    edits().set_local_to_world(&mut test.world, far, pose).unwrap();
    assert_eq!(test.value::<Translation>(far).0.vector, pose.translation);
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let mut test = TestWorld::default();
    let entity = test.root(Translation::new(1.0, 0.0, 0.0));
    let (nan, far) = (f32::NAN, Vector3::new(f32::INFINITY, 0.0, 0.0));
    let bare = test.push((LocalToWorld::identity(),));
    for edits in [edits(), edits().on_shear(OnShear::WriteMatrix)] {
        for entity in [entity, bare] {
            let world = &mut test.world;
            let turn = UnitQuaternion::new_unchecked([nan, 0.0, 0.0, 1.0].into());
            let target = Point3::from(far);
            for refused in [
                edits.translate(world, entity, far),
                edits.set_transform(world, entity, Transform::from_xyz(nan, 0.0, 0.0)),
                edits.set_local_to_world(world, entity, Matrix4::repeat(nan)),
                edits.rotate(world, entity, turn),
                edits.rotate_around(world, entity, target, UnitQuaternion::identity()),
                edits.look_at(world, entity, target, Vector3::y()),
            ] {
                let text = refused.unwrap_err().to_string();
                assert!(text.contains("what was given") && !text.contains("WriteMatrix"), "{text}");
            }
        }
    }
    assert_eq!(test.value::<Translation>(entity), Translation::new(1.0, 0.0, 0.0));
    assert_eq!(test.value::<LocalToWorld>(bare), LocalToWorld::identity());
    // Found, and made: NaN above, and a size that no `f32` holds.
    let broken = test.root(Translation::new(nan, 0.0, 0.0));
    let text = edits().set_parent(&mut test.world, entity, broken).unwrap_err().to_string();
    assert!(text.contains("the world matrix of its parent"), "{text}");
    let text = edits().rotate(&mut test.world, broken, Rotation::from_rotation_x(1.0));
    assert!(text.unwrap_err().to_string().contains("its own local matrix"));
    let (_, huge) = adopted(&mut test, Scale(1e30), Scale(1e-30));
    assert!(huge.unwrap_err().to_string().contains("the result"));
    // A child of one that is broken can be mended.
    let child = test.child(broken, Scale(2.0));
    let mended = Transform::from_xyz(1.0, 2.0, 3.0);
    edits().set_transform(&mut test.world, child, mended).unwrap();
    edits().set_transform(&mut test.world, broken, mended).unwrap();
    assert_eq!(Transform::read(&test.world, broken), Ok(mended));
}

#[test]
fn below_a_flat_parent_there_are_moves_in_its_plane() {
    let mut test = TestWorld::default();
    let sprite = test.root(NonUniformScale::new(2.0, 2.0, 0.0));
    let child = test.child(sprite, Translation::new(1.0, 0.0, 0.0));
    let refused = Err(EditError::ParentNotInvertible { entity: child, parent: sprite });
    edits().translate(&mut test.world, child, Vector3::new(4.0, 0.0, 0.0)).unwrap();
    assert_eq!(test.value::<Translation>(child), Translation::new(3.0, 0.0, 0.0));
    assert_eq!(edits().translate(&mut test.world, child, Vector3::z()), refused);
    assert_eq!(edits().rotate(&mut test.world, child, Rotation::from_rotation_z(1.0)), refused);
    let mut pose = TransformQuery::new(&test.world).local_to_world(child).unwrap().0;
    pose.m24 += 1.0;
    edits().set_local_to_world(&mut test.world, child, pose).unwrap();
    assert_eq!(test.value::<Translation>(child), Translation::new(3.0, 0.5, 0.0));
    // To another parent that is flat just so; not out of the plane.
    let other = test.push((
        LocalToWorld::identity(),
        Translation::new(2.0, 0.0, 0.0),
        NonUniformScale::new(2.0, 2.0, 0.0),
    ));
    edits().set_parent(&mut test.world, child, other).unwrap();
    assert_eq!(test.value::<Translation>(child), Translation::new(2.0, 0.5, 0.0));
    let refused = Err(EditError::ParentNotInvertible { entity: child, parent: other });
    assert_eq!(edits().remove_parent(&mut test.world, child), refused);
    // Flat but for rounding is flat.
    let slanted = test.push((
        LocalToWorld::identity(),
        Rotation::from_euler_angles(0.1, 0.2, 0.3),
        NonUniformScale::new(1.0, 1.0, 1e-9),
    ));
    let below = test.child(slanted, Rotation::from_euler_angles(0.5, 0.6, 0.7));
    let below = test.child(below, Translation::identity());
    let by = Vector3::new(0.0, 0.0, 5.0);
    assert!(edits().translate(&mut test.world, below, by).is_err());
}

#[test]
fn after_shear_components_count_as_before() {
    let mut test = TestWorld::default();
    let flat = test.root(NonUniformScale::new(3.0, 1.0, 1.0));
    let hand = test.root(Translation::new(0.0, 2.0, 0.0));
    let part = test.child(hand, Translation::new(1.0, 0.0, 0.0));
    test.put(part, Rotation::from_rotation_z(0.5));
    let before = TransformQuery::new(&test.world).local_to_world(part).unwrap().0;
    let edits = edits().on_shear(OnShear::WriteMatrix);
    for parent in [flat, hand] {
        edits.set_parent(&mut test.world, part, parent).unwrap();
        let now = TransformQuery::new(&test.world).local_to_world(part).unwrap().0;
        assert!((now - before).amax() < 1e-6);
    }
    assert!((angle(&test, part) - 0.5).abs() < 1e-6);
    assert!((test.value::<Translation>(part).x - 1.0).abs() < 1e-6);
    assert!(test.value::<Shear>(part).amax() < 1e-6);
}

/// Up to 163 turns, 1,024 radians: there a step of `f32` is 0.0035 degrees.
#[test]
fn angles_keep_their_turns() {
    let mut test = TestWorld::default();
    for (turns, wanted) in [(1.0, 365.0), (-6.0, -2155.0), (10.0, 3605.0), (100.0, 36005.0)] {
        let angles = RotationEulerXYZ::new(0.0, 0.0, f32::to_radians(turns * 360.0));
        let it = test.push((LocalToWorld::identity(), Rotation::identity(), angles));
        edits().rotate(&mut test.world, it, Rotation::from_rotation_z(5_f32.to_radians())).unwrap();
        let now = test.value::<RotationEulerXYZ>(it).0.map(f32::to_degrees);
        assert!(now.xy().amax() < 1e-4 && (now.z - wanted).abs() < 0.004, "{turns}: {now}");
        // Its place and sizes are not less exact for that.
        edits().set_transform(&mut test.world, it, Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
        assert_eq!(test.value::<Translation>(it), Translation::new(1.0, 2.0, 3.0));
        assert!(!test.has::<Scale>(it) && !test.has::<NonUniformScale>(it));
    }
}

/// nalgebra's `try_inverse` leaves 0.9999999 where 1 is meant.
#[test]
fn a_bottom_row_that_is_off_by_rounding_is_none() {
    let mut test = TestWorld::default();
    let parent = test.at(1.0);
    let parts = test.child(parent, Rotation::identity());
    let matrix = test.child(parent, WorldToLocal::identity());
    let edits = edits().on_shear(OnShear::WriteMatrix);
    for entity in [parts, matrix] {
        for (off, is_affine) in [(1.2e-7, true), (9e-7, true), (-9e-7, true), (1e-4, false)] {
            let mut pose = Transform::from_xyz(3.0, 4.0, 5.0).to_matrix();
            (pose.m44, pose.m42) = (1.0 - off, off);
            edits.set_local_to_world(&mut test.world, entity, pose).unwrap();
            let local = TransformQuery::new(&test.world).local_to_world(entity).unwrap().0;
            assert_eq!(local.row(3) == Matrix4::identity().row(3), is_affine, "{off}: {local}");
        }
        let pose = Transform::from_xyz(3.0, 4.0, 5.0).to_matrix();
        edits.set_local_to_world(&mut test.world, entity, pose).unwrap();
    }
    assert_eq!(Transform::read(&test.world, matrix).unwrap().translation.x, 2.0);
}

/// What became 0 keeps its direction: it may grow again.
#[test]
fn a_mirror_turns_what_is_0_no_more_than_the_rest() {
    let mut test = TestWorld::default();
    let parent = test.root(NonUniformScale::new(1.0, 1.0, -1.0));
    let child = test.child(parent, Rotation::identity());
    test.put(child, ParentScaleInverse::identity());
    test.run();
    let given = Transform::identity().with_scale(Vector3::new(1.0, 0.0, 0.0));
    edits().set_transform(&mut test.world, child, given).unwrap();
    test.set(child, NonUniformScale::new(axes(&test, child)[0], 1.0, 1.0));
    test.run();
    let off = test.value::<LocalToParent>(child).0 - Matrix4::identity();
    assert!(off.amax() < 1e-6, "{off}");
}

#[test]
fn a_mirror_is_one_sign_of_a_sheared_entity_too() {
    let mut test = TestWorld::default();
    for (mirror, sizes, shear) in [
        ([1.0, 1.0, -1.0], [1.0, 2.0, -3.0], [0.2, 0.8, 0.7]),
        ([1.0, -1.0, 1.0], [1.0, -2.0, 3.0], [-0.2, -0.8, 0.7]),
        ([-1.0, 1.0, 1.0], [-1.0, 2.0, 3.0], [-0.2, 0.8, -0.7]),
    ] {
        let parent = test.root(NonUniformScale(mirror.into()));
        let child = test.child(parent, NonUniformScale::new(1.0, 2.0, 3.0));
        test.put(child, CompositeScale::identity());
        test.put(child, Shear::new(0.2, -0.8, -0.7));
        test.run();
        let before = test.matrix(child);
        edits().remove_parent(&mut test.world, child).unwrap();
        test.run();
        assert!((test.matrix(child) - before).amax() < 1e-5);
        assert!(!test.has::<Rotation>(child), "{mirror:?}");
        let off = Vector3::from(axes(&test, child)) - Vector3::from(sizes);
        let sheared = test.value::<Shear>(child).0 - Vector3::from(shear);
        assert!(off.amax() < 1e-5 && sheared.amax() < 1e-5, "{mirror:?}: {off} {sheared}");
    }
}

#[test]
fn a_turn_about_an_axis_through_it_adds_no_translation() {
    let mut test = TestWorld::default();
    let entity = test.root(Rotation::identity());
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.0, -2.366));
    for step in 1..100 {
        let point = Point3::new(0.0, 0.0, step as f32 * 0.1);
        edits().rotate_around(&mut test.world, entity, point, turn).unwrap();
        assert!(!test.has::<Translation>(entity), "{point}");
    }
    // A real step is made, however small beside the point.
    let point = Point3::new(1e-4, 0.0, 9.0);
    edits().rotate_around(&mut test.world, entity, point, turn).unwrap();
    assert!((test.value::<Translation>(entity).x - 1.7e-4).abs() < 1e-5);
}
