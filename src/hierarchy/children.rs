//! Publishes the hierarchy: `Children` on parents, [`PreviousParent`](super::previous) on children, and nothing anywhere else.

use std::collections::{BTreeSet, HashSet};

use legion::{Entity, World, world::EntityHasher};

use super::{
    forest::NONE,
    links::{Candidate, Want},
    parent_system::{Change, ParentSystem},
};
use crate::{
    archetypes::Archetypes,
    components::{Children, LocalToParent, Parent, PreviousParent},
    layout::Mask,
    raw::slices::{Columns, Row, captured},
};

/// A component to add or remove, which moves the entity to another archetype.
pub(super) enum Operation {
    /// Its parent is none: `Parent`, `PreviousParent` and `LocalToParent` go.
    Unlink(Entity),
    AddPrevious(Entity, PreviousParent),
    RemovePrevious(Entity),
    AddChildren(Entity, Children),
    RemoveChildren(Entity),
}

impl Operation {
    pub fn apply(self, world: &mut World) {
        match self {
            Self::Unlink(entity) => {
                remove::<Parent>(world, entity);
                remove::<PreviousParent>(world, entity);
                remove::<LocalToParent>(world, entity);
            }
            Self::AddPrevious(entity, previous) => add(world, entity, previous),
            Self::RemovePrevious(entity) => remove::<PreviousParent>(world, entity),
            Self::AddChildren(entity, children) => add(world, entity, children),
            Self::RemoveChildren(entity) => remove::<Children>(world, entity),
        }
    }
}

fn add<T: Send + Sync + 'static>(world: &mut World, entity: Entity, component: T) {
    if let Some(mut entry) = world.entry(entity) {
        entry.add_component(component);
    }
}

fn remove<T: Send + Sync + 'static>(world: &mut World, entity: Entity) {
    if let Some(mut entry) = world.entry(entity)
        && entry.archetype().layout().has_component::<T>()
    {
        entry.remove_component::<T>();
    }
}

/// A child that one parent lost or gained.
struct Edit {
    parent: Entity,
    child: Entity,
    gained: bool,
}

/// One pass' worth of publishing.
pub(super) struct Publication<'a, 'w> {
    pub(super) system: &'a mut ParentSystem,
    pub(super) columns: &'a mut Columns<'w>,
    pub(super) archetypes: &'a mut Archetypes,
    pub(super) operations: Vec<Operation>,
    /// Archetypes in which a component was really changed.
    children_written: BTreeSet<u32>,
    pub(super) previous_written: BTreeSet<u32>,
}

impl<'a, 'w> Publication<'a, 'w> {
    pub fn new(system: &'a mut ParentSystem, columns: &'a mut Columns<'w>, archetypes: &'a mut Archetypes) -> Self {
        let (operations, children_written, previous_written) = Default::default();
        Self { system, columns, archetypes, operations, children_written, previous_written }
    }

    /// Writes what can be written in place and returns the rest.
    pub fn publish(mut self, candidates: &[Candidate], changes: &[Change], suspects: &[Row]) -> Vec<Operation> {
        for change in changes {
            if matches!(change.want, Want::Repair(..)) {
                self.operations.push(Operation::Unlink(change.entity));
            }
        }
        self.publish_children(candidates, changes, suspects);
        self.check_previous_columns();
        for change in changes.iter().filter(|change| !matches!(change.want, Want::Repair(..))) {
            if let Some(row) = change.row {
                self.set_previous(change.entity, row);
            }
        }
        for candidate in candidates {
            let Some(row) = candidate.row else { continue };
            self.add_previous(candidate.entity, row);
        }
        for &archetype in &self.children_written {
            self.archetypes.bump::<Children>(self.columns, archetype);
        }
        for &archetype in &self.previous_written {
            self.archetypes.bump::<PreviousParent>(self.columns, archetype);
        }
        self.operations
    }

    fn publish_children(&mut self, candidates: &[Candidate], changes: &[Change], suspects: &[Row]) {
        let mut done: HashSet<Entity, EntityHasher> = HashSet::default();
        for &row in suspects {
            let entity = self.entity(row);
            self.verify_children(entity, row);
            done.insert(entity);
        }
        let edits = edits(changes);
        for edits in edits.chunk_by(|a, b| a.parent == b.parent) {
            let parent = edits[0].parent;
            if let Some(row) = self.columns.locate(parent)
                && done.insert(parent)
            {
                self.edit_children(parent, row, edits);
            }
        }
        for candidate in candidates {
            if let Some(row) = candidate.row
                && done.insert(candidate.entity)
            {
                self.give_children(candidate.entity, row);
            }
        }
    }

    /// Checks a list that somebody else may have written against the forest.
    fn verify_children(&mut self, parent: Entity, row: Row) {
        let position = self.system.rows.position(parent, row);
        let mark = self.system.forest.new_marks(1);
        let old = &self.columns.read::<Children>(row.archetype)[row.row as usize];
        let mut kept = Children::new();
        for &child in old {
            let Some(child_row) = self.columns.locate(child) else { continue };
            let child_position = self.system.rows.position(child, child_row);
            let forest = &mut self.system.forest;
            let is_child = position != NONE && child_position != NONE && forest.parents[child_position as usize] == position;
            if is_child && !forest.mark(child_position, mark) {
                kept.push(child);
            }
        }
        if position != NONE && kept.len() < self.system.forest.child_counts[position as usize] as usize {
            let forest = &self.system.forest;
            forest.for_each_child(position, |child| {
                if !forest.is_marked(child, mark) {
                    kept.push(self.entity(forest.rows[child as usize]));
                }
            });
        }
        if kept.is_empty() {
            self.operations.push(Operation::RemoveChildren(parent));
            return;
        }
        self.system.rows.set_sum(parent, row, &kept);
        if kept != *old {
            self.columns.write::<Children>(row.archetype)[row.row as usize] = kept;
            self.children_written.insert(row.archetype);
        }
    }

    /// Applies losses and gains to a list that is right but for them.
    fn edit_children(&mut self, parent: Entity, row: Row, edits: &[Edit]) {
        if !self.archetypes[row.archetype].mask.has(Mask::CHILDREN) {
            self.give_children(parent, row);
            return;
        }
        let children = &mut self.columns.write::<Children>(row.archetype)[row.row as usize];
        let losses = edits.iter().take_while(|edit| !edit.gained).count();
        if losses > 8 {
            let lost: HashSet<Entity, EntityHasher> = edits[..losses].iter().map(|edit| edit.child).collect();
            children.retain(|child| !lost.contains(child));
        } else {
            for edit in &edits[..losses] {
                children.retain(|child| *child != edit.child);
            }
        }
        children.extend(edits[losses..].iter().map(|edit| edit.child));
        if children.is_empty() {
            self.operations.push(Operation::RemoveChildren(parent));
        } else {
            self.system.rows.set_sum(parent, row, children);
        }
        self.children_written.insert(row.archetype);
    }

    /// Adds the component to a parent that lacks it.
    fn give_children(&mut self, parent: Entity, row: Row) {
        let position = self.system.rows.position(parent, row);
        if position == NONE || self.archetypes[row.archetype].mask.has(Mask::CHILDREN) {
            return;
        }
        let forest = &self.system.forest;
        let mut children = Children::new();
        forest.for_each_child(position, |child| children.push(self.entity(forest.rows[child as usize])));
        if !children.is_empty() {
            self.system.rows.set_sum(parent, row, &children);
            self.operations.push(Operation::AddChildren(parent, children));
        }
    }

    pub(super) fn entity(&self, row: Row) -> Entity {
        self.columns.entities(row.archetype)[row.row as usize]
    }
}

/// Who lost and who gained whom, by parent, losses first.
fn edits(changes: &[Change]) -> Vec<Edit> {
    let mut edits = Vec::new();
    for change in changes {
        let child = change.entity;
        edits.extend(change.old_parent.map(|parent| Edit { parent, child, gained: false }));
        if let (Want::Link(parent, _), false) = (change.want, change.cyclic) {
            edits.push(Edit { parent, child, gained: true });
        }
    }
    edits.sort_by_key(|edit| (captured(&edit.parent), edit.gained));
    edits
}
