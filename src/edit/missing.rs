//! Giving entities the `LocalToWorld` that an edit needs.

use legion::{Entity, World};

use crate::components::LocalToWorld;

/// Adds `LocalToWorld` to the living entities that lack it, and returns them.
pub(super) fn add_local_to_world(world: &mut World, entities: &[Entity]) -> Vec<Entity> {
    let mut added = Vec::new();
    for &entity in entities {
        let Some(mut entry) = world.entry(entity) else { continue };
        if !entry.archetype().layout().has_component::<LocalToWorld>() {
            entry.add_component(LocalToWorld::identity());
            added.push(entity);
        }
    }
    added
}

/// Takes `LocalToWorld` away again from the entities that were given one.
pub(super) fn remove_local_to_world(world: &mut World, entities: &[Entity]) {
    for &entity in entities {
        if let Some(mut entry) = world.entry(entity) {
            entry.remove_component::<LocalToWorld>();
        }
    }
}
