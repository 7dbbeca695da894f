//! All entities that are below one now.

use std::collections::HashSet;

use legion::{Entity, World, world::EntityHasher};

use crate::{
    bulk::remove,
    query::{QueryError, Walk},
};

/// The entity's children.
pub(super) fn children(world: &World, entity: Entity) -> Result<Vec<Entity>, QueryError> {
    if !world.contains(entity) {
        return Err(QueryError::Dead(entity));
    }
    Ok(Walk::fresh(world)?.children(entity).collect())
}

/// Despawns the entities and all their descendants; returns the number of entities.
pub(super) fn despawn(world: &mut World, roots: impl IntoIterator<Item = Entity>) -> usize {
    // A whole world can always be read.
    let Ok(walk) = Walk::fresh(world) else { return 0 };
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
}
