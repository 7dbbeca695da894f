//! All entities that are below one now.

use std::collections::HashSet;

use legion::{Entity, World, world::EntityHasher};

use crate::{
    engine::{remove, with_other_links},
    query::Walk,
};

/// Despawns the entities and all their descendants; returns the number of entities.
pub(super) fn despawn(world: &mut World, roots: impl IntoIterator<Item = Entity>) -> usize {
    let roots: Vec<Entity> = roots.into_iter().filter(|root| world.contains(*root)).collect();
    if roots.is_empty() {
        return 0;
    }
    with_other_links(world, |world, links| {
        let walk = Walk::with(world, links);
        let mut order = Vec::new();
        if let [root] = roots[..] {
            order.push(root);
            order.extend(walk.descendants(root));
        } else {
            // A root may be below another one, or named twice.
            let mut doomed: HashSet<Entity, EntityHasher> = HashSet::default();
            for root in roots {
                if doomed.insert(root) {
                    order.push(root);
                    order.extend(walk.descendants(root).filter(|entity| doomed.insert(*entity)));
                }
            }
        }
        order.into_iter().filter(|&entity| remove(world, entity)).count()
    })
}
