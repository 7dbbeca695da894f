//! Several Eulers or two scales on one entity.

use harness::TestWorld;
use legion::Entity;
use legion_transform::{components::*, findings::FindingKind};
use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::support::*;

/// Runs `$body` with the name of each Euler component and its place in the order of precedence.
macro_rules! each_euler {
    ($kind:ident, $body:ident) => {
        match $kind {
            EulerOrder::XYZ => $body!(RotationEulerXYZ, PostRotationEulerXYZ),
            EulerOrder::XZY => $body!(RotationEulerXZY, PostRotationEulerXZY),
            EulerOrder::YXZ => $body!(RotationEulerYXZ, PostRotationEulerYXZ),
            EulerOrder::YZX => $body!(RotationEulerYZX, PostRotationEulerYZX),
            EulerOrder::ZXY => $body!(RotationEulerZXY, PostRotationEulerZXY),
            EulerOrder::ZYX => $body!(RotationEulerZYX, PostRotationEulerZYX),
        }
    };
}

fn add_rotation_euler(
    test: &mut TestWorld,
    entity: Entity,
    order: EulerOrder,
    angles: Vector3<f32>,
) {
    macro_rules! add {
        ($rotation:ident, $post:ident) => {
            test.put(entity, $rotation(angles))
        };
    }
    each_euler!(order, add);
}

fn add_post_rotation_euler(
    test: &mut TestWorld,
    entity: Entity,
    order: EulerOrder,
    angles: Vector3<f32>,
) {
    macro_rules! add {
        ($rotation:ident, $post:ident) => {
            test.put(entity, $post(angles))
        };
    }
    each_euler!(order, add);
}

/// Angles that differ for each order, so that it shows whose were used.
fn angles(order: EulerOrder) -> Vector3<f32> {
    Vector3::new(0.3, 0.5, 0.7) * (1.0 + order as u8 as f32)
}

/// All 57 sets of two Eulers or more, of both kinds, added in both orders: the first in the order
/// of precedence wins.
#[test]
fn the_first_of_several_eulers_wins_and_a_finding_says_so() {
    for set in 0..64_u32 {
        let mut orders: Vec<_> =
            EulerOrder::ALL.into_iter().filter(|order| set & (1 << *order as u32) != 0).collect();
        let Some(&first) = orders.first() else { continue };
        for reversed in [false, true] {
            if reversed {
                orders.reverse();
            }
            let mut test = TestWorld::default();
            let rotated = test.root(Rotation::identity());
            let post_rotated = test.world.push((
                LocalToWorld::identity(),
                CompositeRotation::identity(),
                PostRotation::identity(),
            ));
            for &order in &orders {
                add_rotation_euler(&mut test, rotated, order, angles(order));
                add_post_rotation_euler(&mut test, post_rotated, order, angles(order));
            }
            test.run();

            let expected = first.rotation(&angles(first));
            assert!(test.value::<Rotation>(rotated).angle_to(&expected) < 1e-5, "set {set:06b}");
            assert!(
                test.value::<PostRotation>(post_rotated).angle_to(&expected) < 1e-5,
                "set {set:06b}"
            );
            assert_close(&test.matrix(rotated), &expected.to_homogeneous());
            assert_close(&test.matrix(post_rotated), &expected.to_homogeneous());
            let findings = [
                (FindingKind::TwoRotationEulers, rotated, None),
                (FindingKind::TwoPostRotationEulers, post_rotated, None),
            ];
            assert_eq!(
                test.told(),
                if orders.len() > 1 { &findings[..] } else { &[] },
                "set {set:06b}"
            );
        }
    }
}

/// A standing finding lasts as long as its cause.
#[test]
fn the_finding_goes_with_the_second_euler() {
    let mut test = TestWorld::default();
    let entity = test.world.push((
        LocalToWorld::identity(),
        Rotation::identity(),
        RotationEulerXYZ::new(1.0, 0.0, 0.0),
    ));
    test.put(entity, RotationEulerZYX::new(0.0, 1.0, 0.0));
    for _ in 0..3 {
        test.run();
        assert_eq!(test.told(), [(FindingKind::TwoRotationEulers, entity, None)]);
    }
    test.take::<RotationEulerXYZ>(entity);
    test.run();
    assert_eq!(test.told(), []);
    assert!(
        test.value::<Rotation>(entity).angle_to(&UnitQuaternion::from_euler_angles(0.0, 1.0, 0.0))
            < 1e-6
    );
}

#[test]
fn of_two_scales_scale_wins_everywhere_and_a_finding_says_so() {
    let mut test = TestWorld::default();
    let (uniform, along) = (Scale(2.0), NonUniformScale::new(3.0, 4.0, 5.0));
    let plain = test.world.push((LocalToWorld::identity(), uniform, along));
    let composite =
        test.world.push((LocalToWorld::identity(), CompositeScale::identity(), uniform, along));
    let child = test.child(plain, ParentScaleInverse::identity());
    test.run();
    let twice = Matrix4::new_scaling(2.0);
    assert_eq!(test.matrix(plain), twice);
    assert_eq!((test.value::<CompositeScale>(composite).0, test.matrix(composite)), (twice, twice));
    assert_eq!(test.value::<ParentScaleInverse>(child).0, Matrix4::new_scaling(0.5));
    let mut findings = test.told();
    findings.sort_by_key(|(_, entity, _)| *entity == composite);
    assert_eq!(
        findings,
        [(FindingKind::TwoScales, plain, None), (FindingKind::TwoScales, composite, None)]
    );

    test.take::<Scale>(plain);
    test.take::<Scale>(composite);
    test.run();
    assert_eq!(test.matrix(plain), Matrix4::new_nonuniform_scaling(&along.0));
    assert_eq!(test.matrix(composite), Matrix4::new_nonuniform_scaling(&along.0));
    assert_eq!(test.told(), []);
}

/// Transform components without `LocalToWorld` do nothing, and that is said, with all that has to
/// be added.
#[test]
fn a_missing_local_to_world_is_told() {
    let mut test = TestWorld::default();
    let parent = test.at(1.0);
    let lone = test.push((Translation::new(1.0, 0.0, 0.0),));
    let child =
        test.push((Parent(parent), LocalToParent::identity(), Translation::new(1.0, 0.0, 0.0)));
    let turned = test.push((RotationEulerXYZ::new(0.0, 1.0, 0.0), Rotation::identity()));
    let other = test.push((7_u8,));
    let missing = |entity| (FindingKind::MissingLocalToWorld, entity, None);
    for _ in 0..2 {
        test.run();
        let mut told = test.told();
        told.sort_by_key(|told| format!("{:?}", told.1));
        let mut expected = vec![missing(lone), missing(child), missing(turned)];
        expected.sort_by_key(|expected| format!("{:?}", expected.1));
        assert_eq!(told, expected);
    }
    assert!(test.findings()[0].to_string().contains("add LocalToWorld, and LocalToParent"));
    for entity in [lone, child, turned] {
        test.put(entity, LocalToWorld::identity());
    }
    test.despawn(other);
    test.run();
    assert_eq!(test.told(), []);
    assert_eq!((test.x(lone), test.x(child)), (1.0, 2.0));
}
