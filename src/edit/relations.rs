//! Edits of the hierarchy: parents, siblings, subtrees.

use legion::{Entity, World};

use super::{
    EditError, Edits,
    apply::{self, ParentChange},
    planner::Planner,
};
use crate::{
    engine::{OtherLinks, guard, note_link, with_other_links},
    query::{QueryError, Walk},
};

impl Edits {
    /// Makes `child` a child of `parent`, in place: its world matrix stays the same. Adds
    /// `LocalToParent` where it is missing. What is in a frame stays in place in the universe, as
    /// exactly as its [local matrices up to the frame](super#in-which-space-edits-work); a frame
    /// itself in `f64`, as by [`Frame::between`](crate::frames::Frame::between).
    ///
    /// It becomes the last of its siblings; [`insert_child`](Self::insert_child) puts it elsewhere.
    /// Linking to the parent that it already has changes nothing. Costs in proportion to the depths
    /// of both.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged. [`EditError::Cycle`] if the parent is the child
    /// or below it, [`EditError::ParentNotInvertible`] if the parent's world matrix flattens space,
    /// so that no local pose can undo it.
    pub fn set_parent(
        &self,
        world: &mut World,
        child: Entity,
        parent: Entity,
    ) -> Result<(), EditError> {
        note_link(world, child, parent, |world| self.link(world, child, parent))
    }

    fn link(&self, world: &mut World, child: Entity, parent: Entity) -> Result<(), EditError> {
        self.edit(world, &[child, parent], |planner| planner.set_parent(child, parent))
    }

    /// Makes `child` the child of `parent` at this index, in place; the last one if the index is
    /// past the end. A child of this parent only changes its place among its siblings.
    ///
    /// It writes the parent's [`Children`](crate::components::Children), also with those linked
    /// since the last run: see [what edits cost](super#what-edits-cost).
    ///
    /// # Errors
    /// As [`set_parent`](Self::set_parent).
    pub fn insert_child(
        &self,
        world: &mut World,
        parent: Entity,
        index: usize,
        child: Entity,
    ) -> Result<(), EditError> {
        with_other_links(world, |world, links| {
            self.link(world, child, parent)?;
            guard(world, &[parent], |world| apply::place(world, parent, index, child, links));
            Ok(())
        })
    }

    /// Makes the entity a root, in place: `Parent` and `LocalToParent` are removed, its world
    /// matrix stays the same.
    ///
    /// A root does not change. What is in a frame becomes a child of that frame; and a child of the
    /// frame becomes a frame itself, in place in the universe: see [what is set free in a
    /// frame](super#what-is-set-free-in-a-frame). Costs in proportion to the depth.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged. [`EditError::Scaled`] of a scaled child of a
    /// frame.
    pub fn remove_parent(&self, world: &mut World, child: Entity) -> Result<(), EditError> {
        self.edit(world, &[child], |planner| planner.remove_parent(child))
    }

    /// Makes every child of the entity a root, in place, and returns them; in a frame, as
    /// [`remove_parent`](Self::remove_parent) does. All or none: on an error the world is
    /// unchanged.
    ///
    /// Children that were linked since the last run are found, too. Costs in proportion to their
    /// number, times the depth.
    ///
    /// # Errors
    /// [`EditError`] of the first child that cannot be detached.
    pub fn detach_children(
        &self,
        world: &mut World,
        entity: Entity,
    ) -> Result<Vec<Entity>, EditError> {
        if !world.contains(entity) {
            return Err(QueryError::Dead(entity).into());
        }
        with_other_links(world, |world, links| {
            let children = Walk::with(world, links).children(entity).collect();
            self.set_free(world, links, children)
        })
    }

    /// Makes roots of all children that [wait] for their parents, in place, and returns them: no
    /// parent is to come. All or none: on an error the world is unchanged.
    ///
    /// Children that came since the last run are found, too. Costs in proportion to the number of
    /// children that wait.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{edit::EditError, prelude::*};
    /// # let mut world = World::default();
    /// let dead = world.push_transform(Transform::from_xyz(5.0, 0.0, 0.0));
    /// world.remove(dead);
    /// let spark = world.push_child(dead, Transform::from_xyz(1.0, 0.0, 0.0));
    /// assert_eq!(Edits::default().give_up_waiting(&mut world)?, [spark]);
    /// assert!(world.entry(spark).unwrap().get_component::<Parent>().is_err());
    /// # Ok::<(), EditError>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError`] of the first child that cannot be detached.
    ///
    /// [wait]: crate::findings::FindingKind::WaitsForParent
    pub fn give_up_waiting(&self, world: &mut World) -> Result<Vec<Entity>, EditError> {
        with_other_links(world, |world, links| {
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

    /// Despawns the entity and all below it; returns the number of entities (0 if it was dead
    /// already).
    ///
    /// Entities that were linked since the last run are found, too. Costs in proportion to the
    /// number.
    pub fn despawn_subtree(&self, world: &mut World, entity: Entity) -> usize {
        self.despawn_subtrees(world, [entity])
    }

    /// Despawns these entities and all below them; returns the number of entities. Costs in
    /// proportion to it.
    pub fn despawn_subtrees(
        &self,
        world: &mut World,
        entities: impl IntoIterator<Item = Entity>,
    ) -> usize {
        apply::despawn(world, entities)
    }
}
