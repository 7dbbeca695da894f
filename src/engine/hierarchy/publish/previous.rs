//! Publishes `PreviousParent`, the record of the link, in the rows of the diff. Linked and held
//! entities that lack the component get it by commands.
//!
//! ```text
//!  the entity                                        PreviousParent
//!  is linked, with `Parent(sun)`                     Some(sun)
//!  is on a cycle, or waits for its parent            None
//!  has a `Parent`, and lacks a matrix                None, where it is there; not added
//!  has no `Parent`                                   removed
//!  has one that died                                 left, until a command has removed both
//! ```

use super::{
    super::{
        change::{LinkChanges, LinkTarget},
        diff::Diff,
    },
    Publisher,
};
use crate::{
    components::{Parent, PreviousParent},
    engine::{
        forest::NONE,
        storage::{Mask, Row},
    },
};

impl Publisher<'_, '_> {
    /// Brings `PreviousParent` in line with the links.
    pub(super) fn publish_previous(&mut self, changes: &LinkChanges, diff: &Diff) {
        self.remove_from_roots();
        // If their commands are cut short, the next run must know that their parents have died.
        let unlinked = changes.list.iter().filter(|change| change.target == LinkTarget::Repair);
        let mut unlinked: Vec<Row> = unlinked.map(|change| change.row).collect();
        unlinked.sort_unstable();
        let is_kept = |row: &Row| unlinked.is_empty() || unlinked.binary_search(row).is_err();
        for range in &diff.entered {
            self.set_previous(range.archetype, range.iter().filter(is_kept));
        }
        // Entities that came were in the ranges above.
        let is_old = |row: &Row| !self.tracker[row.archetype].has_just_arrived(row.row);
        let changed = changes.list.iter().map(|change| change.row).filter(is_old);
        let rows = changed.chain(diff.reparented.iter().chain(&diff.previous).copied());
        let rows: Vec<Row> = rows.collect();
        for rows in rows.chunk_by(|a, b| a.archetype == b.archetype) {
            self.set_previous(rows[0].archetype, rows.iter().copied().filter(is_kept));
        }
    }

    /// Removes the component from entities without `Parent`. A run leaves no such entity, so all
    /// rows of such an archetype are new.
    fn remove_from_roots(&mut self) {
        for index in self.tracker.having(Mask::PREVIOUS_PARENT) {
            let archetype = &self.tracker[index];
            if !archetype.mask.has(Mask::PARENT) && archetype.is_changed(Mask::PREVIOUS_PARENT) {
                let rows = 0..self.columns.entities(index).len() as u32;
                let rows = rows.map(|row| Row { archetype: index, row });
                rows.for_each(|row| self.commands.take(row, Mask::PREVIOUS_PARENT));
            }
        }
    }

    /// Writes the right `PreviousParent` into rows of one archetype. Where it lacks the component,
    /// entities with a link and held ones get it by command.
    ///
    /// ```text
    ///  row   in the forest   Parent   previous   written
    ///  0     child of sun    sun      sun        -
    ///  1     child of venus  venus    sun        venus
    ///  2     on a cycle      io       sun        None
    /// ```
    ///
    /// Row 0 differs nowhere: if all rows are like it, no version is bumped.
    fn set_previous(&mut self, archetype: u32, rows: impl Iterator<Item = Row>) {
        let mask = self.tracker[archetype].mask;
        if !mask.has(Mask::PARENT) {
            return;
        }
        let forest = &self.hierarchy.forest;
        let (parents, previous) = self.columns.read_write::<Parent, PreviousParent>(archetype);
        for row in rows {
            let slot = forest.slot(row);
            // The forest is up to date: the parent there is the one that `Parent` names.
            let is_linked = slot != NONE && forest.is_linked(slot);
            let right = is_linked.then(|| parents[row.row as usize].0);
            match previous.get_mut(row.row as usize) {
                Some(previous) if previous.0 != right => {
                    previous.0 = right;
                    self.previous_written.insert(archetype);
                }
                None if forest.has_link(slot) => self.commands.give(row, Mask::PREVIOUS_PARENT),
                _ => {}
            }
        }
    }
}
