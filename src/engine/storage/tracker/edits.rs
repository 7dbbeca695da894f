//! Accelerator: writes by edits of this crate. They know the entity, so the next look finds it, and
//! compares no rows. (`flat_few/hundred` in docs/measurements.md.)
//!
//! Where a column has the version last seen, an edit in place gives the sheet the version that it
//! leaves, and the log the entity. The look that replays the log notes the row:
//!
//! ```text
//!                              Translation in archetype 4        sheet   log
//!  the last run                version 17                        17
//!  set_transform, entity e     17 as last seen; 23 afterwards    23      Edited e
//!  a user's system writes      24                                23
//!  look                        24 is not 23: written             24      e's row is edited
//! ```
//!
//! Without the user's write, the look finds version 23, and nothing but e is composed: of a million
//! entities, the one that moved.
//!
//! Many such edits cost more than to compare all rows: above an eighth of an archetype, and 64,
//! they are writes like any other.

use legion::{Entity, World};

use super::ChangeTracker;
use crate::engine::storage::{
    columns::Row,
    row_writer::{Bumps, RowWriter},
};

impl ChangeTracker {
    /// Writes inputs of an entity in place, in the row where it is.
    pub fn edit<R>(
        tracker: Option<&mut Self>,
        world: &mut World,
        (entity, at): (Entity, Row),
        write: impl FnOnce(&mut RowWriter<'_>) -> R,
    ) -> R {
        let mut bumps = Bumps::new();
        let result = write(&mut RowWriter::new(world, at, &mut bumps));
        if let Some(tracker) = tracker {
            tracker.note_edit(world, (entity, at), &bumps);
        }
        result
    }

    /// An edit in place has bumped these columns.
    fn note_edit(&mut self, world: &mut World, (entity, at): (Entity, Row), bumps: &Bumps) {
        let Self { log, sheets, roster, notes_edits: true, .. } = self else { return };
        let Some(sheet) = sheets.get_mut(at.archetype as usize) else { return };
        if sheet.edits as usize >= (roster.len(at.archetype) / 8).max(64) {
            return;
        }
        log.lend(world, |log, _| {
            let mut is_known = false;
            for &(component, before, after) in bumps.iter().filter(|_| log.can_note()) {
                let seen = &mut sheet.versions[(sheet.mask & component.below()).len()];
                if *seen == before {
                    (*seen, is_known) = (after, true);
                }
            }
            if is_known {
                sheet.edits += 1;
                log.note_edit(at.archetype, entity, bumps.len());
            }
        });
    }
}
