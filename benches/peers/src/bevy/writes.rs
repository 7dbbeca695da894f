//! Writing components that are there, with queries that are kept from tick to tick.

use std::collections::HashMap;

use bevy_ecs::prelude::*;
use bevy_transform::prelude::*;

use super::{Hp, Mover, spawn::transform_of};
use crate::workloads::{Edit, Scene};

/// Queries, and which nodes they come to.
pub struct Writes {
    all: QueryState<&'static mut Transform>,
    marked: QueryState<&'static mut Transform, With<Mover>>,
    users: QueryState<&'static mut Hp>,
    /// The nodes that are written together, in the order in which the query comes to them.
    order: Vec<u32>,
}

impl Writes {
    pub fn new(world: &mut World) -> Self {
        let (all, marked, users) = (world.query(), world.query_filtered(), world.query());
        Self { all, marked, users, order: Vec::new() }
    }

    /// Finds out in which order the nodes come that are written together, if this is not known yet.
    pub fn prepare(&mut self, world: &World, entities: &[Entity], scene: &Scene, edit: &Edit) {
        let marked = matches!(edit, Edit::Move(_)) && !scene.movers_apart().is_empty();
        if !self.order.is_empty() || !(marked || matches!(edit, Edit::MoveAll)) {
            return;
        }
        // By address, because another query may have another order.
        let at = |transform: &Transform| std::ptr::from_ref(transform).addr();
        let place = |entity: &Entity| at(world.get::<Transform>(*entity).expect("alive"));
        let nodes: HashMap<usize, u32> = entities.iter().map(place).zip(0..).collect();
        let node = |transform: &Transform| nodes[&at(transform)];
        self.order = if marked {
            self.marked.update_archetypes(world);
            self.marked.iter_manual(world).map(node).collect()
        } else {
            self.all.update_archetypes(world);
            self.all.iter_manual(world).map(node).collect()
        };
    }

    /// Every node's transform.
    pub fn all(&mut self, world: &mut World, scene: &Scene) {
        for (mut transform, &node) in self.all.iter_mut(world).zip(&self.order) {
            *transform = transform_of(&scene.trs(node));
        }
    }

    /// The transforms of marked nodes.
    pub fn marked(&mut self, world: &mut World, scene: &Scene) {
        for (mut transform, &node) in self.marked.iter_mut(world).zip(&self.order) {
            *transform = transform_of(&scene.trs(node));
        }
    }

    /// The component of those that have no transform.
    pub fn users(&mut self, world: &mut World) {
        self.users.iter_mut(world).for_each(|mut hp| hp.0 += 1.0);
    }

    /// The transforms of some, one by one.
    pub fn some(&mut self, world: &mut World, entities: &[Entity], scene: &Scene, nodes: &[u32]) {
        let mut query = self.all.query_mut(world);
        for &node in nodes {
            let mut transform = query.get_mut(entities[node as usize]).expect("alive");
            *transform = transform_of(&scene.trs(node));
        }
    }
}
