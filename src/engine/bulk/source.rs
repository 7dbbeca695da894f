//! Rows of an archetype with a number, whole columns at a time.

use std::{cell::Cell, sync::LazyLock};

use legion::{
    EntityStore, World,
    query::{FilterResult, LayoutFilter},
    storage::{ArchetypeWriter, ComponentIndex, ComponentTypeId},
};

use crate::components::LocalToWorld;

/// Matches the archetype with a number. Legion asks about each archetype, in order, so it counts
/// how often it was asked.
pub(super) struct Numbered {
    number: u32,
    asked: Cell<u32>,
}

/// The archetype with a number.
pub(super) fn numbered(number: u32) -> Numbered {
    Numbered { number, asked: Cell::new(0) }
}

impl LayoutFilter for Numbered {
    fn matches_layout(&self, _: &[ComponentTypeId]) -> FilterResult {
        FilterResult::Match(self.asked.replace(self.asked.get() + 1) == self.number)
    }
}

/// The index of row 0: only Legion can make one, so an entity is pushed to read it, once.
pub(super) fn row_0() -> ComponentIndex {
    static ROW_0: LazyLock<ComponentIndex> = LazyLock::new(|| {
        let mut world = World::default();
        let entity = world.push((LocalToWorld::identity(),));
        world.entry_ref(entity).expect("it was just pushed").location().component()
    });
    *ROW_0
}

/// Claims columns without writing them: Legion aborts if a writer leaves one unclaimed.
pub(super) fn claim_all(writer: &mut ArchetypeWriter<'_>, types: &[ComponentTypeId]) {
    for &component in types {
        let _ = writer.claim_components_unknown(component);
    }
}
