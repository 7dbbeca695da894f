//! All entities that are below one now.

use std::collections::HashSet;

use legion::{Entity, World, world::EntityHasher};

use super::links::with_new_links;
use crate::{bulk::remove, query::Walk};

/// Despawns the entities and all their descendants; returns the number of entities.
pub(super) fn despawn(world: &mut World, roots: impl IntoIterator<Item = Entity>) -> usize {
    with_new_links(world, |world, links| {
        let walk = Walk::with(world, links);
        let mut doomed: HashSet<Entity, EntityHasher> = HashSet::default();
        let mut order = Vec::new();
        for root in roots.into_iter().filter(|root| world.contains(*root)) {
            if doomed.insert(root) {
                order.push(root);
                let descendants = walk.descendants(root).filter(|entity| doomed.insert(*entity));
                order.extend(descendants);
            }
        }
        order.into_iter().filter(|&entity| remove(world, entity)).count()
    })
}
