//! Descriptions that contradict themselves: typed errors, and an untouched world.

use legion::World;
use legion_transform::{
    prelude::*,
    scene::{NodeTransform, Scene, SceneError, SceneNode},
};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};

use super::trs;

#[track_caller]
fn refused(scene: &Scene) -> SceneError {
    let mut world = World::default();
    world.push((LocalToWorld::identity(),));
    let error = scene.spawn(&mut world).unwrap_err();
    assert_eq!(world.len(), 1, "the world was touched");
    error
}

fn with_children(lists: &[&[usize]]) -> Scene {
    let node = |list: &&[usize]| SceneNode::default().with_children(list.iter().copied());
    lists.iter().map(node).collect()
}

#[test]
fn contradictions_are_named() {
    let cases: &[(&[&[usize]], SceneError, &str)] = &[
        (&[&[0]], SceneError::Cycle { nodes: vec![0] }, "nodes are their own ancestors: 0 > 0:"),
        (&[&[], &[3], &[1], &[2]], SceneError::Cycle { nodes: vec![1, 3, 2] }, "1 > 3 > 2 > 1:"),
        // Two nodes are below the cycle, and not on it.
        (
            &[&[], &[2], &[3, 4], &[1], &[5], &[]],
            SceneError::Cycle { nodes: vec![1, 2, 3] },
            "1 > 2 > 3 > 1:",
        ),
        (&[&[1], &[7]], SceneError::ChildOutOfRange { node: 1, child: 7, nodes: 2 }, "only 2"),
        (
            &[&[usize::MAX]],
            SceneError::ChildOutOfRange { node: 0, child: usize::MAX, nodes: 1 },
            "only 1",
        ),
        (&[&[1, 1], &[]], SceneError::TwoParents { node: 1, parents: [0, 0] }, "twice"),
        (
            &[&[2], &[2], &[]],
            SceneError::TwoParents { node: 2, parents: [0, 1] },
            "both node 0 and node 1",
        ),
    ];
    for (lists, expected, text) in cases {
        let scene = with_children(lists);
        let error = refused(&scene);
        assert_eq!(error, *expected);
        assert_eq!(scene.check(), Err(error.clone()));
        assert_eq!(scene.spawn_subtree(&mut World::default(), 0).unwrap_err(), error);
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn a_long_cycle_is_named_briefly() {
    let n = 100_000;
    let node = |i| SceneNode::default().with_children([(i + 1) % n]);
    let error = refused(&(0..n).map(node).collect());
    assert!(matches!(&error, SceneError::Cycle { nodes } if nodes.len() == n));
    assert!(error.to_string().len() < 200, "{error}");
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let rotation = NodeTransform::Trs {
            translation: Vector3::zeros(),
            rotation: UnitQuaternion::new_unchecked(Quaternion::new(1.0, 0.0, x, 0.0)),
            scale: Vector3::repeat(1.0),
        };
        let mut matrix = Matrix4::identity();
        matrix[(3, 2)] = x;
        for (transform, part) in [
            (trs([0.0, x, 0.0], [0.0; 3], [1.0; 3]), "translation"),
            (rotation, "rotation"),
            (trs([0.0; 3], [0.0; 3], [1.0, 1.0, x]), "scale"),
            (NodeTransform::Matrix(matrix), "matrix"),
        ] {
            let mut scene = with_children(&[&[1], &[]]);
            scene.nodes[1].transform = transform;
            let error = refused(&scene);
            assert_eq!(error, SceneError::NotFinite { node: 1, part });
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}

#[test]
fn an_overflow_on_the_way_down_and_a_node_that_is_not_there_are_refused() {
    let mut scene = with_children(&[&[1], &[2], &[]]);
    for node in &mut scene.nodes {
        node.transform = trs([0.0; 3], [0.0; 3], [1e20; 3]);
    }
    assert_eq!(refused(&scene), SceneError::WorldNotFinite { node: 1 });
    assert_eq!(
        scene.spawn_subtree(&mut World::default(), 2).unwrap_err(),
        SceneError::WorldNotFinite { node: 2 }
    );
    let nowhere = scene.spawn_subtree(&mut World::default(), 3).unwrap_err();
    assert_eq!(nowhere, SceneError::NoSuchNode { node: 3, nodes: 3 });
}
