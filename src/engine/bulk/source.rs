//! Sources of rows: how whole columns are put into Legion's `extend`.
//!
//! `extend` asks a source for its layout and its filter, chooses or makes an archetype, and calls
//! the source with a writer for that archetype. The crate's source hands the writer to a closure.

use std::{cell::Cell, sync::LazyLock};

use legion::{
    Entity, EntityStore, World,
    query::{FilterResult, LayoutFilter},
    storage::{
        ArchetypeSource, ArchetypeWriter, ComponentIndex, ComponentSource, ComponentTypeId,
        EntityLayout, IntoComponentSource,
    },
};

use crate::components::LocalToWorld;

/// The archetype that a source of rows is for.
pub(super) enum Destination {
    /// The first of a layout, or a new one.
    OfLayout(EntityLayout),
    /// The one with a number. Legion asks the filter about each archetype, in order, so the filter
    /// counts how often it was called.
    Numbered { number: u32, seen: Cell<u32> },
}

impl Destination {
    pub fn numbered(number: u32) -> Self {
        Self::Numbered { number, seen: Cell::new(0) }
    }
}

impl LayoutFilter for Destination {
    fn matches_layout(&self, components: &[ComponentTypeId]) -> FilterResult {
        match self {
            Self::OfLayout(layout) => layout.matches_layout(components),
            Self::Numbered { number, seen } => {
                FilterResult::Match(seen.replace(seen.get() + 1) == *number)
            }
        }
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

/// A source of rows for one archetype, which `write` fills.
pub(super) struct Source<F> {
    target: Destination,
    write: F,
}

impl<F: FnMut(&mut ArchetypeWriter<'_>)> Source<F> {
    pub fn new(target: Destination, write: F) -> Self {
        Self { target, write }
    }
}

impl<F: FnMut(&mut ArchetypeWriter<'_>)> ArchetypeSource for Source<F> {
    type Filter = Destination;
    fn filter(&self) -> Destination {
        match &self.target {
            Destination::OfLayout(layout) => Destination::OfLayout(layout.clone()),
            Destination::Numbered { number, .. } => Destination::numbered(*number),
        }
    }
    fn layout(&mut self) -> EntityLayout {
        match &self.target {
            Destination::OfLayout(layout) => layout.clone(),
            Destination::Numbered { .. } => unreachable!("an archetype with this number is there"),
        }
    }
}

impl<F: FnMut(&mut ArchetypeWriter<'_>)> ComponentSource for Source<F> {
    fn push_components<'a>(
        &mut self,
        writer: &mut ArchetypeWriter<'a>,
        _: impl Iterator<Item = Entity>,
    ) {
        (self.write)(writer);
    }
}

impl<F: FnMut(&mut ArchetypeWriter<'_>)> IntoComponentSource for Source<F> {
    type Source = Self;
    fn into(self) -> Self {
        self
    }
}

/// Claims columns without writing them: Legion aborts if a writer leaves one unclaimed.
pub(super) fn claim_all(writer: &mut ArchetypeWriter<'_>, types: &[ComponentTypeId]) {
    for &component in types {
        let _ = writer.claim_components_unknown(component);
    }
}
