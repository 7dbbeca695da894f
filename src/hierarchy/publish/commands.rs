//! Components that have to be added or removed, which moves entities to another archetype: as
//! commands for Legion.

use legion::{Entity, storage::Component, systems::CommandBuffer};

use crate::components::{LocalToParent, Parent, PreviousParent};

/// Records that an entity's parent is none: `Parent`, `PreviousParent` and `LocalToParent` go.
pub(super) fn unlink(commands: &mut CommandBuffer, entity: Entity) {
    remove::<Parent>(commands, entity);
    remove::<PreviousParent>(commands, entity);
    remove::<LocalToParent>(commands, entity);
}

/// Records that a component is removed where it is there. (Legion's own command panics where the
/// entity is dead, as a second row of one can be.)
pub(super) fn remove<T: Component>(commands: &mut CommandBuffer, entity: Entity) {
    commands.exec_mut(move |world, _| {
        if let Some(mut entry) = world.entry(entity)
            && entry.archetype().layout().has_component::<T>()
        {
            entry.remove_component::<T>();
        }
    });
}
