//! A subtree to be spawned, collected before anything is inserted.

use std::{any::Any, fmt, iter, mem};

use legion::{Entity, World};

use super::{
    ids::{next_id, take_ids},
    rows::{NewRows, collect},
    tuple::ComponentTuple,
};
use crate::{components::Children, engine::Panics};

/// The root, and its parent outside the tree.
struct Root<T> {
    parent: Option<Entity>,
    entity: Entity,
    tuple: T,
}

/// All other entities of one type, in the order of the calls, whatever their parents are.
struct TypedRows<T> {
    tuples: Vec<T>,
    entities: Vec<Entity>,
    parents: Vec<Entity>,
    /// Rows that may have children, ascending, each with the number of its list.
    lists: Vec<(usize, usize)>,
}

/// A [`Root`] or a [`TypedRows`] of any type.
trait Insert: Any + Send + Sync {
    /// Inserts its rows. Those with children take them from the lists.
    fn insert(self: Box<Self>, lists: &mut [Children], world: &mut World, panics: &mut Panics);
}

impl<T: ComponentTuple> Insert for Root<T> {
    fn insert(self: Box<Self>, lists: &mut [Children], world: &mut World, panics: &mut Panics) {
        let children = Some(mem::take(&mut lists[0])).filter(|children| !children.is_empty());
        let row = NewRows::one(self.parent, self.tuple).with_ids(vec![self.entity]);
        panics.catch(|| row.with_children(children.into_iter().collect()).insert(world, |_| ()));
    }
}

impl<T: ComponentTuple> Insert for TypedRows<T> {
    fn insert(mut self: Box<Self>, lists: &mut [Children], world: &mut World, panics: &mut Panics) {
        self.lists.retain(|&(_, list)| !lists[list].is_empty());
        let (mut leaves, mut children) = (*self, Vec::new());
        if !leaves.lists.is_empty() {
            // Rows with children go to another archetype.
            let mut listed = mem::take(&mut leaves.lists).into_iter().peekable();
            let (mut parents, all) = (Self::default(), mem::take(&mut leaves));
            let rows = iter::zip(all.tuples, iter::zip(all.entities, all.parents));
            for (row, (tuple, (entity, parent))) in rows.enumerate() {
                match listed.next_if(|&(listed, _)| listed == row) {
                    Some((_, list)) => {
                        children.push(mem::take(&mut lists[list]));
                        parents.push(tuple, entity, parent);
                    }
                    None => leaves.push(tuple, entity, parent),
                }
            }
            panics.catch(|| parents.insert_all(children, world));
        }
        panics.catch(|| leaves.insert_all(Vec::new(), world));
    }
}

impl<T> Default for TypedRows<T> {
    fn default() -> Self {
        Self { tuples: vec![], entities: vec![], parents: vec![], lists: vec![] }
    }
}

impl<T: ComponentTuple> TypedRows<T> {
    fn push(&mut self, tuple: T, entity: Entity, parent: Entity) {
        self.tuples.push(tuple);
        self.entities.push(entity);
        self.parents.push(parent);
    }

    fn insert_all(self, children: Vec<Children>, world: &mut World) {
        let rows = NewRows::many(None, self.tuples).with_ids(self.entities).below(self.parents);
        rows.with_children(children).insert(world, |_| ());
    }
}

/// The entities of a subtree.
#[derive(Default)]
pub struct Tree {
    /// The root, then a batch for each type.
    batches: Vec<Box<dyn Insert>>,
    /// The children of each entity that may have some; first those of the root.
    lists: Vec<Children>,
}

impl Tree {
    /// A subtree and its root, which may get a parent from outside the tree.
    pub fn new<T: ComponentTuple>(
        parent: Option<Entity>,
        tuple: T,
        children: impl FnOnce(&mut TreeBuilder<'_>),
    ) -> (Self, Entity) {
        let mut tree = Self::default();
        let entity = next_id();
        tree.batches.push(Box::new(Root { parent, entity, tuple }));
        tree.lists.push(Children::new());
        children(&mut TreeBuilder { tree: &mut tree, entity, list: 0 });
        (tree, entity)
    }

    /// Inserts all batches, also behind one during which a subscriber of the user's panicked.
    pub fn insert(mut self, world: &mut World) {
        let mut panics = Panics::default();
        for batch in self.batches {
            batch.insert(&mut self.lists, world, &mut panics);
        }
        panics.go_on();
    }

    /// The batch of a type.
    fn batch<T: ComponentTuple>(&mut self) -> &mut TypedRows<T> {
        // The last one first: siblings are often of one type.
        let known =
            self.batches.iter().rposition(|batch| (&**batch as &dyn Any).is::<TypedRows<T>>());
        let known = known.unwrap_or_else(|| {
            self.batches.push(Box::new(TypedRows::<T>::default()));
            self.batches.len() - 1
        });
        let batch = &mut *self.batches[known] as &mut dyn Any;
        batch.downcast_mut().expect("it is of this type")
    }
}

/// Adds children to one entity of a subtree that is to be spawned; made by
/// [`SpawnTransforms::push_tree`](super::SpawnTransforms::push_tree).
pub struct TreeBuilder<'t> {
    tree: &'t mut Tree,
    entity: Entity,
    /// The number of the entity's list of children.
    list: usize,
}

impl fmt::Debug for TreeBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TreeBuilder").field("entity", &self.entity).finish_non_exhaustive()
    }
}

impl TreeBuilder<'_> {
    /// The entity whose children are added: known already, not yet in the world. Costs nothing.
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.entity
    }

    /// A child. Costs a few copies: all children of one type are inserted together, at the end.
    pub fn push_child<T: ComponentTuple>(&mut self, components: T) -> Entity {
        let entity = next_id();
        self.tree.batch().push(components, entity, self.entity);
        self.tree.lists[self.list].0.push(entity);
        entity
    }

    /// A child for each row, for a few copies each.
    pub fn extend_children<T: ComponentTuple>(
        &mut self,
        rows: impl IntoIterator<Item = T>,
    ) -> Vec<Entity> {
        let tuples = collect(rows);
        let entities = take_ids(tuples.len());
        if !entities.is_empty() {
            let batch = self.tree.batch();
            batch.parents.extend(iter::repeat_n(self.entity, tuples.len()));
            batch.entities.extend(entities.iter().copied());
            batch.tuples.extend(tuples);
            self.tree.lists[self.list].0.extend_from_slice(&entities);
        }
        entities
    }

    /// A child with children of its own, for a few copies.
    pub fn push_child_tree<T: ComponentTuple>(
        &mut self,
        components: T,
        children: impl FnOnce(&mut TreeBuilder<'_>),
    ) -> Entity {
        let list = self.tree.lists.len();
        let entity = self.push_child(components);
        self.tree.lists.push(Children::new());
        let batch = self.tree.batch::<T>();
        batch.lists.push((batch.tuples.len() - 1, list));
        children(&mut TreeBuilder { tree: self.tree, entity, list });
        entity
    }
}
