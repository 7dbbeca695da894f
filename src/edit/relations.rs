//! Edits of the hierarchy: parents, siblings, subtrees.

use legion::{Entity, World};

use super::{
    EditError,
    apply::{self, ParentChange},
    options::Options,
    planner::Planner,
};
use crate::{
    engine::{OtherLinks, guard},
    query::{QueryError, Walk},
};

impl Options {
    pub fn set_parent(
        &self,
        world: &mut World,
        child: Entity,
        parent: Entity,
    ) -> Result<(), EditError> {
        OtherLinks::note(world, child, parent, |world| self.link(world, child, parent))
    }

    fn link(&self, world: &mut World, child: Entity, parent: Entity) -> Result<(), EditError> {
        self.edit(world, &[child, parent], |planner| planner.set_parent(child, parent))
    }

    pub fn insert_child(
        &self,
        world: &mut World,
        parent: Entity,
        index: usize,
        child: Entity,
    ) -> Result<(), EditError> {
        OtherLinks::with(world, |world, links| {
            self.link(world, child, parent)?;
            guard(world, &[parent], |world| apply::place(world, parent, index, child, links));
            Ok(())
        })
    }

    pub fn remove_parent(&self, world: &mut World, child: Entity) -> Result<(), EditError> {
        self.edit(world, &[child], |planner| planner.remove_parent(child))
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
            let children = Walk::with(world, links).children(entity).collect();
            self.set_free(world, links, children)
        })
    }

    pub fn give_up_waiting(&self, world: &mut World) -> Result<Vec<Entity>, EditError> {
        OtherLinks::with(world, |world, links| {
            let children = links.waiting(world);
            self.set_free(world, links, children)
        })
    }

    /// Removes the parents of these entities, of all or of none. `links` gets the links to frames.
    fn set_free(
        &self,
        world: &mut World,
        links: &mut OtherLinks<'_>,
        children: Vec<Entity>,
    ) -> Result<Vec<Entity>, EditError> {
        let planner = Planner::new(world, self, None);
        let plans = children
            .iter()
            .map(|child| planner.remove_parent(*child))
            .collect::<Result<Vec<_>, _>>()?;
        guard(world, &children, |world| {
            for plan in plans {
                if let ParentChange::Set(parent) = plan.parent {
                    links.add(parent, plan.entity);
                }
                plan.apply(world);
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
