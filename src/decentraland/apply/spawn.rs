//! New Legion entities, all of a kind at once and with ids that were chosen before.

use legion::{
    Entity, World,
    storage::{ArchetypeSource, ArchetypeWriter, ComponentSource, EntityLayout, IntoComponentSource},
};
use nalgebra::Matrix4;

use super::{
    clean::Trs,
    nodes::{Form, Node, NodeIndex, SceneNode},
};
use crate::components::{
    Children, LocalToParent, LocalToWorld, NonUniformScale, Parent, PreviousParent, Rotation, Translation,
};

type Root = (LocalToWorld, Translation, Rotation, NonUniformScale, SceneNode);
type RootWithChildren = (LocalToWorld, Translation, Rotation, NonUniformScale, SceneNode, Children);
type Linked = (LocalToWorld, LocalToParent, Translation, Rotation, NonUniformScale, SceneNode, Parent, PreviousParent);

/// The matrix of an entity that others hang off, until the bundle has run. It may come back under the id of one that was
/// despawned, and must differ from what it will be for the bundle to see that they have to follow.
pub(super) const UNCOMPUTED: LocalToWorld =
    LocalToWorld(Matrix4::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0));

/// What is to be spawned. `PreviousParent`, and `Children` where there will be some, come along from the beginning, so that the
/// bundle need not move the entities to another archetype.
#[derive(Default)]
pub(super) struct Spawn {
    roots: Rows<Root>,
    roots_with_children: Rows<RootWithChildren>,
    linked: Rows<Linked>,
}

impl Spawn {
    pub fn add(&mut self, node: &mut Node, index: NodeIndex, trs: Trs, link: Option<Entity>) {
        let entity = node.entity;
        (node.written, node.form) = (trs, link.map_or(Form::Root, Form::Linked));
        let (translation, rotation, scale) = (trs.translation(), trs.rotation(), trs.scale());
        let world = if node.children > 0 { UNCOMPUTED } else { LocalToWorld::identity() };
        let scene = SceneNode { scene: node.scene, index };
        if let Some(parent) = link {
            let row = (
                world,
                LocalToParent::identity(),
                translation,
                rotation,
                scale,
                scene,
                Parent(parent),
                PreviousParent::default(),
            );
            self.linked.push(entity, row);
        } else if node.children > 0 {
            let row = (world, translation, rotation, scale, scene, Children::new());
            self.roots_with_children.push(entity, row);
        } else {
            self.roots.push(entity, (world, translation, rotation, scale, scene));
        }
    }

    pub fn into_world(self, world: &mut World) {
        self.roots.into_world(world);
        self.roots_with_children.into_world(world);
        self.linked.into_world(world);
    }
}

/// Entities with the same components.
struct Rows<T> {
    entities: Vec<Entity>,
    components: Vec<T>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { entities: Vec::new(), components: Vec::new() }
    }
}

impl<T> Rows<T> {
    fn push(&mut self, entity: Entity, components: T) {
        self.entities.push(entity);
        self.components.push(components);
    }

    fn into_world(self, world: &mut World)
    where
        Vec<T>: IntoComponentSource,
    {
        if !self.entities.is_empty() {
            world.extend(Named { components: IntoComponentSource::into(self.components), entities: self.entities });
        }
    }
}

/// Components for entities whose ids are known. Legion would choose ids of its own, but then nobody could name an entity as
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
