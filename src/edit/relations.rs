//! Edits of the hierarchy: parents, siblings, subtrees.

use std::{cell::Cell, collections::HashSet};

use legion::{Entity, EntityStore, World, world::EntityHasher};

use super::{
    EditError,
    apply::{self, ParentChange},
    options::Options,
    planner::Planner,
};
use crate::{
    engine::{Meaning, OtherLinks, guard},
    query::{QueryError, Walk},
};

impl Options {
    pub fn set_parent(
        &self,
        world: &mut World,
        child: Entity,
        parent: Entity,
    ) -> Result<(), EditError> {
        // Only a frame that goes asks what is below.
        let asks = Cell::new(false);
        let is_asked = |_: &World| {
            asks.set(true);
            Some(child)
        };
        let made = OtherLinks::note(world, child, Some(parent), |world, placed, _| {
            leave(world, child, placed, |world| {
                self.edit(world, &[child, parent], |it| it.set_parent(child, parent, &is_asked))
            })
        });
        if !asks.get() {
            return made;
        }
        OtherLinks::with(world, |world, links| {
            self.link(world, links, child, parent)?;
            links.add(parent, child);
            Ok(())
        })
    }

    /// Makes a link where all entities below the child can be found.
    fn link(
        &self,
        world: &mut World,
        links: &OtherLinks<'_>,
        child: Entity,
        parent: Entity,
    ) -> Result<(), EditError> {
        let frame_below = |world: &World| {
            Walk::with(world, links).descendants(child).find(|&below| has_frame(world, below))
        };
        leave(world, child, links.placed(), |world| {
            self.edit(world, &[child, parent], |it| it.set_parent(child, parent, &frame_below))
        })
    }

    pub fn insert_child(
        &self,
        world: &mut World,
        parent: Entity,
        index: usize,
        child: Entity,
    ) -> Result<(), EditError> {
        OtherLinks::with(world, |world, links| {
            self.link(world, links, child, parent)?;
            guard(world, &[parent], |world| apply::place(world, parent, index, child, links));
            Ok(())
        })
    }

    pub fn remove_parent(&self, world: &mut World, child: Entity) -> Result<(), EditError> {
        OtherLinks::note(world, child, None, |world, placed, viewer| {
            leave(world, child, placed, |world| {
                self.edit(world, &[child], |it| it.remove_parent(child, viewer))
            })
        })
    }

    pub fn detach_children(
        &self,
        world: &mut World,
        entity: Entity,
    ) -> Result<Vec<Entity>, EditError> {
        if !world.contains(entity) {
            return Err(QueryError::Dead(entity).into());
        }
        OtherLinks::with(world, |world, links| {
            let viewer = links.viewer();
            let children = Walk::with(world, links).children(entity).collect();
            self.set_free(world, links, children, viewer)
        })
    }

    pub fn give_up_waiting(&self, world: &mut World) -> Result<Vec<Entity>, EditError> {
        OtherLinks::with(world, |world, links| {
            let children = links.waiting(world)?;
            self.set_free(world, links, children, None)
        })
    }

    /// Removes the parents of these entities, of all or of none. `links` gets the links to frames.
    fn set_free(
        &self,
        world: &mut World,
        links: &mut OtherLinks<'_>,
        children: Vec<Entity>,
        viewer: Option<Entity>,
    ) -> Result<Vec<Entity>, EditError> {
        let planner = Planner::new(world, self, None);
        let plans = children
            .iter()
            .map(|child| planner.remove_parent(*child, viewer))
            .collect::<Result<Vec<_>, _>>()?;
        guard(world, &children, |world| {
            for plan in plans {
                if let ParentChange::Set(parent) = plan.parent {
                    links.add(parent, plan.entity);
                }
                leave(world, plan.entity, links.placed(), |world| plan.apply(world));
            }
        });
        Ok(children)
    }

    pub fn despawn_subtree(&self, world: &mut World, entity: Entity) -> usize {
        apply::despawn(world, [entity])
    }

    pub fn despawn_subtrees(&self, world: &mut World, entities: Vec<Entity>) -> usize {
        apply::despawn(world, entities)
    }
}

/// Runs an edit. If a child has another parent then, no list has it in which an edit may have put
/// it: no run would know why it is there. `placed` are the parents of such lists; all, for `None`.
fn leave<R>(
    world: &mut World,
    child: Entity,
    placed: Option<&HashSet<Entity, EntityHasher>>,
    edit: impl FnOnce(&mut World) -> R,
) -> R {
    let may_be_placed = placed.is_none_or(|it| !it.is_empty());
    let left = may_be_placed.then(|| apply::new_parent(world, child)).flatten();
    let made = edit(world);
    if let Some(left) = left.filter(|left| placed.is_none_or(|it| it.contains(left)))
        && apply::new_parent(world, child) != Some(left)
    {
        apply::take_out(world, left, child);
    }
    made
}

/// Whether an entity has a frame that counts.
fn has_frame(world: &World, entity: Entity) -> bool {
    let at = world.entry_ref(entity).map(|entry| entry.location().archetype());
    at.is_ok_and(|at| Meaning::met(&world, at).has_frame)
}
