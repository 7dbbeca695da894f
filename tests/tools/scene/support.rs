//! What all of these tests look at.

use std::collections::BTreeSet;

use legion::{
    storage::{Component, ComponentTypeId},
    *,
};
use legion_transform::{
    components::PreviousParent,
    prelude::*,
    scene::{NodeTransform, Scene, SceneNode, SpawnedScene},
};
use nalgebra::{Matrix4, UnitQuaternion};

use super::versions;

pub const ROOT: &[&str] = &["LocalToWorld", "Translation", "Rotation"];
pub const LINK: &[&str] = &["LocalToWorld", "LocalToParent", "Parent", "PreviousParent"];
pub const LINKED: &[&str] =
    &["LocalToWorld", "Translation", "Rotation", "LocalToParent", "Parent", "PreviousParent"];

pub fn trs(translation: [f32; 3], angles: [f32; 3], scale: [f32; 3]) -> NodeTransform {
    NodeTransform::Trs {
        translation: translation.into(),
        rotation: UnitQuaternion::from_euler_angles(angles[0], angles[1], angles[2]),
        scale: scale.into(),
    }
}

pub fn get<T: Component + Clone>(world: &World, entity: Entity) -> Option<T> {
    world.entry_ref(entity).ok()?.into_component::<T>().ok().cloned()
}

pub fn world_of(world: &World, spawned: &SpawnedScene, node: usize) -> Matrix4<f32> {
    get::<LocalToWorld>(world, spawned.entity(node).unwrap()).unwrap().0
}

pub fn components(world: &World, entity: Entity) -> BTreeSet<&'static str> {
    let known = [
        (ComponentTypeId::of::<LocalToWorld>(), "LocalToWorld"),
        (ComponentTypeId::of::<LocalToParent>(), "LocalToParent"),
        (ComponentTypeId::of::<Translation>(), "Translation"),
        (ComponentTypeId::of::<Rotation>(), "Rotation"),
        (ComponentTypeId::of::<NonUniformScale>(), "NonUniformScale"),
        (ComponentTypeId::of::<Parent>(), "Parent"),
        (ComponentTypeId::of::<PreviousParent>(), "PreviousParent"),
        (ComponentTypeId::of::<Children>(), "Children"),
    ];
    let entry = world.entry_ref(entity).unwrap();
    let layout = entry.archetype().layout().component_types();
    layout
        .iter()
        .map(|id| known.iter().find(|(known, _)| known == id).map_or("unknown", |(_, name)| *name))
        .collect()
}

#[track_caller]
pub fn assert_components(world: &World, entity: Option<Entity>, expected: &[&str], more: &[&str]) {
    assert_eq!(components(world, entity.unwrap()), expected.iter().chain(more).copied().collect());
}

/// All that an entity is: components, matrices in bits, relations.
#[derive(Debug, PartialEq)]
pub struct Snapshot {
    node: usize,
    components: BTreeSet<&'static str>,
    matrices: Vec<u32>,
    relations: [Option<Entity>; 2],
    children: Vec<Entity>,
}

pub fn snapshot(world: &World, spawned: &SpawnedScene) -> Vec<Snapshot> {
    let one = |(node, entity)| {
        let matrices = [
            get::<LocalToWorld>(world, entity).map(|m| m.0),
            get::<LocalToParent>(world, entity).map(|m| m.0),
        ];
        Snapshot {
            node,
            components: components(world, entity),
            matrices: matrices
                .iter()
                .flatten()
                .flat_map(|m| m.iter().map(|x| x.to_bits()))
                .collect(),
            relations: [
                get::<Parent>(world, entity).map(|p| p.0),
                get::<PreviousParent>(world, entity).and_then(|p| p.parent()),
            ],
            children: get::<Children>(world, entity).map(|c| c.to_vec()).unwrap_or_default(),
        }
    };
    spawned.entities().map(one).collect()
}

/// Node by node, so that a failure names the first that differs.
#[track_caller]
fn assert_same(actual: &[Snapshot], expected: &[Snapshot]) {
    assert_eq!(actual.len(), expected.len());
    actual.iter().zip(expected).for_each(|(actual, expected)| assert_eq!(actual, expected));
}

pub fn schedule() -> Schedule {
    Schedule::builder().add_transforms(TransformSystemBundle::default()).build()
}

/// The promise: everything is right already, so that the first run moves nothing and bumps nothing.
#[track_caller]
pub fn assert_first_run_is_idle(world: &mut World, spawned: &SpawnedScene) {
    let before = (snapshot(world, spawned), versions::all(world));
    let (mut resources, mut schedule) = (Resources::default(), schedule());
    for run in 1..=2 {
        schedule.execute(world, &mut resources);
        assert_same(&snapshot(world, spawned), &before.0);
        assert_eq!(versions::all(world), before.1, "run {run}");
        let findings = resources.get::<Findings>().unwrap();
        assert!(findings.is_clean(world), "{:?}", findings.of(world).collect::<Vec<_>>());
    }
}

/// Overwrites every derived matrix: a run must bring back what the conversion computed, or the idle
/// run proved nothing.
#[track_caller]
pub fn assert_a_run_recomputes(world: &mut World, spawned: &SpawnedScene) {
    let before = snapshot(world, spawned);
    for (_, entity) in spawned.entities() {
        let mut entry = world.entry(entity).unwrap();
        let has_inputs = entry.get_component::<Translation>().is_ok();
        if has_inputs || entry.get_component::<Parent>().is_ok() {
            entry.get_component_mut::<LocalToWorld>().unwrap().0 *= 2.0;
        }
        if has_inputs && let Ok(matrix) = entry.get_component_mut::<LocalToParent>() {
            matrix.0 *= 2.0;
        }
    }
    assert!(snapshot(world, spawned) != before, "nothing was overwritten");
    schedule().execute(world, &mut Resources::default());
    assert_same(&snapshot(world, spawned), &before);
}

/// Every kind of node, below every kind of parent.
pub fn workshop() -> Scene {
    let shear = Matrix4::new(
        1.0, 0.5, 0.0, 1.0, 0.0, 1.0, 0.25, 2.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 1.0,
    );
    let shear = NodeTransform::Matrix(shear);
    let mut scene = Scene::default();
    let bolt = scene.add(SceneNode::new("bolt").at(shear));
    let nut = scene.add(SceneNode::new("nut").at(trs([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [1.0; 3])));
    let grip = SceneNode::new("grip")
        .at(trs([3.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0; 3]))
        .with_children([bolt, nut]);
    let grip = scene.add(grip);
    let arm = SceneNode::new("arm")
        .at(trs([0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [2.0, 3.0, 4.0]))
        .with_children([grip]);
    let arm = scene.add(arm);
    let jig = scene.add(SceneNode::new("jig").at(shear).with_children([arm]));
    let peg = scene.add(SceneNode::new("peg").at(trs([0.0, 1.0, 0.0], [0.3, 0.2, 0.1], [2.0; 3])));
    let post = SceneNode::new("post")
        .at(trs([5.0, 0.0, 0.0], [0.0; 3], [1.0; 3]))
        .with_children([peg])
        .fixed();
    let post = scene.add(post);
    let table = SceneNode::new("table")
        .at(trs([1.0, 1.0, 1.0], [0.0, 0.7, 0.0], [1.5; 3]))
        .with_children([post, jig]);
    scene.add(table);
    scene.add(SceneNode::new("floor").at(trs([0.0, -1.0, 0.0], [0.1; 3], [9.0, 1.0, 9.0])).fixed());
    scene.add(SceneNode::new("lamp").at(trs([0.0, 9.0, 0.0], [0.1; 3], [1.0; 3])));
    scene.add(SceneNode::new("map").at(shear));
    scene
}

pub fn named(scene: &Scene, name: &str) -> usize {
    scene.nodes.iter().position(|node| node.name.as_deref() == Some(name)).unwrap()
}
