//! Thousands of archetypes in a Bevy world: entities with two of 200 marker components each.

use std::alloc::Layout;

use bevy_ecs::{
    component::{ComponentCloneBehavior, ComponentDescriptor, ComponentId, StorageType},
    prelude::*,
    ptr::OwningPtr,
};
use bevy_transform::prelude::*;

/// The markers, known to one world.
pub struct Archetypes {
    transform: ComponentId,
    hundreds: Vec<ComponentId>,
    ones: Vec<ComponentId>,
}

impl Archetypes {
    pub fn new(world: &mut World) -> Self {
        let mut markers =
            |name: &str| (0..100).map(|number| marker(world, format!("{name} {number}"))).collect();
        let (hundreds, ones) = (markers("hundreds"), markers("ones"));
        Self { transform: world.register_component::<Transform>(), hundreds, ones }
    }

    /// An entity in the archetype with a number below 10,000.
    pub fn spawn(&self, world: &mut World, number: usize, transform: Transform) -> Entity {
        let ids = [self.transform, self.hundreds[number / 100], self.ones[number % 100]];
        let mut entity = world.spawn_empty();
        OwningPtr::make(transform, |transform| {
            // SAFETY: any pointer will do for components without size.
            let marker = || unsafe { OwningPtr::new(std::ptr::NonNull::dangling()) };
            // SAFETY: the components are of this world, and the pointers are to what they say, in
            // their order.
            unsafe { entity.insert_by_ids(&ids, [transform, marker(), marker()].into_iter()) };
        });
        entity.id()
    }
}

fn marker(world: &mut World, name: String) -> ComponentId {
    // SAFETY: without size there is nothing that would have to be dropped, or could be touched by
    // another thread.
    let descriptor = unsafe {
        let (layout, clone) = (Layout::new::<()>(), ComponentCloneBehavior::Ignore);
        ComponentDescriptor::new_with_layout(
            name,
            StorageType::Table,
            layout,
            None,
            true,
            false,
            clone,
            None,
        )
    };
    world.register_component_with_descriptor(descriptor)
}
