//! Accelerator: writes by edits of this crate. They know the row, so the next look compares none.
//! (`flat_few/hundred` in docs/measurements.md.)
//!
//! Where a column has the version last seen, an edit in place gives the sheet the version that it
//! leaves, and the log the row. The look that replays the log knows which row it has become:
//!
//! ```text
//!                              Translation in archetype 4        sheet   log
//!  the last run                version 17                        17
//!  set_transform, row 7        17 as last seen; 23 afterwards    23      Edited 7
//!  a user's system writes      24                                23
//!  look                        24 is not 23: written             24      row 7 is edited
//! ```
//!
//! Without the user's write, the look finds version 23, and nothing but row 7 is composed: of a
//! million, the one that moved.
//!
//! Many such edits cost more than to compare all rows: above an eighth of an archetype, and 64,
//! they are writes like any other.

use legion::World;

use super::ChangeTracker;
use crate::engine::storage::{
    columns::Row,
    row_writer::{Bumps, RowWriter},
};

impl ChangeTracker {
    /// Writes inputs of an entity in place, in its row.
    pub fn edit<R>(
        tracker: Option<&mut Self>,
        world: &mut World,
        at: Row,
        write: impl FnOnce(&mut RowWriter<'_>) -> R,
    ) -> R {
        let mut bumps = Bumps::new();
        let result = write(&mut RowWriter::new(world, at, &mut bumps));
        if let Some(tracker) = tracker {
            tracker.note_edit(world, at, &bumps);
        }
        result
    }

    /// An edit in place has bumped these columns.
    fn note_edit(&mut self, world: &mut World, at: Row, bumps: &Bumps) {
        let Self { log, sheets, row_map, notes_edits: true, .. } = self else { return };
        let Some(sheet) = sheets.get_mut(at.archetype as usize) else { return };
        if sheet.edits as usize >= (row_map.len(at.archetype) / 8).max(64) {
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
                log.note_edit(at, bumps.len());
            }
        });
    }
}
