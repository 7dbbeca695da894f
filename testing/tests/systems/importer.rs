//! An importer reads nodes that name their children, as glTF's do.

use legion::*;
use legion_transform::prelude::*;
use legion_transform_testing::{Forest, Kind, Numeric, Reference, Trees};
use proptest::prelude::*;

use super::{Trial, is_right};

/// A node of the file.
#[derive(Default)]
struct FileNode {
    transform: Transform,
    children: Vec<usize>,
}

/// Spawns the nodes of a file, each after its parent. Returns the entity of each node. The bug is
/// to return them in the order of the walk.
fn import(file: &[FileNode], world: &mut World, in_order_of_the_walk: bool) -> Vec<Entity> {
    let is_root = |node: &usize| !file.iter().any(|parent| parent.children.contains(node));
    let mut left: Vec<(usize, Option<Entity>)> =
        (0..file.len()).rev().filter(is_root).map(|node| (node, None)).collect();
    let mut entities = Vec::new();
    while let Some((node, parent)) = left.pop() {
        let components = file[node].transform.components();
        let entity = match parent {
            Some(parent) => world.push_child(parent, components),
            None => world.push_transform(components),
        };
        entities.push((node, entity));
        left.extend(file[node].children.iter().rev().map(|child| (*child, Some(entity))));
    }
    if !in_order_of_the_walk {
        entities.sort_by_key(|(node, _)| *node);
    }
    entities.into_iter().map(|(_, entity)| entity).collect()
}

/// The file of a forest.
fn file(forest: &Forest) -> Vec<FileNode> {
    let mut file: Vec<FileNode> = Vec::new();
    for (number, node) in forest.nodes.iter().enumerate() {
        let get = |kind| node.components.iter().find(|(of, _)| *of == kind).map(|(_, it)| it);
        let place = get(Kind::Translation).map(Translation::from_numbers);
        let turn = get(Kind::Rotation).map(Rotation::from_numbers);
        let uniform = get(Kind::Scale).map(|it| [it[0]; 3].into());
        let scale = get(Kind::NonUniformScale).map(NonUniformScale::from_numbers).or(uniform);
        let transform = Transform::from_components(
            &place.unwrap_or_default(),
            &turn.unwrap_or_default(),
            &scale.unwrap_or_default(),
        );
        file.push(FileNode { transform, children: Vec::new() });
        node.parent.into_iter().for_each(|parent| file[parent].children.push(number));
    }
    file
}

fn every_node_is_where_its_file_says(in_order_of_the_walk: bool, trial: Trial) {
    proptest!(trial.config(), |(forest in Trees::of(8).values(trial.values()))| {
        let (mut expected, mut world) = (World::default(), World::default());
        let nodes = forest.spawn(&mut expected);
        let reference = Reference::of(&expected);
        let entities = import(&file(&forest), &mut world, in_order_of_the_walk);
        let bundle = TransformSystemBundle::default();
        let mut schedule = Schedule::builder().add_transforms(bundle).build();
        schedule.execute(&mut world, &mut Resources::default());
        for (node, entity) in nodes.iter().zip(entities) {
            let got = *world.entry(entity).unwrap().get_component::<LocalToWorld>().unwrap();
            prop_assert_eq!(reference.world(*node).unwrap().mismatch(&got), None);
        }
    });
}

#[test]
fn an_importer_puts_nodes_where_the_file_says() {
    is_right(|trial| every_node_is_where_its_file_says(false, trial));
}

#[test]
fn an_importer_that_mixes_up_entities_is_found() {
    super::assert_fails(include_str!("importer.txt"), || {
        every_node_is_where_its_file_says(true, Trial::ORDINARY);
    });
}
