//! Spawns new Legion entities, all of a kind at once, with ids that were taken before.

use legion_transform::{
    components::{Children, LocalToParent, LocalToWorld, Parent, PreviousParent},
    legion::{Entity, World},
    spawn::{ComponentTuple, insert_with_ids},
};

use super::{
    clean::Trs,
    nodes::{Form, Node, NodeIndex, SceneNode},
};

/// New entities, by their components. `PreviousParent`, and `Children` for parents, are there from
/// the beginning, so that the bundle need not move the entities to another archetype.
#[derive(Default)]
pub(super) struct Spawn {
    roots: Vec<New>,
    roots_with_children: Vec<New>,
    linked: Vec<New>,
    linked_with_children: Vec<New>,
}

/// The source of a new entity's components.
struct New {
    entity: Entity,
    scene: SceneNode,
    trs: Trs,
    /// The entity itself where it has no parent.
    parent: Entity,
}

impl Spawn {
    pub fn add(&mut self, node: &mut Node, index: NodeIndex, trs: Trs, link: Option<Entity>) {
        (node.written, node.form) = (trs, link.map_or(Form::Root, Form::Linked));
        (node.is_rewritten, node.spawned) = (false, true);
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

/// Inserts entities that have the same components. Their ids are the mirror's own, and of entities
/// that are not there.
fn insert<T: ComponentTuple>(world: &mut World, group: Vec<New>, components: impl FnMut(New) -> T) {
    let ids: Vec<Entity> = group.iter().map(|new| new.entity).collect();
    let inserted = insert_with_ids(world, &ids, group.into_iter().map(components));
    debug_assert_eq!(inserted, Ok(()));
}
