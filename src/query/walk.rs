//! Walking the hierarchy.

mod descendants;
mod lists;

use std::fmt;

use legion::{Entity, EntityStore, Read, world::EntityAccessError};

use descendants::{BreadthFirst, DepthFirst};
use lists::{Lists, next_down_the_cycle};

use super::{
    access::{QueryError, entry, has},
    path::{Path, path},
};
use crate::components::{Children, LocalToWorld, Parent};

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
/// [`Walk::new`] reads [`Children`] of the last run: it skips children that have left since then,
/// and does not know new ones yet. [`Walk::fresh`] first reads every `Parent` once and knows all.
///
/// The hierarchy walked is the bundle's: a link needs `Parent`, `LocalToParent` and `LocalToWorld`
/// on the child, and a live parent with `LocalToWorld`. An entity on a cycle is a root without a
/// parent, in no list of children. Nothing recurses, whatever the depth, and every walk ends.
pub struct Walk<'a, S> {
    store: &'a S,
    lists: Lists,
}

impl<S> fmt::Debug for Walk<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk").field("lists", &self.lists).finish_non_exhaustive()
    }
}

impl<'a, S: EntityStore> Walk<'a, S> {
    /// Downwards as of the last run, without the children that have left since.
    ///
    /// # Errors
    /// [`QueryError::MissingAccess`] if a system has not declared read access, on all entities, to
    /// `Parent` and `Children`.
    pub fn new(store: &'a S) -> Result<Self, QueryError> {
        check_access(store)?;
        Ok(Self { store, lists: Lists::Published })
    }

    /// Downwards as of now, at the cost of one pass over every `Parent` in the world.
    ///
    /// Children stand in the order of `Children` where the last run put them there, then the new
    /// ones.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn fresh(store: &'a S) -> Result<Self, QueryError> {
        check_access(store)?;
        Ok(Self { store, lists: Lists::collect(store)? })
    }

    /// The entity's parent in the next run. `None` for roots, and for entities that are roots
    /// because their parent is dead or they are on a cycle.
    #[must_use]
    pub fn parent(&self, entity: Entity) -> Option<Entity> {
        self.path(entity)?.entities.get(1).copied()
    }

    /// The parent, its parent, and so on up to the root.
    pub fn ancestors(&self, entity: Entity) -> impl Iterator<Item = Entity> + use<S> {
        self.path(entity).into_iter().flat_map(|path| path.entities.into_iter().skip(1))
    }

    /// The last of the ancestors, or the entity itself if it has no parent. `None` for a dead
    /// entity.
    #[must_use]
    pub fn root(&self, entity: Entity) -> Option<Entity> {
        self.path(entity).map(|path| path.root())
    }

    /// The entity's children.
    pub fn children(&self, entity: Entity) -> impl Iterator<Item = Entity> + use<S> {
        let circular = next_down_the_cycle(self.store, entity);
        self.lists
            .linked(self.store, entity)
            .into_iter()
            .filter(move |child| Some(*child) != circular)
    }

    /// The other children of the entity's parent; none for a root.
    pub fn siblings(&self, entity: Entity) -> impl Iterator<Item = Entity> + use<S> {
        let children = self.parent(entity).map(|parent| self.children(parent));
        children.into_iter().flatten().filter(move |sibling| *sibling != entity)
    }

    /// All entities below this one, parents before their children and each child's descendants
    /// right after it (depth first).
    pub fn descendants(&self, entity: Entity) -> impl Iterator<Item = Entity> + use<'_, 'a, S> {
        DepthFirst::new(self, entity)
    }

    /// All entities below this one, level by level: children, grandchildren, and so on.
    pub fn descendants_breadth_first(
        &self,
        entity: Entity,
    ) -> impl Iterator<Item = Entity> + use<'_, 'a, S> {
        BreadthFirst::new(self, entity)
    }

    fn path(&self, entity: Entity) -> Option<Path> {
        // Access was checked for the whole store, so the only error is a dead entity.
        entry(self.store, entity).ok()?;
        path(self.store, entity).ok()
    }
}

/// Checks once for all steps that `Parent` and `Children` may be read wherever they are.
fn check_access<S: EntityStore>(store: &S) -> Result<(), QueryError> {
    fn denied<T>(_: EntityAccessError) -> QueryError {
        QueryError::MissingAccess { component: Some(std::any::type_name::<T>()), entity: None }
    }
    store.get_component_storage::<Read<Parent>>().map_err(denied::<Parent>)?;
    let storage = store.get_component_storage::<Read<Children>>().map_err(denied::<Children>)?;
    for archetype in storage.archetypes() {
        let layout = archetype.layout();
        let concerned = layout.has_component::<LocalToWorld>() || layout.has_component::<Parent>();
        if concerned
            && !archetype.entities().is_empty()
            && !storage.can_access_archetype(archetype.index())
        {
            return Err(QueryError::MissingAccess {
                component: None,
                entity: archetype.entities().first().copied(),
            });
        }
    }
    Ok(())
}

/// Whether the entity is alive and can be a parent.
fn can_be_parent<S: EntityStore>(store: &S, entity: Entity) -> bool {
    entry(store, entity).is_ok_and(|entry| has::<LocalToWorld>(&entry))
}
