//! Publishes `PreviousParent`: on everything with a link its parent, on cycles nothing, and gone from everything else.

use legion::Entity;

use super::{
    children::{Operation, Publication},
    forest::NONE,
};
use crate::{
    components::{Parent, PreviousParent},
    layout::Mask,
    raw::slices::Row,
};

impl Publication<'_, '_> {
    /// Mends what somebody else may have written into `PreviousParent`.
    pub(super) fn check_previous_columns(&mut self) {
        let indices: Vec<u32> = self.archetypes.having(Mask::PREVIOUS_PARENT).collect();
        for index in indices {
            let archetype = &self.archetypes[index];
            if !archetype.is_changed(Mask::PREVIOUS_PARENT | Mask::PARENT) {
                continue;
            }
            if !archetype.mask.has(Mask::PARENT) {
                let entities = self.columns.entities(index).iter().copied();
                self.operations.extend(entities.map(Operation::RemovePrevious));
                continue;
            }
            let previous = self.columns.read::<PreviousParent>(index);
            let parents = self.columns.read::<Parent>(index);
            let linked = archetype.mask.has(Mask::LINK);
            let differs = |(_, (previous, parent)): &(usize, (&PreviousParent, &Parent))| {
                if linked { previous.0 != Some(parent.0) } else { previous.0.is_some() }
            };
            let rows: Vec<usize> = previous.iter().zip(parents).enumerate().filter(differs).map(|(row, _)| row).collect();
            for row in rows {
                let row = Row { archetype: index, row: row as u32 };
                self.set_previous(self.entity(row), row);
            }
        }
        for number in 0..self.system.cyclic.len() {
            let entity = self.system.cyclic[number];
            if let Some(row) = self.columns.locate(entity) {
                self.set_previous(entity, row);
            }
        }
    }

    /// Writes the right `PreviousParent` where the entity has one.
    pub(super) fn set_previous(&mut self, entity: Entity, row: Row) {
        if !self.archetypes[row.archetype].mask.has(Mask::PARENT) {
            return; // It is about to lose the component.
        }
        let expected = PreviousParent(self.linked_parent(entity, row));
        if let Some(previous) = self.columns.write::<PreviousParent>(row.archetype).get_mut(row.row as usize)
            && *previous != expected
        {
            *previous = expected;
            self.previous_written.insert(row.archetype);
        }
    }

    /// Adds `PreviousParent` to an entity with a link, or on a cycle, that lacks it.
    pub(super) fn add_previous(&mut self, entity: Entity, row: Row) {
        let mask = self.archetypes[row.archetype].mask;
        let position = self.system.rows.position(entity, row);
        if mask.has(Mask::LINK) && !mask.has(Mask::PREVIOUS_PARENT) && position != NONE {
            let forest = &self.system.forest;
            if forest.is_linked(position) || forest.is_cyclic(position) {
                let previous = PreviousParent(self.linked_parent(entity, row));
                self.operations.push(Operation::AddPrevious(entity, previous));
            }
        }
    }

    /// The parent whose `Children` the entity stands in.
    fn linked_parent(&self, entity: Entity, row: Row) -> Option<Entity> {
        let position = self.system.rows.position(entity, row);
        if position == NONE || !self.system.forest.is_linked(position) {
            return None;
        }
        let parent = self.system.forest.parents[position as usize];
        Some(self.entity(self.system.forest.rows[parent as usize]))
    }
}
