//! Accelerator: writes by edits of this crate. They know the row, so the next look compares none.
//!
//! If a column has the version of the last look, an edit in place gives the sheet its new version,
//! and the log the row:
//!
//! ```text
//!                                Translation in archetype 4        sheet   log
//!   the last run                 version 17                        17
//!   set_transform, row 7         17 as at the last look; then 23   23      Edited 7
//!   a user's system writes       24                                23
//!   look                         24 is not 23: written             24      row 7 is edited
//! ```
//!
//! Without the user's write, the look finds version 23, and nothing but row 7 is composed. Above an
//! eighth of an archetype, and 64 rows, such edits are writes like any other.

use legion::World;

use super::ChangeTracker;
use crate::engine::storage::row_writer::Bumps;

impl ChangeTracker {
    /// Edits in place have bumped these columns, and written these rows.
    pub fn note_edits(&mut self, world: &mut World, archetype: u32, rows: &[u32], bumps: &Bumps) {
        let Self { log, sheets, row_map, notes_edits: true, .. } = self else { return };
        let Some(sheet) = sheets.get_mut(archetype as usize) else { return };
        let edits = sheet.edits as usize + rows.len();
        if edits > (row_map.len(archetype) / 8).max(64) {
            return;
        }
        log.lend(world, |log, _| {
            let mut is_known = false;
            for &(component, before, after) in bumps.iter().filter(|_| log.can_note(rows.len())) {
                let seen = &mut sheet.versions[(sheet.mask & component.below()).len()];
                if *seen == before {
                    (*seen, is_known) = (after, true);
                }
            }
            if is_known {
                sheet.edits = edits as u32;
                log.note_edits(archetype, rows, bumps.len());
            }
        });
    }
}
