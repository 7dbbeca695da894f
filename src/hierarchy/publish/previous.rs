//! Publishes `PreviousParent`: on everything with a link its parent, on cycles nothing, and gone
//! from everything else.

use super::{
    super::{change::LinkChanges, diff::Diff},
    Publisher,
    commands::Command,
};
use crate::{
    components::{Parent, PreviousParent},
    storage::{Mask, Row},
};

impl Publisher<'_, '_> {
    /// Brings `PreviousParent` in line with the links.
    pub(super) fn publish_previous(&mut self, changes: &LinkChanges, diff: &Diff) {
        self.remove_from_strangers();
        for range in &diff.entered {
            self.set_previous(range.archetype, range.iter());
        }
        // What has come was among those.
        let is_old = |row: &Row| !self.tracker[row.archetype].has_just_arrived(row.row);
        let changed = changes.list.iter().map(|change| change.row).filter(is_old);
        let rows = changed.chain(diff.reparented.iter().chain(&diff.previous).copied());
        let rows: Vec<Row> = rows.collect();
        for rows in rows.chunk_by(|a, b| a.archetype == b.archetype) {
            self.set_previous(rows[0].archetype, rows.iter().copied());
        }
    }

    /// Removes the component from entities without `Parent`.
    fn remove_from_strangers(&mut self) {
        for index in self.tracker.having(Mask::PREVIOUS_PARENT) {
            let archetype = &self.tracker[index];
            if !archetype.mask.has(Mask::PARENT) && archetype.is_changed(Mask::PREVIOUS_PARENT) {
                for (row, &entity) in (0..).zip(self.columns.entities(index)) {
                    let at = Row { archetype: index, row };
                    self.commands.record(at, entity, Command::TakePrevious);
                }
            }
        }
    }

    /// Writes the right `PreviousParent` into rows of one archetype. Where it lacks the component,
    /// entities with a link or on a cycle get it.
    fn set_previous(&mut self, archetype: u32, rows: impl Iterator<Item = Row>) {
        let mask = self.tracker[archetype].mask;
        if !mask.has(Mask::PARENT) {
            return;
        }
        let forest = &self.hierarchy.forest;
        let link = |row: Row| Some(forest.slot(row)).filter(|&slot| forest.has_link(slot));
        let (parents, previous) = self.columns.read_write::<Parent, PreviousParent>(archetype);
        // A link is to what `Parent` says.
        let right = |row: Row, slot: Option<u32>| {
            slot.filter(|&slot| forest.is_linked(slot)).map(|_| parents[row.row as usize].0)
        };
        let mut added = Vec::new();
        for row in rows {
            let slot = link(row);
            let right = right(row, slot);
            match previous.get_mut(row.row as usize) {
                Some(previous) if previous.0 != right => {
                    previous.0 = right;
                    self.previous_written.add(archetype);
                }
                None if slot.is_some() => added.push((row, right)),
                _ => {}
            }
        }
        for (row, right) in added {
            let command = Command::GivePrevious(PreviousParent(right));
            self.commands.record(row, self.columns.entity(row), command);
        }
    }
}
