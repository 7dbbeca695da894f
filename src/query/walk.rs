//! Walking the hierarchy.

mod descendants;
mod lists;
mod steps;

use std::fmt;

use legion::{Entity, EntityStore};

pub(crate) use descendants::Subtree;
use descendants::{BreadthFirst, DepthFirst, children, siblings};
use lists::Lists;
use steps::{Steps, check_access};

use super::QueryError;
use crate::engine::{FreshRows, OtherLinks};

/// Walking the hierarchy of a `World` or `SubWorld`: ancestors, root, children, siblings,
/// descendants. A dead entity has no relatives.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
///
/// let mut world = World::default();
/// let body = world.push((LocalToWorld::identity(),));
/// let arm = world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(body)));
/// let hand = world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(arm)));
///
/// let walk = Walk::fresh(&world)?; // no schedule has run, so `Children` does not say yet
/// assert_eq!(walk.ancestors(hand).collect::<Vec<_>>(), [arm, body]);
/// assert_eq!((walk.root(hand), walk.parent(body)), (Some(body), None));
/// assert_eq!(walk.descendants(body).collect::<Vec<_>>(), [arm, hand]);
/// # Ok::<(), legion_transform::query::QueryError>(())
/// ```
///
/// Making one checks the access of a system once, for all steps. So steps need no `Result`; answers
/// of a [`TransformQuery`](super::TransformQuery), which may read any of 17 components, do.
///
/// Upwards it reads `Parent`, so the answer is always fresh. Downwards there are two sources.
/// [`Walk::new`] reads `Children` of the last run: it skips children that have left since then, and
/// does not know new ones yet. [`Walk::fresh`] first reads every `Parent` once and knows all.
///
/// The hierarchy walked is the bundle's: a link needs `Parent`, `LocalToParent` and `LocalToWorld`
/// on the child, and a live parent with `LocalToWorld`. With
/// [`insert_missing`](crate::TransformSystemBundle::insert_missing), and before the first run of
/// any bundle on the world, `Parent` and a live parent are enough. An entity on a cycle is a root
/// without a parent, in no list of children. Nothing recurses, whatever the depth, and every walk
/// ends.
pub struct Walk<'a, S> {
    rows: FreshRows<'a, &'a S>,
    lists: Lists<'a>,
}

impl<S> fmt::Debug for Walk<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk").finish_non_exhaustive()
    }
}

impl<'a, S: EntityStore> Walk<'a, S> {
    /// Downwards as of the last run, without the children that have left since. Making a walk costs
    /// a look at each archetype, a step of it one or two rows.
    ///
    /// # Errors
    /// [`QueryError::MissingAccess`] if a system has not declared read access to `Parent` and
    /// `Children` on all entities that may be parents or children. These have `LocalToWorld` or
    /// `Parent`; where `Parent` and a live parent are enough, they may be any.
    pub fn new(store: &'a S) -> Result<Self, QueryError> {
        let walk = Self::by(store, Lists::Nowhere);
        check_access(&walk.rows)?;
        Ok(walk)
    }

    /// Downwards as of now, at the cost of one pass over every `Parent` in the world.
    ///
    /// Children stand in the order of `Children`, then the new ones, as the [next run] adds them.
    /// (A system that may not read `PreviousParent` has those that a list has lost among these.)
    ///
    /// [next run]: crate::components::Children
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn fresh(store: &'a S) -> Result<Self, QueryError> {
        let mut walk = Self::new(store)?;
        walk.lists = Lists::all(&walk.rows);
        Ok(walk)
    }

    /// Downwards as of now, where `others` have all children that are not in `Children`. The store
    /// grants all access.
    pub(crate) fn with(store: &'a S, others: &'a OtherLinks<'_>) -> Self {
        Self::by(store, Lists::Others(others))
    }

    fn by(store: &'a S, lists: Lists<'a>) -> Self {
        let mut rows = FreshRows::new(store);
        rows.trusts_parents = true;
        Self { rows, lists }
    }

    /// The entity's parent in the next run. `None` for roots, and for entities that are roots
    /// because their parent is dead or has not come, or they are on a cycle. Costs in proportion to
    /// the depth: all ancestors are looked at, to find cycles.
    #[must_use]
    pub fn parent(&self, entity: Entity) -> Option<Entity> {
        self.steps().parent(entity)
    }

    /// The parent, its parent, and so on up to the root. Costs in proportion to the depth.
    pub fn ancestors(&self, entity: Entity) -> impl Iterator<Item = Entity> + use<S> {
        self.steps().ancestors(entity)
    }

    /// The last of the ancestors, or the entity itself if it has no parent. `None` for a dead
    /// entity. Costs in proportion to the depth.
    #[must_use]
    pub fn root(&self, entity: Entity) -> Option<Entity> {
        self.steps().root(entity)
    }

    /// The entity's children. Costs in proportion to their number and to the depth.
    pub fn children(&self, entity: Entity) -> impl Iterator<Item = Entity> + use<S> {
        children(self.steps(), entity)
    }

    /// The other children of the entity's parent; none for a root. Costs in proportion to their
    /// number and to the depth.
    pub fn siblings(&self, entity: Entity) -> impl Iterator<Item = Entity> + use<S> {
        siblings(self.steps(), entity)
    }

    /// The place of the entity among its parent's children, which [`insert_child`] takes; `None`
    /// for a root. Costs in proportion to their number and to the depth.
    ///
    /// [`insert_child`]: crate::edit::EditTransforms::insert_child
    #[must_use]
    pub fn index(&self, child: Entity) -> Option<usize> {
        self.children(self.parent(child)?).position(|sibling| sibling == child)
    }

    /// Those of a selection that are below no other one of it, in its order and each once: what an
    /// edit of all has to move, as the others follow. Dead entities are left out. Costs in
    /// proportion to the number of entities and of those above them, each counted once.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::prelude::*;
    /// # let mut world = World::default();
    /// let body = world.push_transform((Translation::identity(),));
    /// let arm = world.push_child(body, (Translation::identity(),));
    /// let hand = world.push_child(arm, (Translation::identity(),));
    /// let selected = [hand, arm, hand];
    /// assert_eq!(Walk::fresh(&world)?.topmost(selected), [arm]);
    /// # Ok::<(), legion_transform::query::QueryError>(())
    /// ```
    pub fn topmost(&self, selection: impl IntoIterator<Item = Entity>) -> Vec<Entity> {
        self.steps().topmost(selection.into_iter().collect())
    }

    /// The entity, and all below it, as [`descendants`](Self::descendants) has them; none of a dead
    /// one.
    pub fn subtree(&self, root: Entity) -> impl Iterator<Item = Entity> + use<'_, 'a, S> {
        let is_alive = self.rows.node(root).is_ok();
        is_alive.then_some(root).into_iter().chain(self.descendants(root))
    }

    /// All entities below this one, parents before their children and each child's descendants
    /// right after it (depth first). Each step looks at the children of one entity, so a walk costs
    /// in proportion to the entities below, and to the depth at its start.
    pub fn descendants(&self, entity: Entity) -> impl Iterator<Item = Entity> + use<'_, 'a, S> {
        DepthFirst::new(self.steps(), entity)
    }

    /// All entities below this one, level by level: children, grandchildren, and so on. Costs as
    /// much as [`descendants`](Self::descendants).
    pub fn descendants_breadth_first(
        &self,
        entity: Entity,
    ) -> impl Iterator<Item = Entity> + use<'_, 'a, S> {
        BreadthFirst::new(self.steps(), entity)
    }

    /// Where an entity and all below it stand.
    pub(crate) fn rows_of(&self, root: Entity) -> Subtree {
        Subtree::of(self.steps(), root)
    }

    fn steps(&self) -> Steps<'_, 'a> {
        Steps { rows: &self.rows, lists: &self.lists }
    }
}
