//! Components that have to be added or removed, which moves entities to another archetype: as
//! commands for Legion.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use legion::{Entity, Resources, World, storage::Component, systems::CommandBuffer};

use crate::{
    bulk::restore,
    components::{LocalToParent, Parent, PreviousParent},
};

/// The commands of a pass.
pub(in super::super) struct Commands {
    buffer: CommandBuffer,
    /// The entities that they move.
    moved: Vec<Entity>,
}

impl Commands {
    pub fn new(buffer: CommandBuffer) -> Self {
        Self { buffer, moved: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.moved.is_empty()
    }

    /// Records that an entity gets a component.
    pub fn add<T: Component>(&mut self, entity: Entity, component: T) {
        self.moved.push(entity);
        self.buffer.add_component(entity, component);
    }

    /// Records that a component is removed, if it is there when the command comes to it.
    pub fn remove<T: Component>(&mut self, entity: Entity) {
        self.moved.push(entity);
        self.buffer.exec_mut(move |world, _| {
            if let Some(mut entry) = world.entry(entity)
                && entry.archetype().layout().has_component::<T>()
            {
                entry.remove_component::<T>();
            }
        });
    }

    /// Records that an entity's parent is none: `Parent`, `PreviousParent` and `LocalToParent` go.
    pub fn unlink(&mut self, entity: Entity) {
        self.remove::<Parent>(entity);
        self.remove::<PreviousParent>(entity);
        self.remove::<LocalToParent>(entity);
    }

    /// Does all that was recorded.
    ///
    /// # Panics
    /// If a subscriber of the user's does. The entity that was on its way is back then.
    pub fn flush(mut self, world: &mut World) {
        // They need no resources.
        let flush = AssertUnwindSafe(|| self.buffer.flush(world, &mut Resources::default()));
        if let Err(payload) = catch_unwind(flush) {
            restore(world, &self.moved);
            resume_unwind(payload);
        }
    }
}
