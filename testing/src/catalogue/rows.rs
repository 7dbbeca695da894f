//! Rows that come by ways which the crate's own calls do not take.

use legion::{
    Entity, Schedule, World,
    storage::{
        ArchetypeSource, ArchetypeWriter, ComponentSource, EntityLayout, IntoComponentSource,
    },
};
use legion_transform::{components::PreviousParent, prelude::*};

/// The components of a child.
pub(super) type Below = (LocalToWorld, LocalToParent, Translation, Parent);

pub(super) fn below(parent: Entity) -> Below {
    let at = Translation::new(0.5, 0.0, 0.0);
    (LocalToWorld::identity(), LocalToParent::identity(), at, Parent(parent))
}

/// The components of a child, and what the bundle notes of its parent.
pub(super) fn noted(
    parent: Entity,
    record: Option<Entity>,
) -> (LocalToWorld, LocalToParent, Translation, Parent, PreviousParent) {
    let (world, local, at, parent) = below(parent);
    (world, local, at, parent, PreviousParent::from(record))
}

/// Gives an entity of this id other components: those of a child, or of a root.
pub(super) fn replace(
    world: &mut World,
    entity: Entity,
    parent: Option<Entity>,
    by_source: bool,
) -> Option<()> {
    let root = (LocalToWorld::identity(), Scale(0.5));
    let parent = parent.filter(|parent| *parent != entity);
    match (parent.map(|parent| noted(parent, None)), by_source) {
        (Some(row), false) => world.push_with_id(entity, row),
        (Some(row), true) => drop(world.extend(Named::new(entity, row))),
        (None, false) => world.push_with_id(entity, root),
        (None, true) => drop(world.extend(Named::new(entity, root))),
    }
    Some(())
}

/// Another world that has run, with a family and one whose parent is left behind.
pub(super) fn other_world() -> World {
    let mut other = World::default();
    let root = other.push_transform((Translation::new(5.0, 0.0, 0.0), Children::new()));
    let child = other.push_child(root, (Translation::new(1.0, 0.0, 0.0), Scale(1.25)));
    other.push_child(child, (Scale(3.0),));
    let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
    schedule.execute(&mut other, &mut legion::Resources::default());
    other
}

/// A row for an entity of this id, which `World::extend` inserts before it removes the old one.
pub(super) struct Named<S> {
    entity: Entity,
    row: S,
}

impl<S> Named<S> {
    pub(super) fn new<T>(entity: Entity, row: T) -> Self
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
