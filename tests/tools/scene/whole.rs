//! Whole scenes.

use std::collections::BTreeSet;

use harness::on_a_small_stack;
use legion::*;
use legion_transform::{
    components::PreviousParent,
    prelude::*,
    scene::{NodeTransform, Scene, SceneNode},
};
use nalgebra::Matrix4;

use super::support::*;

#[test]
fn each_kind_of_node_gets_the_components_of_the_table() {
    let (scene, mut world) = (workshop(), World::default());
    let spawned = scene.spawn(&mut world).unwrap();
    let check = |name: &str, expected: &[&str], more: &[&str]| {
        assert_components(&world, spawned.entity(named(&scene, name)), expected, more);
    };
    check("table", ROOT, &["NonUniformScale", "Children"]);
    check("lamp", ROOT, &[]);
    check("map", &["LocalToWorld"], &[]);
    check("floor", &["LocalToWorld"], &[]);
    check("post", &["LocalToWorld"], &[]);
    check("peg", &["LocalToWorld"], &[]);
    check("jig", LINK, &["Children"]);
    check("arm", LINKED, &["NonUniformScale", "Children"]);
    check("grip", LINKED, &["Children"]);
    check("bolt", LINK, &[]);
    check("nut", LINKED, &[]);
}

/// All twelve archetypes at once, each with exactly the components of its kind.
#[test]
fn every_shape_has_an_archetype() {
    let mut scene = Scene::default();
    let mut expected = Vec::new();
    let kinds: [(NodeTransform, &[&str]); 3] = [
        (NodeTransform::Matrix(Matrix4::identity()), &[]),
        (trs([1.0; 3], [0.1; 3], [1.0; 3]), &["Translation", "Rotation"]),
        (trs([1.0; 3], [0.1; 3], [1.0, 2.0, 1.0]), &["Translation", "Rotation", "NonUniformScale"]),
    ];
    for (transform, has) in kinds {
        for (is_linked, has_children) in
            [(false, false), (false, true), (true, false), (true, true)]
        {
            let mut components: BTreeSet<_> = has.iter().copied().chain(["LocalToWorld"]).collect();
            let mut node = SceneNode::default().at(transform);
            if has_children {
                node.children = vec![scene.add(SceneNode::default())];
                components.insert("Children");
            }
            let index = scene.add(node);
            if is_linked {
                scene.add(SceneNode::default().with_children([index]));
                components.extend(["LocalToParent", "Parent", "PreviousParent"]);
            }
            expected.push((index, components));
        }
    }
    let mut world = World::default();
    let spawned = scene.spawn(&mut world).unwrap();
    for (node, expected) in expected {
        assert_eq!(components(&world, spawned.entity(node).unwrap()), expected);
    }
    assert_first_run_is_idle(&mut world, &spawned);
    assert_a_run_recomputes(&mut world, &spawned);
}

#[test]
fn values_and_relations_are_the_descriptions() {
    let (scene, mut world) = (workshop(), World::default());
    let spawned = scene.spawn(&mut world).unwrap();
    let entity = |name: &str| spawned.entity(named(&scene, name)).unwrap();

    let arm = entity("arm");
    let NodeTransform::Trs { translation, rotation, scale } =
        scene.nodes[named(&scene, "arm")].transform
    else {
        panic!()
    };
    assert_eq!(get::<Translation>(&world, arm).unwrap().0.vector, translation);
    assert_eq!(get::<Rotation>(&world, arm).unwrap().0, rotation);
    assert_eq!(get::<NonUniformScale>(&world, arm).unwrap().0, scale);
    assert_eq!(get::<Parent>(&world, arm), Some(Parent(entity("jig"))));
    assert_eq!(get::<PreviousParent>(&world, arm), Some(PreviousParent::from(Some(entity("jig")))));
    assert_eq!(
        get::<Children>(&world, entity("grip")).unwrap().as_slice(),
        [entity("bolt"), entity("nut")]
    );
    // The post is static, and static nodes have no parent in the world.
    assert_eq!(get::<Children>(&world, entity("table")).unwrap().as_slice(), [entity("jig")]);

    let bolt = &scene.nodes[named(&scene, "bolt")].transform;
    assert_eq!(get::<LocalToParent>(&world, entity("bolt")).unwrap().0, bolt.to_matrix());

    let matrix = |name: &&str| scene.nodes[named(&scene, name)].transform.to_matrix().cast::<f64>();
    for chain in [
        &["table", "post", "peg"][..],
        &["table", "jig", "arm", "grip", "bolt"],
        &["floor"],
        &["lamp"],
        &["map"],
    ] {
        let actual = get::<LocalToWorld>(&world, entity(chain[chain.len() - 1])).unwrap().0;
        let expected: Matrix4<f64> = chain.iter().map(matrix).product();
        assert!((actual.cast::<f64>() - expected).amax() < 1e-4, "{chain:?}");
    }
}

#[test]
fn the_first_run_finds_nothing_to_do() {
    let (scene, mut world) = (workshop(), World::default());
    let spawned = scene.spawn(&mut world).unwrap();
    assert_first_run_is_idle(&mut world, &spawned);
    assert_a_run_recomputes(&mut world, &spawned);
}

#[test]
fn entities_are_found_by_node() {
    let (scene, mut world) = (workshop(), World::default());
    let bystander = world.push((LocalToWorld::identity(),));
    let spawned = scene.spawn(&mut world).unwrap();
    assert_eq!(world.len(), scene.nodes.len() + 1);
    assert!(world.contains(bystander));
    assert_eq!(spawned.entities().count(), scene.nodes.len());
    for (node, entity) in spawned.entities() {
        assert_eq!(spawned.entity(node), Some(entity));
        assert!(world.contains(entity));
    }
    assert_eq!(spawned.entity(scene.nodes.len()), None);
    assert!(spawned.dropped_shear().is_empty());
}

#[test]
fn a_scene_can_be_spawned_twice_and_beside_others() {
    let (scene, mut world) = (workshop(), World::default());
    let first = scene.spawn(&mut world).unwrap();
    let second = scene.spawn(&mut world).unwrap();
    let third = workshop().spawn(&mut World::default()).unwrap();
    let all: BTreeSet<String> = [&first, &second, &third]
        .iter()
        .flat_map(|s| s.entities())
        .map(|(_, entity)| format!("{entity:?}"))
        .collect();
    assert_eq!(all.len(), 3 * scene.nodes.len());
    // Ids that are allotted later are others still.
    let later = format!("{:?}", world.push((LocalToWorld::identity(),)));
    assert!(!all.contains(&later));
    assert_first_run_is_idle(&mut world, &first);
    assert_first_run_is_idle(&mut world, &second);
}

/// What importers meet: an axis of length 0, a mirror, a name that repeats.
#[test]
fn flat_and_mirrored_nodes_are_placed_as_they_are() {
    let turn = [0.4, -0.9, 1.3];
    let odd = [
        trs([1.0, 2.0, 3.0], turn, [1.0, 0.0, 2.0]),
        trs([1.0, 2.0, 3.0], turn, [0.0; 3]),
        trs([1.0, 2.0, 3.0], turn, [2.0, -1.0, 1.0]),
        NodeTransform::Matrix(trs([1.0, 2.0, 3.0], turn, [1.0, 1.0, 0.0]).to_matrix()),
        NodeTransform::Matrix(trs([1.0, 2.0, 3.0], turn, [-1.0, 1.0, 1.0]).to_matrix()),
        NodeTransform::Matrix(Matrix4::new_scaling(0.0)),
    ];
    for transform in odd {
        let mut scene = Scene::default();
        let below = trs([0.0, 1.0, 0.0], [0.2, 0.0, 0.0], [1.0, 3.0, 1.0]);
        let leaf = scene.add(SceneNode::new("part").at(below));
        let middle = scene.add(SceneNode::new("part").at(transform).with_children([leaf]));
        scene.add(SceneNode::new("part").at(below).with_children([middle]));
        let mut world = World::default();
        let spawned = scene.spawn(&mut world).unwrap();
        assert_eq!(spawned.entities().count(), 3, "the same name is no obstacle");
        let [below, transform] = [below, transform].map(|t| t.to_matrix().cast::<f64>());
        let expected = below * transform * below;
        let error = (world_of(&world, &spawned, leaf).cast::<f64>() - expected).amax();
        assert!(error < 1e-5, "{transform}: {error}");
        assert_first_run_is_idle(&mut world, &spawned);
        // Alone, such a node keeps its place, and nothing of it is NaN.
        let alone = scene.spawn_subtree(&mut world, leaf).unwrap();
        let alone = world_of(&world, &alone, leaf);
        assert!(alone.iter().all(|x| x.is_finite()), "{alone}");
        assert!((alone.cast::<f64>().column(3) - expected.column(3)).amax() < 1e-5, "{alone}");
    }
}

#[test]
fn an_empty_scene_is_no_error() {
    let mut world = World::default();
    assert_eq!(Scene::default().spawn(&mut world).unwrap().entities().count(), 0);
    assert!(world.is_empty());
}

#[test]
fn a_chain_of_a_hundred_thousand_needs_no_stack() {
    let n = 100_000;
    let node =
        |i: usize| SceneNode { children: (i + 1..n).take(1).collect(), ..SceneNode::default() };
    let scene = Scene { nodes: (0..n).map(node).collect() };
    on_a_small_stack(|| {
        let mut world = World::default();
        let spawned = scene.spawn(&mut world).unwrap();
        assert_eq!(world.len(), n);
        assert_eq!(
            get::<Parent>(&world, spawned.entity(n - 1).unwrap()),
            spawned.entity(n - 2).map(Parent)
        );
        assert_eq!(scene.spawn_subtree(&mut world, n - 1).unwrap().entities().count(), 1);
    });
}
