//! A subtree to be spawned, collected before anything is inserted.

use std::{any::Any, fmt};

use legion::{Entity, World};

use super::{
    ids::{next_id, take_ids},
    rows::{Rows, collect},
    tuple::ComponentTuple,
};
use crate::{bulk::Panics, components::Children};

/// Rows of one type below one parent, inserted together.
struct Siblings<T> {
    parent: Option<Entity>,
    /// Whether the parent is in the tree.
    is_listed: bool,
    entities: Vec<Entity>,
    tuples: Vec<T>,
}

/// [`Siblings`] of any type.
trait Batch: Any + Send + Sync {
    fn insert(self: Box<Self>, children: Children, world: &mut World);
}

impl<T: ComponentTuple> Batch for Siblings<T> {
    fn insert(self: Box<Self>, children: Children, world: &mut World) {
        let rows =
            Rows::many(self.parent, self.tuples).with_ids(self.entities).listed(self.is_listed);
        rows.with_children(children).insert(world, |_| ());
    }
}

/// The entities of a subtree, parents first.
#[derive(Default)]
pub struct Tree {
    /// Each batch with the children of its row, if it has a single row.
    batches: Vec<(Box<dyn Batch>, Children)>,
}

impl Tree {
    /// A subtree and its root, which may get a parent from outside the tree.
    pub fn new<T: ComponentTuple>(
        parent: Option<Entity>,
        root: T,
        children: impl FnOnce(&mut TreeBuilder<'_>),
    ) -> (Self, Entity) {
        let mut tree = Self::default();
        let entity = next_id();
        tree.begin(Siblings {
            parent,
            is_listed: false,
            entities: vec![entity],
            tuples: vec![root],
        });
        children(&mut TreeBuilder { tree: &mut tree, entity, batch: 0 });
        (tree, entity)
    }

    /// Inserts all batches, also behind one during which a subscriber of the user's panicked.
    pub fn insert(self, world: &mut World) {
        let mut panics = Panics::default();
        for (rows, children) in self.batches {
            panics.catch(|| rows.insert(children, world));
        }
        panics.go_on();
    }

    fn begin<T: ComponentTuple>(&mut self, siblings: Siblings<T>) {
        self.batches.push((Box::new(siblings), Children::new()));
    }

    /// Adds children of an entity of the tree. They join the last batch if that has siblings of the
    /// same type, without children.
    fn add<T: ComponentTuple>(
        &mut self,
        parent: Entity,
        entities: impl IntoIterator<Item = Entity>,
        tuples: impl IntoIterator<Item = T>,
    ) {
        let last = self.batches.last_mut().filter(|(_, children)| children.is_empty());
        let last = last
            .and_then(|(batch, _)| (&mut **batch as &mut dyn Any).downcast_mut::<Siblings<T>>());
        match last.filter(|siblings| siblings.parent == Some(parent)) {
            Some(siblings) => {
                siblings.entities.extend(entities);
                siblings.tuples.extend(tuples);
            }
            None => {
                let (entities, tuples) =
                    (entities.into_iter().collect(), tuples.into_iter().collect());
                self.begin(Siblings { parent: Some(parent), is_listed: true, entities, tuples });
            }
        }
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

impl fmt::Debug for TreeBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeBuilder").field("entity", &self.entity).finish_non_exhaustive()
    }
}

impl TreeBuilder<'_> {
    /// The entity whose children are added: known already, not yet in the world.
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.entity
    }

    /// A child.
    pub fn push_child<T: ComponentTuple>(&mut self, components: T) -> Entity {
        let entity = next_id();
        self.tree.add(self.entity, [entity], [components]);
        self.list(&[entity]);
        entity
    }

    /// A child for each row, together.
    pub fn extend_children<T: ComponentTuple>(
        &mut self,
        rows: impl IntoIterator<Item = T>,
    ) -> Vec<Entity> {
        let tuples = collect(rows);
        let entities = take_ids(tuples.len());
        self.tree.add(self.entity, entities.iter().copied(), tuples);
        self.list(&entities);
        entities
    }

    /// A child with children of its own.
    pub fn push_child_tree<T: ComponentTuple>(
        &mut self,
        components: T,
        children: impl FnOnce(&mut TreeBuilder<'_>),
    ) -> Entity {
        let entity = next_id();
        let (entities, tuples) = (vec![entity], vec![components]);
        self.tree.begin(Siblings { parent: Some(self.entity), is_listed: true, entities, tuples });
        self.list(&[entity]);
        let batch = self.tree.batches.len() - 1;
        children(&mut TreeBuilder { tree: self.tree, entity, batch });
        entity
    }

    fn list(&mut self, children: &[Entity]) {
        self.tree.batches[self.batch].1.0.extend_from_slice(children);
    }
}
