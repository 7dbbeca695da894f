//! Writing components that are there, with queries that are kept from tick to tick.

use std::collections::HashMap;

use legion::{Entity, IntoQuery, Query, Read, World, Write, query::ChunkView};
use legion_transform::prelude::*;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::{Hp, Mover};
use crate::workloads::{poses::Trs, scene::Scene};

/// Translation, rotation and scale.
type Pose = (Write<Translation>, Write<Rotation>, Write<Scale>);

/// Queries, and which nodes they come to.
#[derive(Default)]
pub struct Writes {
    all: Query<Pose>,
    marked: Query<(Pose, Read<Mover>)>,
    parents: Query<Write<Parent>>,
    users: Query<Write<Hp>>,
    /// The nodes that are written together, in the order in which the query comes to them.
    order: Vec<u32>,
    /// Where each node is: the how-manieth chunk of the query, and the row in it. For scenes in
    /// which all stay there.
    places: Vec<(usize, usize)>,
}

impl Writes {
    /// Finds out in which order the nodes come that are written together, if this is not known yet:
    /// all, or those with a marker.
    pub fn find_order(&mut self, world: &World, entities: &[Entity], marked: bool) {
        if self.order.is_empty() {
            let nodes = nodes(entities);
            self.order = if marked {
                <(Entity, &Mover)>::query().iter(world).map(|row| nodes[row.0]).collect()
            } else {
                let mut poses = <(Entity, &Translation, &Rotation, &Scale)>::query();
                poses.iter(world).map(|row| nodes[row.0]).collect()
            };
        }
    }

    /// Finds out where each node is that is written in the columns, if this is not known yet.
    pub fn find_places(&mut self, world: &World, entities: &[Entity]) {
        if self.places.is_empty() {
            let nodes = nodes(entities);
            self.places = vec![(0, 0); entities.len()];
            let mut poses = <(&Translation, &Rotation, &Scale)>::query();
            for (number, chunk) in poses.iter_chunks(world).enumerate() {
                for (row, entity) in chunk.archetype().entities().iter().enumerate() {
                    self.places[nodes[entity] as usize] = (number, row);
                }
            }
        }
    }

    /// The poses of all nodes, or of those with a marker.
    pub fn together(&mut self, world: &mut World, scene: &Scene, marked: bool) {
        let mut order = self.order.iter();
        let mut write = |(translation, rotation, scale): (&mut _, &mut _, &mut _)| {
            let node = *order.next().expect("a node for each row");
            (*translation, *rotation, *scale) = components(&scene.trs(node));
        };
        match marked {
            true => self.marked.for_each_mut(world, |(pose, _)| write(pose)),
            false => self.all.for_each_mut(world, write),
        }
    }

    /// The components of these nodes, one by one.
    pub fn some(&mut self, world: &mut World, entities: &[Entity], scene: &Scene, nodes: &[u32]) {
        for &node in nodes {
            let row = self.all.get_mut(world, entities[node as usize]).expect("alive");
            (*row.0, *row.1, *row.2) = components(&scene.trs(node));
        }
    }

    /// The same, by their places in the archetypes' columns, which all count as written.
    pub fn some_in_columns(&mut self, world: &mut World, scene: &Scene, nodes: &[u32]) {
        let mut columns: Vec<_> =
            self.all.iter_chunks_mut(world).map(ChunkView::into_components).collect();
        for &node in nodes {
            let (chunk, row) = self.places[node as usize];
            let (translations, rotations, scales) = &mut columns[chunk];
            (translations[row], rotations[row], scales[row]) = components(&scene.trs(node));
        }
    }

    /// The component of those that have no transform.
    pub fn users(&mut self, world: &mut World) {
        self.users.for_each_mut(world, |hp| hp.0 += 1.0);
    }

    /// These nodes' parents, one by one.
    pub fn parents<'a>(
        &mut self,
        world: &mut World,
        entities: &[Entity],
        scene: &Scene,
        nodes: impl IntoIterator<Item = &'a u32>,
    ) {
        for &node in nodes {
            let parent = self.parents.get_mut(world, entities[node as usize]).expect("alive");
            *parent = Parent(entities[scene.parents[node as usize] as usize]);
        }
    }
}

fn nodes(entities: &[Entity]) -> HashMap<Entity, u32> {
    entities.iter().copied().zip(0..).collect()
}

/// A pose as components.
pub fn components(trs: &Trs) -> (Translation, Rotation, Scale) {
    let [x, y, z] = trs.translation;
    let [i, j, k, w] = trs.rotation;
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k));
    (Translation::new(x, y, z), Rotation(rotation), Scale(trs.scale))
}

/// A pose as a transform.
pub fn transform(trs: &Trs) -> Transform {
    let (translation, rotation, Scale(scale)) = components(trs);
    Transform::from_translation(translation.0.vector)
        .with_rotation(rotation)
        .with_scale(Vector3::repeat(scale))
}
