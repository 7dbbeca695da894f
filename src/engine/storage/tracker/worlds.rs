//! Which worlds have changed, for `WorldToLocal`.
//!
//! ```text
//!  bump_worlds          local, propagate: rows whose world came out with other bits
//!  keep_world_changes   rows that came or are due; all, if users wrote either matrix
//!  take_world_changes   inverses: all of these rows, once
//! ```

use super::ChangeTracker;
use crate::{
    components::LocalToWorld,
    engine::{
        bits::Bits,
        storage::{columns::Columns, mask::Mask},
    },
};

impl ChangeTracker {
    /// [`bump`](Self::bump) of `LocalToWorld`. `words` returns the rows with another world, 64 a
    /// word; it is called only where worlds are inverted.
    pub fn bump_worlds<I: Iterator<Item = (usize, u64)>>(
        &mut self,
        columns: &mut Columns<'_>,
        archetype: u32,
        words: impl FnOnce() -> I,
    ) {
        self.bump::<LocalToWorld>(columns, archetype);
        let sheet = &mut self.sheets[archetype as usize];
        if sheet.inverts() {
            words().for_each(|(word, bits)| _ = sheet.worlds_changed.add(word, bits));
        }
    }

    /// Call before [`acknowledge`](Self::acknowledge) if `WorldToLocal` has not followed yet:
    /// [`take_world_changes`](Self::take_world_changes) of a later step finds the changes.
    pub fn keep_world_changes(&mut self) {
        for &archetype in &self.touched {
            let sheet = &mut self.sheets[archetype as usize];
            if sheet.inverts() {
                sheet.all_worlds_changed |=
                    sheet.is_written(Mask::LOCAL_TO_WORLD | Mask::WORLD_TO_LOCAL);
                sheet.worlds_changed.add_all(&sheet.arrived);
                sheet.worlds_changed.add_all(&sheet.due);
            }
        }
    }

    /// The rows of an archetype whose `WorldToLocal` has to follow: `LocalToWorld` or
    /// `WorldToLocal` was written since the last call, or entities came.
    pub fn take_world_changes(&mut self, archetype: u32) -> Bits {
        let (sheet, len) = (&mut self.sheets[archetype as usize], self.roster.len(archetype));
        let rows = &mut sheet.worlds_changed;
        let mut due = Bits::default();
        if std::mem::take(&mut sheet.all_worlds_changed) {
            due.resize(len);
            due.set_all();
        } else if !rows.is_unused() {
            due.resize(len);
            rows.sort();
            rows.rows(len).for_each(|row| due.set(row));
        }
        rows.clear();
        due
    }
}
