//! Maya's and FBX's transform attributes: the matrices that the formats' own formulas give, from
//! this crate's components.

mod formulas;

use std::ops::Range;

use harness::{TestWorld, demand};
use legion::{Entity, EntityStore, World};
use legion_transform::{
    components::RotationEulerYZX,
    interchange::{Detail, FbxTransform, MayaTransform},
    prelude::*,
};
use legion_transform_testing::Kind;
use nalgebra::{Matrix4, Vector3};
use proptest::prelude::*;

use formulas::*;

/// What composition in f32 may lose against f64: cancelling pivots cost the most.
const TOLERANCE: f64 = 1e-4;

/// A transform with other attributes.
fn set<T: Default>(set: impl FnOnce(&mut T)) -> T {
    let mut transform = T::default();
    set(&mut transform);
    transform
}

/// Often zero, else anything in this range.
fn vector(range: Range<f32>) -> impl Strategy<Value = Vector3<f32>> {
    let any = [range.clone(), range.clone(), range].prop_map(Vector3::from);
    prop_oneof![1 => Just(Vector3::zeros()), 2 => any]
}

/// Within two turns.
fn degrees() -> impl Strategy<Value = Vector3<f32>> {
    vector(-720.0..720.0)
}

/// Often 1 or the same on all axes; negative and flat too.
fn scale() -> impl Strategy<Value = Vector3<f32>> {
    let along =
        (0.25_f32..3.0, any::<bool>()).prop_map(|(size, mirror)| if mirror { -size } else { size });
    prop_oneof![
        2 => Just(Vector3::repeat(1.0)),
        2 => (0.25_f32..3.0).prop_map(Vector3::repeat),
        6 => [along.clone(), along.clone(), along].prop_map(Vector3::from),
        1 => Just(Vector3::new(1.0, 0.0, 2.0)),
        1 => Just(Vector3::zeros()),
    ]
}

/// A place, four offsets, three rotations, a scale, a shear, an order and a choice.
type Drawn = ([Vector3<f32>; 5], [Vector3<f32>; 3], Vector3<f32>, Vector3<f32>, i32, bool);

fn drawn() -> impl Strategy<Value = Drawn> {
    let offset = || vector(-5.0..5.0).boxed();
    let offsets = [offset(), offset(), offset(), offset(), offset()];
    let rotations = [degrees().boxed(), degrees().boxed(), degrees().boxed()];
    (offsets, rotations, scale(), vector(-2.0..2.0), 0..6, any::<bool>())
}

fn transform() -> impl Strategy<Value = Node> {
    drawn().prop_map(|(offsets, [rotate, axis, _], scale, shear, order, _)| {
        let attributes = set::<MayaTransform>(|it| {
            [it.translate, it.rotate_pivot, ..] = offsets;
            [.., it.rotate_pivot_translate, it.scale_pivot, it.scale_pivot_translate] = offsets;
            (it.rotate, it.rotate_axis, it.scale, it.shear) = (rotate, axis, scale, shear);
            it.rotate_order = MayaTransform::rotate_order(order).unwrap();
        });
        Node::Transform(attributes, MAYAS[order as usize])
    })
}

fn joint() -> impl Strategy<Value = Node> {
    drawn().prop_map(|(offsets, [rotate, axis, orient], scale, _, order, compensates)| {
        let attributes = set::<MayaTransform>(|it| {
            (it.translate, it.rotate, it.rotate_axis) = (offsets[0], rotate, axis);
            // One without an inverse cannot be compensated.
            it.scale = scale.map(|size| if size == 0.0 { 1.0 } else { size });
            (it.joint_orient, it.segment_scale_compensate) = (orient, compensates);
            it.rotate_order = MayaTransform::rotate_order(order).unwrap();
        });
        Node::Joint(attributes, MAYAS[order as usize])
    })
}

fn fbx() -> impl Strategy<Value = Node> {
    drawn().prop_map(|(offsets, rotations, scaling, _, order, is_active)| {
        let properties = set::<FbxTransform>(|it| {
            [it.translation, it.rotation_pivot, ..] = offsets;
            [.., it.rotation_offset, it.scaling_pivot, it.scaling_offset] = offsets;
            [it.rotation, it.pre_rotation, it.post_rotation] = rotations;
            it.rotation_order = FbxTransform::rotation_order(order).unwrap();
            (it.scaling, it.rotation_active, it.scale_compensate) = (scaling, is_active, false);
        });
        Node::Fbx(properties, FBXS[order as usize])
    })
}

/// Each node below the one before, all of one sort.
fn chain() -> impl Strategy<Value = Vec<(Node, Detail)>> {
    let of = |node: BoxedStrategy<Node>| prop::collection::vec((node, detail()), 1..5);
    prop_oneof![of(transform().boxed()), of(joint().boxed()), of(fbx().boxed())]
}

fn detail() -> impl Strategy<Value = Detail> {
    prop_oneof![Just(Detail::Minimal), Just(Detail::Full)]
}

/// The largest difference from an f64 reference, in proportion to the reference's largest number
/// (at least 1).
fn difference(matrix: &Matrix4<f32>, reference: &Matrix4<f64>) -> f64 {
    (matrix.cast::<f64>() - reference).amax() / reference.amax().max(1.0)
}

proptest! {
    #![proptest_config(demand::cases(192))]

    /// By hand, spawned, as a tuple, and inserted over another transform.
    #[test]
    fn a_chain_has_the_matrices_of_its_format(nodes in chain()) {
        let mut test = TestWorld::default();
        let (mut parent, mut above, mut product) = (None, None, Matrix4::identity());
        let mut chain = Vec::new();
        for (node, detail) in &nodes {
            let expected = node.formula(above);
            prop_assert!(difference(&node.local_matrix(above), &expected) < TOLERANCE);
            let entity = node.spawn(&mut test.world, parent, *detail);
            product *= expected;
            chain.push((entity, product));
            (parent, above) = (Some(entity), Some(node));
        }
        // A root is right at once, and whatever becomes of its matrix.
        let ((first, detail), (root, _)) = (&nodes[0], chain[0]);
        prop_assert_eq!(test.matrix(root), first.local_matrix(None));
        test.set(root, LocalToWorld(test.matrix(root) * 7.0));
        let (at, turn, size) = of!(first, it => it.components());
        let pushed = test.push((LocalToWorld::default(), at, turn, size));
        let (last, other) = &nodes[nodes.len() - 1];
        let over = last.spawn(&mut test.world, None, *other);
        test.run();
        of!(first, it => it.insert(&mut test.world.entry(over).unwrap(), *detail));
        test.run();
        chain.extend([pushed, over].map(|entity| (entity, first.formula(None))));
        for (entity, expected) in chain {
            prop_assert!(difference(&test.matrix(entity), &expected) < 10.0 * TOLERANCE);
        }
    }

    /// InheritType Rrs, as the SDK computes it below an unscaled grandparent: rotations multiply,
    /// the parent's scale moves the child's translation and nothing else.
    #[test]
    fn scale_compensation_is_inherit_type_rrs(
        nodes in [fbx(), fbx()],
        details in [detail(), detail()],
    ) {
        let [parent, child] = nodes.map(|node| match node {
            Node::Fbx(it, order) => (it, order),
            other => panic!("{other:?}"),
        });
        let ([mut above, mut below], zero) = ([parent.0, child.0], Vector3::zeros());
        (above.scaling_pivot, above.scaling_offset) = (zero, zero);
        above.scaling.apply(|size| if *size == 0.0 { *size = 1.0 });
        (below.rotation_pivot, below.rotation_offset) = (zero, zero);
        (below.scaling_pivot, below.scaling_offset) = (zero, zero);
        below.scale_compensate = true;

        let mut test = TestWorld::default();
        let entity = above.spawn(&mut test.world, None, details[0]);
        let entity = below.spawn(&mut test.world, Some(entity), details[1]);
        test.run();
        let at = below.translation.cast::<f64>().into();
        let position = fbx_matrix(&above, parent.1).transform_point(&at);
        let expected = Matrix4::new_translation(&position.coords)
            * fbx_rotations(&above, parent.1)
            * fbx_rotations(&below, child.1)
            * scaling(&below.scaling);
        prop_assert!(difference(&test.matrix(entity), &expected) < 10.0 * TOLERANCE);
    }
}

#[test]
fn a_post_rotation_is_inverted() {
    let node = set::<FbxTransform>(|it| it.post_rotation.z = 90.0);
    let x = node.local_matrix().transform_vector(&Vector3::x());
    assert!((x + Vector3::y()).norm() < 1e-6);
}

/// Which components a node has, but `LocalToWorld` and `Translation`.
fn components(node: impl Fn(&mut World) -> Entity) -> Vec<&'static str> {
    let mut world = World::default();
    let entity = node(&mut world);
    let entry = world.entry_ref(entity).unwrap();
    let has = |id| entry.archetype().layout().component_types().contains(&id);
    assert!(has(Kind::LocalToWorld.type_id()) && has(Kind::Translation.type_id()));
    let kinds = Kind::ALL.iter().filter(|kind| has(kind.type_id())).map(|kind| kind.name());
    kinds.filter(|name| !["LocalToWorld", "Translation"].contains(name)).collect()
}

/// The table of Maya's attributes in the documentation, and what full detail keeps of FBX's angles:
/// the inverse of the post-rotation is angles too, in the opposite order.
#[test]
fn full_detail_has_all_that_may_be_animated() {
    let maya = set::<MayaTransform>(|it| {
        (it.rotate_order, it.segment_scale_compensate) = (EulerOrder::ZXY, true);
    });
    let mut all = components(|world| {
        let parent = world.push((LocalToWorld::default(),));
        maya.spawn(world, Some(parent), Detail::Full)
    });
    all.sort_unstable();
    let mut table = [
        "LocalToParent",
        "CompositeRotation", // RT RP R RA RP^-1
        "RotationPivotTranslation",
        "RotationPivot",
        "Rotation",
        "RotationEulerZXY",
        "PostRotation",
        "PostRotationEulerXYZ",
        "CompositeScale", // ST SP SH S SP^-1
        "ScalePivotTranslation",
        "ScalePivot",
        "Shear",
        "NonUniformScale",
        "ParentScaleInverse", // IS
    ];
    table.sort_unstable();
    assert_eq!(all, table);
    let mut fbx = set::<FbxTransform>(|it| it.post_rotation = Vector3::new(10.0, 20.0, 30.0));
    for is_oriented in [false, true] {
        fbx.pre_rotation.x = f32::from(is_oriented);
        let all = components(|world| fbx.spawn(world, None, Detail::Full));
        assert_eq!(all.contains(&"RotationEulerXYZ"), !is_oriented, "where they stand alone");
        assert!(all.contains(&"PostRotationEulerZYX"));
    }
}

#[test]
fn minimal_detail_has_only_what_makes_a_difference() {
    let one = Vector3::repeat(1.0);
    type Set = fn(&mut MayaTransform, Vector3<f32>);
    let cases: [(Set, &[&str]); 7] = [
        (|_, _| (), &[]),
        (|it, one| (it.rotate_pivot, it.scale_pivot) = (one, one), &[]), // nothing turns or grows
        (|it, one| it.rotate = one, &["Rotation"]),
        (
            |it, one| (it.rotate, it.rotate_pivot) = (one, one),
            &["CompositeRotation", "Rotation", "RotationPivot"],
        ),
        (|it, one| it.scale = 2.0 * one, &["Scale"]),
        (
            |it, one| (it.scale, it.scale_pivot) = (2.0 * one, one),
            &["CompositeScale", "Scale", "ScalePivot"],
        ),
        (|it, _| it.segment_scale_compensate = true, &["ParentScaleInverse"]),
    ];
    for (change, expected) in cases {
        let node = set::<MayaTransform>(|it| change(it, one));
        let mut all = components(|world| node.spawn(world, None, Detail::Minimal));
        all.sort_unstable();
        assert_eq!(all, expected);
    }
}

/// An animation writes the component of the angles; or `Rotation`, where a joint's orientation
/// stands before them.
#[test]
fn full_detail_can_be_animated() {
    let (mut test, angles) = (TestWorld::default(), Vector3::new(10.0, 20.0, 30.0));
    let mut node = set::<MayaTransform>(|it| {
        it.rotate_pivot = Vector3::new(1.0, 2.0, 3.0);
        (it.rotate_order, it.rotate_axis) = (EulerOrder::YZX, Vector3::new(5.0, 6.0, 7.0));
    });
    let mut joint = set::<MayaTransform>(|it| it.joint_orient.z = 90.0);
    let [free, oriented] = [node, joint].map(|it| it.spawn(&mut test.world, None, Detail::Full));
    test.run();
    (node.rotate, joint.rotate) = (angles, angles);
    test.set(free, RotationEulerYZX(angles.map(f32::to_radians)));
    test.set(oriented, Rotation(joint.to_pivot_transform().rotation));
    test.run();
    assert!(difference(&test.matrix(free), &transform_matrix(&node, "yzx")) < TOLERANCE);
    assert!(difference(&test.matrix(oriented), &joint_matrix(&joint, "xyz", None)) < TOLERANCE);
}

#[test]
fn unknown_orders_of_rotation_are_errors() {
    for order in [-1, 7, i32::MIN, i32::MAX] {
        let [maya, fbx] = [MayaTransform::rotate_order(order), FbxTransform::rotation_order(order)];
        for (error, format) in [(maya.unwrap_err(), "Maya"), (fbx.unwrap_err(), "FBX")] {
            assert_eq!((error.format, error.order), (format, order));
            assert!(error.to_string().contains("use 0 to 5"), "{error}");
        }
    }
    assert!(MayaTransform::rotate_order(6).is_err());
    assert!(FbxTransform::rotation_order(6).unwrap_err().to_string().contains("spheric"));
}

/// Non-finite attributes are carried, not caught: no panic, and the entity's own matrix is what
/// suffers.
#[test]
fn non_finite_attributes_do_not_panic() {
    let node = set::<MayaTransform>(|it| it.rotate = Vector3::new(f32::NAN, f32::INFINITY, 0.0));
    let mut test = TestWorld::default();
    for detail in [Detail::Minimal, Detail::Full] {
        node.spawn(&mut test.world, None, detail);
    }
    let sound = MayaTransform::default().spawn(&mut test.world, None, Detail::Full);
    test.run();
    assert_eq!(test.matrix(sound), Matrix4::identity());
    assert!(node.local_matrix().iter().any(|x| x.is_nan()));
}
