//! Writing components that are there, with queries that are kept from tick to tick.

use std::collections::HashMap;

use legion::{Entity, IntoQuery, Query, Read, World, Write};
use legion_transform::prelude::*;
use nalgebra::{Quaternion, UnitQuaternion};

use super::Mover;
use crate::workloads::{
    poses::Trs,
    scene::{Edit, Scene},
};

/// Queries, and which nodes they come to.
pub struct Writes {
    all: Query<(Write<Translation>, Write<Rotation>, Write<Scale>)>,
    marked: Query<(Write<Translation>, Write<Rotation>, Write<Scale>, Read<Mover>)>,
    parents: Query<Write<Parent>>,
    /// The nodes that are written together, in the order in which the query comes to them.
    order: Vec<u32>,
}

impl Default for Writes {
    fn default() -> Self {
        Self { all: IntoQuery::query(), marked: IntoQuery::query(), parents: IntoQuery::query(), order: Vec::new() }
    }
}

impl Writes {
    /// Finds out in which order the nodes come that are written together, if this is not known yet.
    pub fn prepare(&mut self, world: &World, entities: &[Entity], scene: &Scene, edit: &Edit) {
        let marked = matches!(edit, Edit::Move(_)) && !scene.movers_apart().is_empty();
        if !self.order.is_empty() || !(marked || matches!(edit, Edit::MoveAll)) {
            return;
        }
        let nodes: HashMap<Entity, u32> = entities.iter().copied().zip(0..).collect();
        if marked {
            let mut query = <(Entity, &Translation, &Rotation, &Scale, &Mover)>::query();
            self.order = query.iter(world).map(|row| nodes[row.0]).collect();
        } else {
            let mut query = <(Entity, &Translation, &Rotation, &Scale)>::query();
            self.order = query.iter(world).map(|row| nodes[row.0]).collect();
        }
    }

    /// Every node's translation, rotation and scale.
    pub fn all(&mut self, world: &mut World, scene: &Scene) {
        let mut order = self.order.iter();
        self.all.for_each_mut(world, |(translation, rotation, scale)| {
            let node = *order.next().expect("a node for each row");
            (*translation, *rotation, *scale) = components(&scene.trs(node));
        });
    }

    /// Likewise of those that are marked.
    pub fn marked(&mut self, world: &mut World, scene: &Scene) {
        let mut order = self.order.iter();
        self.marked.for_each_mut(world, |(translation, rotation, scale, _)| {
            let node = *order.next().expect("a node for each row");
            (*translation, *rotation, *scale) = components(&scene.trs(node));
        });
    }

    /// Likewise of some, one by one.
    pub fn some(&mut self, world: &mut World, entities: &[Entity], scene: &Scene, nodes: &[u32]) {
        for &node in nodes {
            let row = self.all.get_mut(world, entities[node as usize]).expect("alive");
            (*row.0, *row.1, *row.2) = components(&scene.trs(node));
        }
    }

    /// These nodes' parents.
    pub fn parents<'a>(
        &mut self,
        world: &mut World,
        entities: &[Entity],
        scene: &Scene,
        nodes: impl IntoIterator<Item = &'a u32>,
    ) {
        for &node in nodes {
            let parent = Parent(entities[scene.parents[node as usize] as usize]);
            *self.parents.get_mut(world, entities[node as usize]).expect("alive") = parent;
        }
    }
}

/// A pose as components.
pub fn components(trs: &Trs) -> (Translation, Rotation, Scale) {
    let [x, y, z] = trs.translation;
    let [i, j, k, w] = trs.rotation;
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k));
    (Translation::new(x, y, z), Rotation(rotation), Scale(trs.scale))
}
