//! Conversion from a partial root: world space, lossy scale, dropped shear.

use legion::*;
use legion_transform::{
    prelude::*,
    scene::{NodeTransform, Scene, SceneNode},
};
use nalgebra::{Matrix4, Vector3};

use super::support::*;

#[test]
fn a_subtree_leaves_the_rest_out() {
    let (scene, mut world) = (workshop(), World::default());
    let grip = named(&scene, "grip");
    let spawned = scene.spawn_subtree(&mut world, grip).unwrap();
    assert_eq!(world.len(), 3);
    assert_components(&world, spawned.entity(grip), ROOT, &["NonUniformScale", "Children"]);
    assert_components(&world, spawned.entity(named(&scene, "bolt")), LINK, &[]);
    assert_components(&world, spawned.entity(named(&scene, "nut")), LINKED, &[]);
    assert_eq!(spawned.entity(named(&scene, "arm")), None);
    assert_eq!(spawned.entities().count(), 3);
    assert_first_run_is_idle(&mut world, &spawned);
    assert_a_run_recomputes(&mut world, &spawned);
}

#[test]
fn its_root_is_expressed_in_world_space() {
    let mut scene = Scene::default();
    let tip = scene.add(SceneNode::new("tip").at(trs([0.0, 0.0, 1.0], [0.0, 0.4, 0.0], [1.0; 3])));
    let mid = scene.add(
        SceneNode::new("mid")
            .at(trs([1.0, 2.0, 3.0], [0.3, 0.2, 0.1], [2.0; 3]))
            .with_children([tip]),
    );
    scene.add(
        SceneNode::new("top")
            .at(trs([4.0, 5.0, 6.0], [1.0, 0.0, 2.0], [0.5; 3]))
            .with_children([mid]),
    );

    let (mut whole, mut part) = (World::default(), World::default());
    let in_whole = scene.spawn(&mut whole).unwrap();
    let in_part = scene.spawn_subtree(&mut part, mid).unwrap();

    assert!(in_part.dropped_shear().is_empty());
    for node in [mid, tip] {
        assert!(
            (world_of(&whole, &in_whole, node) - world_of(&part, &in_part, node)).amax() < 1e-5
        );
    }
    // 2 below 0.5 is 1, and scale 1 is left out.
    assert_components(&part, in_part.entity(mid), ROOT, &["Children"]);
    assert_first_run_is_idle(&mut part, &in_part);
}

#[test]
fn shear_that_is_dropped_is_reported_and_descendants_build_on_what_is_left() {
    let mut scene = Scene::default();
    let leaf = scene.add(SceneNode::new("leaf").at(NodeTransform::from_translation(1.0, 0.0, 0.0)));
    let turned = scene.add(
        SceneNode::new("turned").at(trs([0.0; 3], [0.0, 0.0, 0.7], [1.0; 3])).with_children([leaf]),
    );
    let flat = scene.add(
        SceneNode::new("flat").at(trs([0.0; 3], [0.0; 3], [3.0, 1.0, 1.0])).with_children([turned]),
    );

    let mut world = World::default();
    let spawned = scene.spawn_subtree(&mut world, turned).unwrap();
    let [dropped] = spawned.dropped_shear() else { panic!("{:?}", spawned.dropped_shear()) };
    assert_eq!((dropped.node, dropped.entity), (turned, spawned.entity(turned).unwrap()));

    let described =
        scene.nodes[flat].transform.to_matrix() * scene.nodes[turned].transform.to_matrix();
    assert!((dropped.described - described).amax() < 1e-6);
    assert_eq!(world_of(&world, &spawned, turned), dropped.kept);
    // The lossy scale by the rule, the diagonal of R^-1 M.
    let (sin, cos) = 0.7_f32.sin_cos();
    let scale = get::<NonUniformScale>(&world, dropped.entity).unwrap().0;
    assert!(
        (scale - Vector3::new(1.0 + 2.0 * cos * cos, 1.0 + 2.0 * sin * sin, 1.0)).amax() < 1e-6,
        "{scale}"
    );
    let off_diagonal = 2.0 * sin * cos;
    assert!(
        (dropped.amount - off_diagonal / off_diagonal.hypot(scale.y)).abs() < 1e-6,
        "{}",
        dropped.amount
    );
    assert!(dropped.to_string().starts_with("node 1 ("), "{dropped}");

    let leaf = world_of(&world, &spawned, leaf);
    assert!((leaf.column(3) - dropped.kept.column(0) - dropped.kept.column(3)).xyz().amax() < 1e-6);
    assert_first_run_is_idle(&mut world, &spawned);
}

#[test]
fn a_projective_ancestor_is_reported_too() {
    for axis in 0..4 {
        let mut projection = Matrix4::identity();
        projection[(3, axis)] = 0.5;
        let mut scene = Scene::default();
        let node = scene.add(SceneNode::default());
        scene.add(SceneNode::default().at(NodeTransform::Matrix(projection)).with_children([node]));
        let spawned = scene.spawn_subtree(&mut World::default(), node).unwrap();
        assert_eq!(spawned.dropped_shear().len(), 1, "{axis}");
    }
}

#[test]
fn a_matrix_or_a_static_node_keeps_its_shear() {
    let place = trs([0.0; 3], [0.0, 0.0, 0.7], [1.0; 3]);
    for turned in [
        SceneNode::default().at(NodeTransform::Matrix(place.to_matrix())),
        SceneNode::default().at(place).fixed(),
    ] {
        let mut scene = Scene::default();
        let turned = scene.add(turned);
        let flat = scene.add(
            SceneNode::default()
                .at(trs([1.0; 3], [0.0; 3], [3.0, 1.0, 1.0]))
                .with_children([turned]),
        );
        let mut world = World::default();
        let spawned = scene.spawn_subtree(&mut world, turned).unwrap();
        assert!(spawned.dropped_shear().is_empty());
        assert_components(&world, spawned.entity(turned), &["LocalToWorld"], &[]);
        let expected =
            scene.nodes[flat].transform.to_matrix() * scene.nodes[turned].transform.to_matrix();
        assert!((world_of(&world, &spawned, turned) - expected).amax() < 1e-6);
        assert_first_run_is_idle(&mut world, &spawned);
    }
}

#[test]
fn static_is_inherited_from_ancestors_that_are_not_converted() {
    let (scene, mut world, mut whole) = (workshop(), World::default(), World::default());
    let peg = named(&scene, "peg");
    let spawned = scene.spawn_subtree(&mut world, peg).unwrap();
    assert_components(&world, spawned.entity(peg), &["LocalToWorld"], &[]);
    let in_whole = scene.spawn(&mut whole).unwrap();
    assert_eq!(world_of(&world, &spawned, peg), world_of(&whole, &in_whole, peg));
}

#[test]
fn no_shear_is_imagined_below_a_thousand_ancestors() {
    let mut scene = Scene::default();
    let mut below =
        scene.add(SceneNode::default().at(trs([0.1, 0.0, 0.0], [0.01, 0.02, 0.03], [1.0; 3])));
    for i in 0..1_000 {
        let scale = if i % 2 == 0 { [-1.25; 3] } else { [0.8, -0.8, 0.8] };
        let place = trs([0.1, 0.0, 0.0], [0.01 * i as f32, 0.02, 0.03], scale);
        below = scene.add(SceneNode::default().at(place).with_children([below]));
    }
    let spawned = scene.spawn_subtree(&mut World::default(), 0).unwrap();
    assert!(spawned.dropped_shear().is_empty(), "{}", spawned.dropped_shear()[0]);
}

#[test]
fn a_mirrored_ancestor_is_no_shear() {
    let mirror = trs([2.0; 3], [0.5, 0.1, 0.2], [-1.0, 1.0, 1.0]);
    for ancestor in [mirror, NodeTransform::Matrix(mirror.to_matrix())] {
        let mut scene = Scene::default();
        let node =
            scene.add(SceneNode::default().at(trs([1.0; 3], [0.3, 0.6, 0.9], [1.0, 2.0, 3.0])));
        scene.add(SceneNode::default().at(ancestor).with_children([node]));
        let mut world = World::default();
        let spawned = scene.spawn_subtree(&mut world, node).unwrap();
        assert!(spawned.dropped_shear().is_empty());
        let expected = scene.nodes[1].transform.to_matrix() * scene.nodes[0].transform.to_matrix();
        assert!((world_of(&world, &spawned, node) - expected).amax() < 1e-5);
    }
}
