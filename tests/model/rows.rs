//! Rows that come at once.

use legion::{
    Entity, World,
    storage::{
        ArchetypeSource, ArchetypeWriter, ComponentSource, EntityLayout, IntoComponentSource,
    },
};
use legion_transform::{components::PreviousParent, frames::Frame, prelude::*};

/// The components of a child.
pub type Below = (LocalToWorld, LocalToParent, Translation, Parent, PreviousParent);

pub fn below(parent: Entity, at: Translation) -> Below {
    (LocalToWorld::identity(), LocalToParent::identity(), at, Parent(parent), PreviousParent(None))
}

/// Frames, a metre from one to the next.
pub fn extend_frames(
    world: &mut World,
    count: usize,
    parent: Option<Entity>,
    mut frame: Frame,
) -> Vec<Entity> {
    let frames = (0..count).map(|_| {
        frame.position.x += 1.0;
        frame
    });
    match parent {
        Some(parent) => {
            let local = LocalToParent::identity();
            let row = |it| (LocalToWorld::identity(), local, Parent(parent), it);
            world.extend(frames.map(row)).to_vec()
        }
        None => world.extend(frames.map(|it| (LocalToWorld::identity(), it))).to_vec(),
    }
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
