//! A subtree to be spawned, collected before anything is inserted.

use legion::{Entity, World, world::Allocate};

use super::{
    rows::{Collected, Rows},
    tuple::ComponentTuple,
};
use crate::components::Children;

/// Rows whose type is forgotten.
trait Batch: Send + Sync {
    fn insert(self: Box<Self>, children: Children, world: &mut World);
}

impl<T: ComponentTuple> Batch for Collected<T> {
    fn insert(self: Box<Self>, children: Children, world: &mut World) {
        self.with_children(children).insert(world, |_| ());
    }
}

/// The entities of a subtree, parents first.
#[derive(Default)]
pub struct Tree {
    ids: Allocate,
    /// With the children of what is a single row.
    batches: Vec<(Box<dyn Batch>, Children)>,
}

impl Tree {
    /// A subtree and its root, which may get a parent that is none of the tree.
    pub fn new<T: ComponentTuple>(
        parent: Option<Entity>,
        root: T,
        children: impl FnOnce(&mut TreeBuilder<'_>),
    ) -> (Self, Entity) {
        let mut tree = Self::default();
        let entity = tree.add(Rows::new(parent, [root]))[0];
        children(&mut TreeBuilder { tree: &mut tree, entity, batch: 0 });
        (tree, entity)
    }

    pub fn insert(self, world: &mut World) {
        for (rows, children) in self.batches {
            rows.insert(children, world);
        }
    }

    fn add<T: ComponentTuple>(&mut self, rows: Rows<impl Iterator<Item = T>>) -> Vec<Entity> {
        let rows = rows.collect(&mut self.ids);
        let entities = Vec::from_iter(rows.ids().iter().copied());
        self.batches.push((Box::new(rows), Children::new()));
        entities
    }
}

/// Adds children to one entity of a subtree that is to be spawned; made by
/// [`SpawnTransforms::push_tree`](super::SpawnTransforms::push_tree).
pub struct TreeBuilder<'t> {
    tree: &'t mut Tree,
    entity: Entity,
    /// The entity's batch.
    batch: usize,
}

impl TreeBuilder<'_> {
    /// The entity whose children are added: known already, not yet in the world.
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.entity
    }

    /// A child.
    pub fn push_child<T: ComponentTuple>(&mut self, components: T) -> Entity {
        self.add(Rows::new(Some(self.entity), [components]))[0]
    }

    /// A child for each row, together.
    pub fn extend_children<T: ComponentTuple>(&mut self, rows: impl IntoIterator<Item = T>) -> Vec<Entity> {
        self.add(Rows::new(Some(self.entity), rows))
    }

    /// A child with children of its own.
    pub fn push_child_tree<T: ComponentTuple>(
        &mut self,
        components: T,
        children: impl FnOnce(&mut TreeBuilder<'_>),
    ) -> Entity {
        let entity = self.push_child(components);
        let batch = self.tree.batches.len() - 1;
        children(&mut TreeBuilder { tree: self.tree, entity, batch });
        entity
    }

    fn add<T: ComponentTuple>(&mut self, rows: Rows<impl Iterator<Item = T>>) -> Vec<Entity> {
        let entities = self.tree.add(rows.listed());
        self.tree.batches[self.batch].1.0.extend_from_slice(&entities);
        entities
    }
}
