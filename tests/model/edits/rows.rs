//! Rows that come at once.

use legion::{
    Entity,
    storage::{
        ArchetypeSource, ArchetypeWriter, ComponentSource, EntityLayout, IntoComponentSource,
    },
};
use legion_transform::prelude::*;

/// The components of a child.
pub type Below = (LocalToWorld, LocalToParent, Translation, Parent, PreviousParent);

pub fn below(parent: Entity, at: Translation) -> Below {
    (LocalToWorld::identity(), LocalToParent::identity(), at, Parent(parent), PreviousParent(None))
}

/// A row for an entity of this id, which `World::extend` inserts before it removes the old one.
pub struct Named<S> {
    entity: Entity,
    row: S,
}

impl<S> Named<S> {
    pub fn new<T>(entity: Entity, row: T) -> Self
    where
        Option<T>: IntoComponentSource<Source = S>,
    {
        Self { entity, row: IntoComponentSource::into(Some(row)) }
    }
}

impl<S: ComponentSource> IntoComponentSource for Named<S> {
    type Source = Self;
    fn into(self) -> Self {
        self
    }
}

impl<S: ComponentSource> ArchetypeSource for Named<S> {
    type Filter = S::Filter;
    fn filter(&self) -> S::Filter {
        self.row.filter()
    }
    fn layout(&mut self) -> EntityLayout {
        self.row.layout()
    }
}

impl<S: ComponentSource> ComponentSource for Named<S> {
    fn push_components<'a>(
        &mut self,
        writer: &mut ArchetypeWriter<'a>,
        _: impl Iterator<Item = Entity>,
    ) {
        self.row.push_components(writer, std::iter::once(self.entity));
    }
}
