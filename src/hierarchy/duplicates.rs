//! Entities that stand in more than one row.
//!
//! Legion gives an entity one row, but a merge whose `Merger` gives one id twice leaves two. Only
//! the row that Legion finds by the id takes part in the hierarchy, so that a row stands in the
//! forest once and an entity in one place.

use legion::Entity;

use super::{Hierarchy, diff::Diff};
use crate::{
    forest::NONE,
    storage::columns::{Columns, Row},
    storage::mask::Mask,
    storage::tracker::ChangeTracker,
};

impl Hierarchy {
    /// Takes the rows that Legion does not find by their entity out of the hierarchy, and out of
    /// the diff.
    ///
    /// Costs a look at the archetypes' lengths; only while there are such rows, a look at every
    /// row.
    pub(super) fn set_duplicates_aside(
        &mut self,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
        diff: &mut Diff,
    ) {
        self.duplicates.clear();
        if !columns.has_duplicates() {
            return;
        }
        for archetype in tracker.having(Mask::RELATIONS) {
            for (row, &entity) in (0..).zip(columns.entities(archetype)) {
                let row = Row { archetype, row };
                if columns.locate(entity) != Some(row) {
                    self.set_aside(entity, row, diff);
                }
            }
        }
        // The row that Legion finds can be another one than before, so that moving is news.
        diff.moved.clear();
        for range in std::mem::take(&mut diff.entered) {
            range
                .iter()
                .filter(|&row| columns.locate(columns.entity(row)) == Some(row))
                .for_each(|row| diff.enter(row));
        }
        diff.reparented.retain(|&row| columns.locate(columns.entity(row)) == Some(row));
    }

    fn set_aside(&mut self, entity: Entity, row: Row, diff: &mut Diff) {
        self.duplicates.push(entity);
        let slot = self.forest.take_row(row);
        if slot != NONE {
            diff.gone.push((entity, None, slot));
        }
    }
}
