//! Entities that stand in more than one row.
//!
//! Legion gives an entity one row, but a merge whose `Merger` gives one id twice leaves two. Only the row that Legion finds by the
//! id takes part in the hierarchy, so that a row stands in the forest once and an entity in one place.

use legion::Entity;

use super::{
    parent_system::ParentSystem,
    rows::{Differences, Lost},
};
use crate::{
    forest::NONE,
    storage::columns::{Columns, Row},
    storage::mask::Mask,
    storage::tracker::ChangeTracker,
};

impl ParentSystem {
    /// Takes the rows that Legion does not find by their entity out of the hierarchy, and out of what was found.
    ///
    /// Costs a look at the archetypes' lengths; only while there are such rows, a look at every row.
    pub(super) fn set_duplicates_aside(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker, found: &mut Differences) {
        self.duplicates.clear();
        if !columns.has_duplicates() {
            return;
        }
        for archetype in tracker.having(Mask::RELATIONS) {
            for (row, &entity) in (0..).zip(columns.entities(archetype)) {
                let row = Row { archetype, row };
                if columns.locate(entity) != Some(row) {
                    self.set_aside(entity, row, found);
                }
            }
        }
        // The row that Legion finds can be another one than before, so that moving is news.
        found.moved.clear();
        found.entered.retain(|&row| columns.locate(columns.entity(row)) == Some(row));
        found.reparented.retain(|&row| columns.locate(columns.entity(row)) == Some(row));
    }

    fn set_aside(&mut self, entity: Entity, row: Row, found: &mut Differences) {
        self.duplicates.push(entity);
        let slot = self.forest.take_row(row);
        if slot != NONE {
            found.gone.push((entity, None, Lost { slot, sum: 0 }));
        }
    }
}
