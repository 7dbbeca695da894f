//! Values that are wrong in silence: rotations of another length than 1, and components that look
//! like transforms. Runs of debug builds report them, `Findings::check` in any build.

use harness::TestWorld;
use legion::{storage::Component, *};
use legion_transform::{
    components::CompositeRotation,
    findings::{Finding, FindingKind},
    prelude::*,
};
use nalgebra::{
    Isometry3, Matrix4, Quaternion, Similarity3, Translation3, Unit, UnitQuaternion, Vector3,
};

fn of_length(length: f32) -> UnitQuaternion<f32> {
    let unit = UnitQuaternion::from_euler_angles(0.3, -1.0, 2.0);
    Unit::new_unchecked(unit.into_inner() * length)
}

/// The findings of a run and of a check, which are the same in debug builds.
#[track_caller]
fn told(test: &TestWorld) -> Vec<Finding> {
    let checked = Findings::check(&test.world);
    let findings = test.resources.get::<Findings>().unwrap();
    if cfg!(debug_assertions) {
        assert_eq!(findings.of(&test.world).collect::<Vec<_>>(), checked);
    } else {
        assert!(findings.is_clean(&test.world), "a run of a release build does not look");
    }
    checked
}

fn alone(kind: FindingKind, entity: Entity) -> [Finding; 1] {
    [Finding::new(kind, entity, None)]
}

#[test]
fn rotations_of_another_length_are_told_until_they_are_normalized() {
    let kind = FindingKind::RotationNotUnit { component: "Rotation" };
    let mut test = TestWorld::default();
    let others = test.world.extend((0..100).map(|row| harness::at(row as f32))).to_vec();
    let entity = test.root(Rotation(of_length(1.0)));
    for (length, is_told) in
        [(1.0005, false), (1.002, true), (0.9995, false), (0.998, true), (0.0, true), (1e10, true)]
    {
        test.set(entity, Rotation(of_length(length)));
        test.run();
        let expected = alone(kind, entity);
        assert_eq!(told(&test), expected[usize::from(!is_told)..], "{length}");
        test.set(others[3], Translation::new(length, 0.0, 0.0));
        test.run();
        assert_eq!(told(&test), expected[usize::from(!is_told)..], "{length}, as long as it lasts");
        test.set(entity, Rotation(UnitQuaternion::new_normalize(*of_length(1.002))));
        test.run();
        assert_eq!(told(&test), []);
    }
}

#[test]
fn post_rotations_count_and_nans_are_found_in_the_matrix_alone() {
    let mut test = TestWorld::default();
    let nan = Rotation(Unit::new_unchecked(Quaternion::new(f32::NAN, 0.0, 0.0, 0.0)));
    let spoilt = test.root(nan);
    let entity = test.push((
        LocalToWorld::identity(),
        CompositeRotation::identity(),
        PostRotation(of_length(3.0)),
    ));
    test.run();
    let not_unit = FindingKind::RotationNotUnit { component: "PostRotation" };
    let expected = [alone(FindingKind::NotFinite, spoilt), alone(not_unit, entity)].concat();
    assert_eq!(told(&test), expected);
}

/// An entity with `component` and a matrix that is the identity is told, one whose matrix a system
/// of the user's writes is not, nor one with inputs.
fn unread<T: Component + Copy>(name: &'static str, component: T) {
    let kind = FindingKind::UnreadTransform { component: name };
    let mut test = TestWorld::default();
    let moved = LocalToWorld(Matrix4::new_translation(&Vector3::new(1.0, 0.0, 0.0)));
    test.push((moved, component));
    let read = (Translation::identity(), Rotation::identity(), Scale(1.0));
    test.push((LocalToWorld::identity(), read.0, read.1, read.2, component));
    let entity = test.push((LocalToWorld::identity(), component));
    test.run();
    assert_eq!(told(&test), alone(kind, entity), "{name}");
    test.set(entity, moved);
    test.run();
    assert_eq!(told(&test), [], "{name}: something writes it");
    test.set(entity, LocalToWorld::identity());
    test.run();
    assert_eq!(told(&test), alone(kind, entity), "{name}");
    test.put(entity, read.0);
    test.put(entity, read.1);
    test.put(entity, read.2);
    test.run();
    assert_eq!(told(&test), [], "{name}: it has what is read instead");
}

#[test]
fn components_that_look_like_transforms_are_told() {
    unread("Transform", Transform::identity());
    unread("Isometry3", Isometry3::<f32>::translation(1.0, 0.0, 0.0));
    unread("Similarity3", Similarity3::<f32>::from_scaling(2.0));
    unread("Translation3", Translation3::<f32>::new(1.0, 0.0, 0.0));
    unread("UnitQuaternion", of_length(1.0));
}

/// What a spawn takes from a matrix, or from nalgebra, beside components that are read.
#[test]
fn an_unread_rotation_beside_a_translation_is_told() {
    let turn = of_length(1.0) * UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3);
    let unread = |component| FindingKind::UnreadTransform { component };
    let mut test = TestWorld::default();
    let moved = Translation::new(1.0, 0.0, 0.0);
    let turned = test.push((LocalToWorld::identity(), moved, turn));
    let shifted =
        test.push((LocalToWorld::identity(), Rotation(turn), Translation3::new(1.0_f32, 0.0, 0.0)));
    let placed = test.push((
        LocalToWorld::identity(),
        Scale(2.0),
        Isometry3::<f32>::translation(1.0, 0.0, 0.0),
    ));
    let wide =
        test.push((LocalToWorld::identity(), Scale(2.0), Translation3::new(1.0_f64, 0.0, 0.0)));
    let whole = test.push((LocalToWorld::identity(), moved, Transform::from_xyz(1.0, 0.0, 0.0)));
    // A matrix's own parts are components.
    let matrix = LocalToWorld(turn.to_homogeneous());
    test.push((LocalToWorld::identity(), moved, matrix.rotation(), matrix.scale()));
    test.run();
    let expected = [
        alone(unread("Isometry3"), placed),
        alone(unread("Transform"), whole),
        alone(unread("Translation3"), shifted),
        alone(unread("Translation3<f64>"), wide),
        alone(unread("UnitQuaternion"), turned),
    ];
    assert_eq!(told(&test), expected.concat());
}

/// No mistake: a physics engine keeps its bodies in such types, or a system computes the matrix
/// from them.
#[test]
fn types_of_nalgebra_that_are_none_of_the_bundles_business_are_not_told() {
    let mut test = TestWorld::default();
    test.push((Isometry3::<f32>::translation(1.0, 0.0, 0.0), UnitQuaternion::<f32>::identity()));
    let body = test.push((LocalToWorld::identity(), Isometry3::<f32>::identity()));
    test.run();
    assert_eq!(told(&test), []);
    // Nothing of the crate's was written, but the body has moved and its matrix has not.
    test.set(body, Isometry3::<f32>::translation(0.0, 1.0, 0.0));
    test.run();
    assert_eq!(told(&test).len(), 1);
}

/// The first program of someone who comes from another engine: a world without any component of the
/// crate's.
#[test]
fn a_transform_alone_is_told() {
    let kind = FindingKind::UnreadTransform { component: "Transform" };
    let mut test = TestWorld::default();
    test.run();
    let first = test.push((Transform::identity(),));
    test.run();
    assert_eq!(told(&test), alone(kind, first));
    let second = test.push((Transform::identity(),));
    test.run();
    assert_eq!(told(&test), [alone(kind, first), alone(kind, second)].concat());
    assert!(told(&test)[0].to_string().contains("Transform::components()"));
}

#[test]
fn a_check_reads_damaged_and_empty_worlds() {
    let mut world = World::default();
    assert_eq!(Findings::check(&world), []);
    let dead = world.push((LocalToWorld::identity(),));
    world.remove(dead);
    let orphan = world.push((
        LocalToWorld(Matrix4::repeat(f32::NAN)),
        LocalToParent::identity(),
        Parent(dead),
    ));
    assert_eq!(Findings::check(&world), alone(FindingKind::NotFinite, orphan));
}
