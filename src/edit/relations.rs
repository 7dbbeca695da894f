//! Edits of the hierarchy: parents, siblings, subtrees.

use legion::{Entity, EntityStore, World};

use super::{
    EditError,
    apply::{self, ParentChange},
    options::Options,
    planner::Planner,
};
use crate::{
    engine::{Engine, Kind, OtherLinks, guard},
    query::{QueryError, Walk},
};

impl Options {
    pub fn set_parent(
        &self,
        world: &mut World,
        child: Entity,
        parent: Entity,
    ) -> Result<(), EditError> {
        if has_frame(world, child) && !has_frame(world, parent) {
            return OtherLinks::with(world, |world, links| {
                self.link(world, links, child, parent)?;
                links.add(parent, child);
                Ok(())
            });
        }
        OtherLinks::note(world, child, parent, |world| {
            self.edit(world, &[child, parent], |it| it.set_parent(child, parent, &|_| None))
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
        self.edit(world, &[child, parent], |it| it.set_parent(child, parent, &frame_below))
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
        let (viewer, left) = (Engine::viewer(world), apply::new_parent(world, child));
        self.edit(world, &[child], |planner| planner.remove_parent(child, viewer))?;
        let left = left.filter(|left| OtherLinks::may_have_placed(world, *left));
        left.into_iter().for_each(|left| apply::take_out(world, left, child));
        Ok(())
    }

    pub fn detach_children(
        &self,
        world: &mut World,
        entity: Entity,
    ) -> Result<Vec<Entity>, EditError> {
        if !world.contains(entity) {
            return Err(QueryError::Dead(entity).into());
        }
        let viewer = Engine::viewer(world);
        OtherLinks::with(world, |world, links| {
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
                let child = plan.entity;
                let left = apply::new_parent(world, child);
                plan.apply(world);
                let left = left.filter(|left| links.are_placed(*left));
                left.into_iter().for_each(|left| apply::take_out(world, left, child));
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

/// Whether an entity has a frame that counts.
fn has_frame(world: &World, entity: Entity) -> bool {
    let at = world.entry_ref(entity).map(|entry| entry.location().archetype());
    at.is_ok_and(|at| Kind::met(&world, at).has_frame)
}
