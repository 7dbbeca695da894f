//! FBX's transform properties against the formula of the SDK's documentation, written out in f64.

use super::support::{
    TOLERANCE, degrees, difference, error_below_itself, offset, run, scale, set, world_of,
};
use harness::{demand, on_a_small_stack};
use legion::{EntityStore, World};
use legion_transform::{
    components::PostRotationEulerZYX,
    interchange::{Detail, FbxTransform},
    prelude::*,
};
use nalgebra::{Matrix4, Vector3};
use proptest::prelude::*;

/// FBX's names for RotationOrder 0 to 5, which are not in Maya's order.
const ORDERS: [&str; 6] = ["xyz", "xzy", "yzx", "yxz", "zxy", "zyx"];

#[derive(Clone, Debug)]
struct Node {
    properties: FbxTransform,
    order: &'static str,
}

fn translation(v: &Vector3<f32>) -> Matrix4<f64> {
    Matrix4::new_translation(&v.cast())
}

fn scaling(v: &Vector3<f32>) -> Matrix4<f64> {
    Matrix4::new_nonuniform_scaling(&v.cast())
}

/// About one axis, for column vectors.
fn axis(axis: char, degrees: f32) -> Matrix4<f64> {
    let (s, c) = f64::from(degrees).to_radians().sin_cos();
    let mut matrix = Matrix4::identity();
    let (i, j) = match axis {
        'x' => (1, 2),
        'y' => (2, 0),
        _ => (0, 1),
    };
    (matrix[(i, i)], matrix[(j, j)]) = (c, c);
    (matrix[(j, i)], matrix[(i, j)]) = (s, -s);
    matrix
}

/// `xyz` means Rz Ry Rx: on column vectors the last factor acts first.
fn rotation(order: &str, degrees: &Vector3<f32>) -> Matrix4<f64> {
    order.chars().fold(Matrix4::identity(), |product, name| {
        axis(name, degrees["xyz".find(name).unwrap()]) * product
    })
}

fn inverse(matrix: Matrix4<f64>) -> Matrix4<f64> {
    matrix.try_inverse().expect("translations and rotations have inverses")
}

impl Node {
    /// Rpre R Rpost^-1, or R in the order XYZ where RotationActive is off.
    fn rotations(&self) -> Matrix4<f64> {
        let p = &self.properties;
        if !p.rotation_active {
            return rotation("xyz", &p.rotation);
        }
        rotation("xyz", &p.pre_rotation)
            * rotation(self.order, &p.rotation)
            * inverse(rotation("xyz", &p.post_rotation))
    }

    /// T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1, with what InheritType Rrs puts after T.
    fn matrix(&self, compensation: Matrix4<f64>) -> Matrix4<f64> {
        let p = &self.properties;
        translation(&p.translation)
            * compensation
            * translation(&p.rotation_offset)
            * translation(&p.rotation_pivot)
            * self.rotations()
            * inverse(translation(&p.rotation_pivot))
            * translation(&p.scaling_offset)
            * translation(&p.scaling_pivot)
            * scaling(&p.scaling)
            * inverse(translation(&p.scaling_pivot))
    }
}

fn node() -> impl Strategy<Value = Node> {
    let rotations = (0..6_usize, degrees(), degrees(), degrees(), any::<bool>());
    let offsets = [offset().boxed(), offset().boxed(), offset().boxed(), offset().boxed()];
    (offset(), rotations, offsets, scale()).prop_map(
        |(translation, rotations, offsets, scaling)| {
            let (order, rotation, pre_rotation, post_rotation, rotation_active) = rotations;
            let [rotation_pivot, rotation_offset, scaling_pivot, scaling_offset] = offsets;
            let properties = set(FbxTransform::default(), |it| {
                it.translation = translation;
                it.rotation = rotation;
                it.rotation_order =
                    FbxTransform::rotation_order(i32::try_from(order).unwrap()).unwrap();
                it.pre_rotation = pre_rotation;
                it.post_rotation = post_rotation;
                it.rotation_active = rotation_active;
                it.rotation_pivot = rotation_pivot;
                it.rotation_offset = rotation_offset;
                it.scaling = scaling;
                it.scaling_pivot = scaling_pivot;
                it.scaling_offset = scaling_offset;
                it.scale_compensate = false;
            });
            Node { properties, order: ORDERS[order] }
        },
    )
}

fn detail() -> impl Strategy<Value = Detail> {
    prop_oneof![Just(Detail::Minimal), Just(Detail::Full)]
}

proptest! {
    #![proptest_config(demand::cases(64))]

    #[test]
    fn local_matrix_is_the_written_out_product(node in node()) {
        prop_assert!(
            difference(&node.properties.local_matrix(), &node.matrix(Matrix4::identity()))
                < TOLERANCE
        );
    }

    #[test]
    fn a_spawned_chain_has_the_products_after_one_run(
        nodes in prop::collection::vec((node(), detail()), 1..4),
    ) {
        let mut world = World::default();
        let (mut parent, mut expected) = (None, Matrix4::identity());
        let mut chain = Vec::new();
        for (node, detail) in &nodes {
            let entity = node.properties.spawn(&mut world, parent, *detail);
            expected *= node.matrix(Matrix4::identity());
            chain.push((entity, expected));
            parent = Some(entity);
        }
        run(&mut world);
        for (entity, expected) in chain {
            prop_assert!(difference(&world_of(&mut world, entity), &expected) < 10.0 * TOLERANCE);
        }
    }

    #[test]
    fn a_pushed_tuple_has_the_product_after_one_run(node in node()) {
        let mut world = World::default();
        let (translation, rotation, scale) = node.properties.components();
        let entity = world.push((LocalToWorld::default(), translation, rotation, scale));
        run(&mut world);
        prop_assert!(
            difference(&world_of(&mut world, entity), &node.matrix(Matrix4::identity()))
                < TOLERANCE
        );
    }

    /// InheritType Rrs, as the SDK computes it below an unscaled grandparent: rotations multiply,
    /// the parent's scale moves the child's translation and nothing else.
    #[test]
    fn scale_compensation_is_inherit_type_rrs(
        parent in node(),
        child in node(),
        details in [detail(), detail()],
    ) {
        let zero = Vector3::zeros();
        let mut parent = parent;
        parent.properties =
            set(parent.properties, |it| { it.scaling_pivot = zero; it.scaling_offset = zero; });
        let mut child = child;
        child.properties = set(child.properties, |it| {
            (it.rotation_pivot, it.rotation_offset) = (zero, zero);
            (it.scaling_pivot, it.scaling_offset) = (zero, zero);
            it.scale_compensate = true;
        });

        let mut world = World::default();
        let above = parent.properties.spawn(&mut world, None, details[0]);
        let entity = child.properties.spawn(&mut world, Some(above), details[1]);
        run(&mut world);

        let above = parent.matrix(Matrix4::identity());
        let position = above.transform_point(&child.properties.translation.cast::<f64>().into());
        let expected = Matrix4::new_translation(&position.coords)
            * parent.rotations()
            * child.rotations()
            * scaling(&child.properties.scaling);
        prop_assert!(difference(&world_of(&mut world, entity), &expected) < 10.0 * TOLERANCE);
    }
}

#[test]
fn post_rotation_is_inverted() {
    let node = set(FbxTransform::default(), |it| it.post_rotation = Vector3::new(0.0, 0.0, 90.0));
    let x = node.local_matrix().transform_vector(&Vector3::x());
    assert!((x + Vector3::y()).norm() < 1e-6);
}

/// Full detail keeps the angles: the inverse of the post-rotation is angles too, in the opposite
/// order.
#[test]
fn full_detail_keeps_angles_where_they_stand_alone() {
    let mut world = World::default();
    let node = set(FbxTransform::default(), |it| it.post_rotation = Vector3::new(10.0, 20.0, 30.0));
    let free = node.spawn(&mut world, None, Detail::Full);
    let oriented =
        set(node, |it| it.pre_rotation = Vector3::x()).spawn(&mut world, None, Detail::Full);
    let has_angles = |entity| {
        let entry = world.entry_ref(entity).unwrap();
        let layout = entry.archetype().layout();
        (layout.has_component::<RotationEulerXYZ>(), layout.has_component::<PostRotationEulerZYX>())
    };
    assert_eq!(has_angles(free), (true, true));
    assert_eq!(has_angles(oriented), (false, true));
}

#[test]
fn unknown_rotation_orders_are_errors() {
    assert!(FbxTransform::rotation_order(6).unwrap_err().to_string().contains("spheric"));
    for order in [-1, 7, i32::MIN] {
        assert!(
            FbxTransform::rotation_order(order).unwrap_err().to_string().contains("use 0 to 5")
        );
    }
}

/// An axis of length 0 and a mirror, in each level of detail, and what hangs below.
#[test]
fn flat_and_mirrored_nodes_have_their_products() {
    for scaling in [[1.0, 0.0, 2.0], [0.0, 0.0, 0.0], [1.0, -1.0, 1.0], [-2.0, -2.0, -2.0]] {
        for detail in [Detail::Minimal, Detail::Full] {
            let node = set(FbxTransform::default(), |it| {
                it.translation = Vector3::new(1.0, 2.0, 3.0);
                it.rotation = Vector3::new(10.0, 20.0, 30.0);
                it.scaling = scaling.into();
            });
            let spawn = |world: &mut World, above| node.spawn(world, above, detail);
            let error = error_below_itself(spawn, &node.local_matrix());
            assert!(error < TOLERANCE, "{scaling:?}: {error}");
        }
    }
}

#[test]
fn a_chain_of_ten_thousand_needs_no_stack() {
    on_a_small_stack(|| {
        let node = set(FbxTransform::default(), |it| it.translation = Vector3::new(0.0, 0.25, 0.0));
        let mut world = World::default();
        let mut last = node.spawn(&mut world, None, Detail::Minimal);
        for _ in 1..10_000 {
            last = node.spawn(&mut world, Some(last), Detail::Minimal);
        }
        run(&mut world);
        assert_eq!(world_of(&mut world, last).m24, 2_500.0);
    });
}
