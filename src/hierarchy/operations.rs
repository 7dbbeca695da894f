//! What publishing leaves to be done through Legion.

use legion::{Entity, World};

use crate::components::{Children, LocalToParent, Parent, PreviousParent};

/// A component to add or remove, which moves the entity to another archetype.
pub(super) enum Operation {
    /// Its parent is none: `Parent`, `PreviousParent` and `LocalToParent` go.
    Unlink(Entity),
    AddPrevious(Entity, PreviousParent),
    RemovePrevious(Entity),
    AddChildren(Entity, Children),
    RemoveChildren(Entity),
}

impl Operation {
    pub fn apply(self, world: &mut World) {
        match self {
            Self::Unlink(entity) => {
                remove::<Parent>(world, entity);
                remove::<PreviousParent>(world, entity);
                remove::<LocalToParent>(world, entity);
            }
            Self::AddPrevious(entity, previous) => add(world, entity, previous),
            Self::RemovePrevious(entity) => remove::<PreviousParent>(world, entity),
            Self::AddChildren(entity, children) => add(world, entity, children),
            Self::RemoveChildren(entity) => remove::<Children>(world, entity),
        }
    }
}

fn add<T: Send + Sync + 'static>(world: &mut World, entity: Entity, component: T) {
    if let Some(mut entry) = world.entry(entity) {
        entry.add_component(component);
    }
}

fn remove<T: Send + Sync + 'static>(world: &mut World, entity: Entity) {
    if let Some(mut entry) = world.entry(entity)
        && entry.archetype().layout().has_component::<T>()
    {
        entry.remove_component::<T>();
    }
}
