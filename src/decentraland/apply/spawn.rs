//! New Legion entities, all of a kind at once and with ids that were chosen before.

use std::{iter::Map, vec::IntoIter};

use legion::{
    Entity, World,
    storage::{ArchetypeSource, ArchetypeWriter, ComponentSource, EntityLayout, IntoComponentSource},
};

use super::{
    clean::Trs,
    nodes::{Form, Node, NodeIndex, SceneNode},
    reading::Set,
};
use crate::components::{Children, LocalToParent, LocalToWorld, Parent, PreviousParent};

/// What is to be spawned, by what it consists of. `PreviousParent`, and `Children` where there will be some, come along from
/// the beginning, so that the bundle need not move the entities to another archetype.
#[derive(Default)]
pub(super) struct Spawn {
    roots: Vec<New>,
    roots_with_children: Vec<New>,
    linked: Vec<New>,
    linked_with_children: Vec<New>,
}

/// What makes a new entity's components.
struct New {
    entity: Entity,
    scene: SceneNode,
    trs: Trs,
    /// Itself where there is none.
    parent: Entity,
}

impl Spawn {
    pub fn add(&mut self, node: &mut Node, index: NodeIndex, trs: Trs, link: Option<Entity>) {
        (node.written, node.form) = (trs, link.map_or(Form::Root, Form::Linked));
        (node.lacking, node.cleaned.two_scales, node.spawned) = (Set::NONE, false, true);
        let (entity, scene) = (node.entity, SceneNode { scene: node.scene, index });
        let group = match (link, node.children) {
            (None, 0) => &mut self.roots,
            (None, _) => &mut self.roots_with_children,
            (Some(_), 0) => &mut self.linked,
            (Some(_), _) => &mut self.linked_with_children,
        };
        group.push(New { entity, scene, trs, parent: link.unwrap_or(entity) });
    }

    #[rustfmt::skip] // A line a component.
    pub fn into_world(self, world: &mut World) {
        insert(world, self.roots, |new| (
            LocalToWorld::identity(),
            new.trs.translation(), new.trs.rotation(), new.trs.scale(),
            new.scene,
        ));
        insert(world, self.roots_with_children, |new| (
            LocalToWorld::identity(),
            new.trs.translation(), new.trs.rotation(), new.trs.scale(),
            new.scene, Children::new(),
        ));
        insert(world, self.linked, |new| (
            LocalToWorld::identity(), LocalToParent::identity(),
            new.trs.translation(), new.trs.rotation(), new.trs.scale(),
            new.scene, Parent(new.parent), PreviousParent::default(),
        ));
        insert(world, self.linked_with_children, |new| (
            LocalToWorld::identity(), LocalToParent::identity(),
            new.trs.translation(), new.trs.rotation(), new.trs.scale(),
            new.scene, Parent(new.parent), PreviousParent::default(), Children::new(),
        ));
    }
}

/// Inserts entities that have the same components.
fn insert<F, T>(world: &mut World, group: Vec<New>, components: F)
where
    F: FnMut(New) -> T,
    Map<IntoIter<New>, F>: IntoComponentSource,
{
    if group.is_empty() {
        return;
    }
    let entities = group.iter().map(|new| new.entity).collect();
    let components = IntoComponentSource::into(group.into_iter().map(components));
    world.extend(Named { components, entities });
}

/// Components for entities whose ids are known. Legion would choose ids of its own, but then no caller could name an entity as
/// its parent before that is spawned.
struct Named<S> {
    components: S,
    entities: Vec<Entity>,
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
        self.components.filter()
    }

    fn layout(&mut self) -> EntityLayout {
        self.components.layout()
    }
}

impl<S: ComponentSource> ComponentSource for Named<S> {
    fn push_components<'a>(&mut self, writer: &mut ArchetypeWriter<'a>, _: impl Iterator<Item = Entity>) {
        self.components.push_components(writer, self.entities.drain(..));
    }
}
