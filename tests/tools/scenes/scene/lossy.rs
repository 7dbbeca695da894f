//! Conversion from a partial root: lossy scale, dropped shear. Worked out by hand.

use nalgebra::Vector3;

use super::*;

#[test]
fn shear_that_is_dropped_is_reported_and_descendants_build_on_what_is_left() {
    let mut scene = Scene::default();
    let leaf = scene.add(SceneNode::new("leaf").at(NodeTransform::from_translation(1.0, 0.0, 0.0)));
    let turn = trs([0.0; 3], [0.0, 0.0, 0.7], [1.0; 3]);
    let turned = scene.add(SceneNode::new("turned").at(turn).with_children([leaf]));
    let wide = trs([0.0; 3], [0.0; 3], [3.0, 1.0, 1.0]);
    scene.add(SceneNode::new("wide").at(wide).with_children([turned]));

    let mut world = World::default();
    let spawned = scene.spawn_subtree(&mut world, turned).unwrap();
    let [dropped] = spawned.dropped_shear() else { panic!("{:?}", spawned.dropped_shear()) };
    assert_eq!((dropped.node, dropped.entity), (turned, spawned.entity(turned).unwrap()));
    assert!((dropped.described - wide.to_matrix() * turn.to_matrix()).amax() < 1e-6);
    assert_eq!(world_of(&world, &spawned, turned), dropped.kept);
    // The lossy scale by the rule, the diagonal of R^-1 M.
    let (sin, cos) = 0.7_f32.sin_cos();
    let entry = world.entry(dropped.entity).unwrap();
    let scale = entry.get_component::<NonUniformScale>().unwrap().0;
    let expected = Vector3::new(1.0 + 2.0 * cos * cos, 1.0 + 2.0 * sin * sin, 1.0);
    assert!((scale - expected).amax() < 1e-6, "{scale}");
    let off_diagonal = 2.0 * sin * cos;
    let amount = off_diagonal / off_diagonal.hypot(scale.y);
    assert!((dropped.amount - amount).abs() < 1e-6, "{}", dropped.amount);
    assert!(dropped.to_string().starts_with("node 1 ("), "{dropped}");
    let leaf = world_of(&world, &spawned, leaf);
    assert!((leaf.column(3) - dropped.kept.column(0) - dropped.kept.column(3)).xyz().amax() < 1e-6);
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

/// 2 below 0.5 is 1, and a scale of 1 is left out.
#[test]
fn a_lossy_scale_of_one_is_left_out() {
    let mut scene = Scene::default();
    let node = scene.add(SceneNode::default().at(trs([1.0; 3], [0.3, 0.2, 0.1], [2.0; 3])));
    let half = trs([4.0; 3], [1.0, 0.0, 2.0], [0.5; 3]);
    scene.add(SceneNode::default().at(half).with_children([node]));
    let mut world = World::default();
    let entity = scene.spawn_subtree(&mut world, node).unwrap().entity(node).unwrap();
    assert!(world.entry(entity).unwrap().get_component::<NonUniformScale>().is_err());
}

#[test]
fn no_shear_is_imagined_below_a_thousand_ancestors() {
    let mut scene = Scene::default();
    let place = trs([0.1, 0.0, 0.0], [0.01, 0.02, 0.03], [1.0; 3]);
    let mut below = scene.add(SceneNode::default().at(place));
    for i in 0..1_000 {
        let scale = if i % 2 == 0 { [-1.25; 3] } else { [0.8, -0.8, 0.8] };
        let place = trs([0.1, 0.0, 0.0], [0.01 * i as f32, 0.02, 0.03], scale);
        below = scene.add(SceneNode::default().at(place).with_children([below]));
    }
    let spawned = scene.spawn_subtree(&mut World::default(), 0).unwrap();
    assert!(spawned.dropped_shear().is_empty(), "{}", spawned.dropped_shear()[0]);
}
