//! Maya's transform and joint nodes against Maya's own formulas, written out for row vectors in
//! f64.

use super::{
    maya_row_vectors::{Node, ORDERS},
    support::{
        TOLERANCE, degrees, difference, error_below_itself, offset, run, scale, set, vector,
        world_of,
    },
};
use harness::demand;
use legion::{EntityStore, World};
use legion_transform::{
    components::{
        CompositeRotation, CompositeScale, RotationEulerYZX, RotationEulerZXY, RotationPivot,
        RotationPivotTranslation, ScalePivot, ScalePivotTranslation, Shear,
    },
    interchange::{Detail, MayaTransform},
    prelude::*,
};
use nalgebra::{Matrix4, Vector3};
use proptest::prelude::*;

fn transform() -> impl Strategy<Value = Node> {
    let rotations = (0..6_usize, degrees(), degrees());
    let pivots = [offset().boxed(), offset().boxed(), offset().boxed(), offset().boxed()];
    let shear = prop_oneof![Just(Vector3::zeros()), vector(-2.0..2.0)];
    (offset(), rotations, pivots, scale(), shear).prop_map(
        |(translate, (order, rotate, rotate_axis), pivots, scale, shear)| {
            let [rotate_pivot, rotate_pivot_translate, scale_pivot, scale_pivot_translate] = pivots;
            let attributes = set(MayaTransform::default(), |it| {
                it.translate = translate;
                it.rotate = rotate;
                it.rotate_order =
                    MayaTransform::rotate_order(i32::try_from(order).unwrap()).unwrap();
                it.rotate_axis = rotate_axis;
                it.rotate_pivot = rotate_pivot;
                it.rotate_pivot_translate = rotate_pivot_translate;
                it.scale = scale;
                it.shear = shear;
                it.scale_pivot = scale_pivot;
                it.scale_pivot_translate = scale_pivot_translate;
            });
            Node { attributes, order: ORDERS[order] }
        },
    )
}

fn joint() -> impl Strategy<Value = Node> {
    (transform(), degrees(), any::<bool>()).prop_map(
        |(mut node, joint_orient, segment_scale_compensate)| {
            let zero = Vector3::zeros();
            node.attributes = set(node.attributes, |it| {
                it.rotate_pivot = zero;
                it.rotate_pivot_translate = zero;
                it.scale_pivot = zero;
                it.scale_pivot_translate = zero;
                it.shear = zero;
                it.joint_orient = joint_orient;
                it.segment_scale_compensate = segment_scale_compensate;
            });
            node
        },
    )
}

fn detail() -> impl Strategy<Value = Detail> {
    prop_oneof![Just(Detail::Minimal), Just(Detail::Full)]
}

proptest! {
    #![proptest_config(demand::cases(64))]

    #[test]
    fn local_matrix_of_a_transform_is_the_transposed_row_vector_product(node in transform()) {
        prop_assert!(
            difference(&node.attributes.local_matrix(), &node.transform_matrix().transpose())
                < TOLERANCE
        );
    }

    #[test]
    fn local_matrix_of_a_joint_is_the_transposed_row_vector_product(
        parent in joint(),
        child in joint(),
    ) {
        let expected = child.joint_matrix(Some(&parent)).transpose();
        prop_assert!(
            difference(&child.attributes.local_matrix_below(&parent.attributes), &expected)
                < TOLERANCE
        );
    }

    #[test]
    fn a_spawned_root_has_the_product_after_one_run(node in transform(), detail in detail()) {
        let mut world = World::default();
        let entity = node.attributes.spawn(&mut world, None, detail);
        let spawned = world_of(&mut world, entity);
        prop_assert_eq!(spawned, node.attributes.local_matrix());
        *world.entry(entity).unwrap().get_component_mut::<LocalToWorld>().unwrap() =
            LocalToWorld(spawned * 7.0);
        run(&mut world);
        prop_assert!(
            difference(&world_of(&mut world, entity), &node.transform_matrix().transpose())
                < TOLERANCE
        );
    }

    #[test]
    fn a_pushed_tuple_has_the_product_after_one_run(node in transform()) {
        let mut world = World::default();
        let (translation, rotation, scale) = node.attributes.components();
        let entity = world.push((LocalToWorld::default(), translation, rotation, scale));
        run(&mut world);
        prop_assert!(
            difference(&world_of(&mut world, entity), &node.transform_matrix().transpose())
                < TOLERANCE
        );
    }

    /// Whatever transform an entity had, inserting another leaves that one alone.
    #[test]
    fn inserting_over_another_transform_replaces_it(
        before in transform(),
        after in transform(),
        first in detail(),
        second in detail(),
    ) {
        let mut world = World::default();
        let entity = before.attributes.spawn(&mut world, None, first);
        run(&mut world);
        after.attributes.insert(&mut world.entry(entity).unwrap(), second);
        run(&mut world);
        prop_assert!(
            difference(&world_of(&mut world, entity), &after.transform_matrix().transpose())
                < TOLERANCE
        );
    }

    /// Row vectors go up the chain: p' = p child.matrix parent.matrix.
    #[test]
    fn a_chain_of_joints_has_mayas_world_matrices(
        joints in prop::collection::vec((joint(), detail()), 1..5),
    ) {
        let mut world = World::default();
        let mut expected = Matrix4::identity();
        let (mut parent, mut above) = (None, None);
        let mut chain = Vec::new();
        for (node, detail) in &joints {
            let entity = node.attributes.spawn(&mut world, parent, *detail);
            expected = node.joint_matrix(above) * expected;
            chain.push((entity, expected.transpose()));
            (parent, above) = (Some(entity), Some(node));
        }
        run(&mut world);
        for (entity, expected) in chain {
            prop_assert!(difference(&world_of(&mut world, entity), &expected) < 10.0 * TOLERANCE);
        }
    }
}

#[test]
fn full_detail_has_the_documents_maya_table() {
    let node = set(MayaTransform::default(), |it| {
        it.rotate_order = EulerOrder::ZXY;
        it.segment_scale_compensate = true;
    });
    let mut world = World::default();
    let parent = world.push((LocalToWorld::default(),));
    let entity = node.spawn(&mut world, Some(parent), Detail::Full);
    let entry = world.entry_ref(entity).unwrap();
    let layout = entry.archetype().layout();
    assert!(layout.has_component::<Translation>()); // T
    assert!(layout.has_component::<CompositeRotation>()); // RT RP R RA RP^-1
    assert!(layout.has_component::<RotationPivotTranslation>()); // RT
    assert!(layout.has_component::<RotationPivot>()); // RP
    assert!(layout.has_component::<Rotation>() && layout.has_component::<RotationEulerZXY>()); // R
    assert!(
        layout.has_component::<PostRotation>() && layout.has_component::<PostRotationEulerXYZ>()
    ); // RA
    assert!(layout.has_component::<CompositeScale>()); // ST SP SH S SP^-1
    assert!(layout.has_component::<ScalePivotTranslation>()); // ST
    assert!(layout.has_component::<ScalePivot>()); // SP
    assert!(layout.has_component::<Shear>()); // SH
    assert!(layout.has_component::<NonUniformScale>()); // S
    assert!(layout.has_component::<ParentScaleInverse>()); // IS
    assert!(layout.has_component::<Parent>() && layout.has_component::<LocalToParent>());
}

#[test]
fn minimal_detail_has_only_what_makes_a_difference() {
    let components = |node: MayaTransform| {
        let mut world = World::default();
        let entity = node.spawn(&mut world, None, Detail::Minimal);
        world.entry_ref(entity).unwrap().archetype().layout().component_types().len()
    };
    let identity = MayaTransform::default();
    let one = Vector3::repeat(1.0);
    assert_eq!(components(identity), 2); // LocalToWorld, Translation
    // Nothing turns or grows.
    assert_eq!(
        components(set(identity, |it| {
            it.rotate_pivot = one;
            it.scale_pivot = one;
        })),
        2
    );
    assert_eq!(components(set(identity, |it| it.rotate = one)), 3); // Rotation
    // + composite and pivot.
    assert_eq!(
        components(set(identity, |it| {
            it.rotate = one;
            it.rotate_pivot = one;
        })),
        5
    );
    assert_eq!(components(set(identity, |it| it.scale = 2.0 * one)), 3); // Scale
    assert_eq!(
        components(set(identity, |it| {
            it.scale = 2.0 * one;
            it.scale_pivot = one;
        })),
        5
    );
    assert_eq!(components(set(identity, |it| it.segment_scale_compensate = true)), 3);
}

/// An animation writes the angles' component, and the bundle follows.
#[test]
fn full_detail_can_be_animated_by_its_angles() {
    let mut world = World::default();
    let mut node = set(MayaTransform::default(), |it| {
        it.rotate_pivot = Vector3::new(1.0, 2.0, 3.0);
        it.rotate_order = EulerOrder::YZX;
        it.rotate_axis = Vector3::new(5.0, 6.0, 7.0);
    });
    let entity = node.spawn(&mut world, None, Detail::Full);
    run(&mut world);

    node.rotate = Vector3::new(10.0, 20.0, 30.0);
    let angles = RotationEulerYZX(node.rotate.map(f32::to_radians));
    *world.entry(entity).unwrap().get_component_mut::<RotationEulerYZX>().unwrap() = angles;
    run(&mut world);
    let expected = Node { attributes: node, order: "yzx" }.transform_matrix().transpose();
    assert!(difference(&world_of(&mut world, entity), &expected) < TOLERANCE);
}

/// A joint's orientation stands before its angles, so there an animation writes `Rotation`.
#[test]
fn an_oriented_joint_is_animated_by_its_rotation() {
    let mut world = World::default();
    let mut node =
        set(MayaTransform::default(), |it| it.joint_orient = Vector3::new(0.0, 0.0, 90.0));
    let entity = node.spawn(&mut world, None, Detail::Full);
    node.rotate = Vector3::new(10.0, 20.0, 30.0);
    *world.entry(entity).unwrap().get_component_mut::<Rotation>().unwrap() =
        Rotation(node.to_pivot_transform().rotation);
    run(&mut world);
    let expected = Node { attributes: node, order: "xyz" }.joint_matrix(None).transpose();
    assert!(difference(&world_of(&mut world, entity), &expected) < TOLERANCE);
}

#[test]
fn unknown_rotate_orders_are_errors() {
    for order in [-1, 6, i32::MAX] {
        let error = MayaTransform::rotate_order(order).unwrap_err();
        assert_eq!((error.format, error.order), ("Maya", order));
        assert!(error.to_string().contains("use 0 to 5"));
    }
}

/// Non-finite attributes are carried, not caught: no panic, and the entity's own matrix is what
/// suffers.
#[test]
fn non_finite_attributes_do_not_panic() {
    let node =
        set(MayaTransform::default(), |it| it.rotate = Vector3::new(f32::NAN, f32::INFINITY, 0.0));
    let mut world = World::default();
    for detail in [Detail::Minimal, Detail::Full] {
        node.spawn(&mut world, None, detail);
    }
    let sound = MayaTransform::default().spawn(&mut world, None, Detail::Full);
    run(&mut world);
    assert_eq!(world_of(&mut world, sound), Matrix4::identity());
    assert!(node.local_matrix().iter().any(|x| x.is_nan()));
}

/// An axis of length 0 and a mirror, in each level of detail.
#[test]
fn flat_and_mirrored_nodes_have_their_products() {
    for scale in [[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [1.0, -1.0, 1.0], [-2.0, -2.0, -2.0]] {
        for detail in [Detail::Minimal, Detail::Full] {
            let node = set(MayaTransform::default(), |it| {
                it.translate = Vector3::new(1.0, 2.0, 3.0);
                it.rotate = Vector3::new(10.0, 20.0, 30.0);
                it.scale = scale.into();
            });
            let spawn = |world: &mut World, above| node.spawn(world, above, detail);
            let error = error_below_itself(spawn, &node.local_matrix());
            assert!(error < TOLERANCE, "{scale:?}: {error}");
        }
    }
}
