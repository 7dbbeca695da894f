//! Which worlds have changed, for `WorldToLocal`.
//!
//! ```text
//!  bump_worlds      local, propagate: rows whose world came out with other bits
//!  world_changes    inverses: these rows, and those that came or are due; all, if users wrote
//!                   either matrix
//!  acknowledge      before inverses were computed, all of that is kept; afterwards it is forgotten
//! ```

use super::ChangeTracker;
use crate::{
    components::LocalToWorld,
    engine::{
        bits::Bits,
        storage::{columns::Columns, mask::Mask},
    },
};

/// Where a user writes one of these, any inverse may be wrong.
const WORLDS: Mask = Mask::LOCAL_TO_WORLD.union(Mask::WORLD_TO_LOCAL);

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
            sheet.worlds_changed.sort();
        }
    }

    /// The rows whose `WorldToLocal` has to follow, of an archetype where worlds are inverted:
    /// `LocalToWorld` or `WorldToLocal` was written since inverses were last computed, or entities
    /// came.
    pub fn world_changes(&self, archetype: u32) -> Bits {
        let (sheet, len) = (&self.sheets[archetype as usize], self.roster.len(archetype));
        let mut rows = Bits::default();
        if sheet.all_worlds_changed || sheet.is_written(WORLDS) {
            rows.resize(len);
            rows.set_all();
            return rows;
        }
        for set in [&sheet.worlds_changed, &sheet.arrived, &sheet.due] {
            if !set.is_unused() {
                rows.resize(len);
                set.rows(len).for_each(|row| rows.set(row));
            }
        }
        rows
    }

    /// Inverses were computed, or will be in a later step: then the changes are kept for that.
    pub(super) fn acknowledge_worlds(&mut self, are_inverted: bool) {
        for &archetype in &self.relevant {
            let sheet = &mut self.sheets[archetype as usize];
            if are_inverted {
                sheet.all_worlds_changed = false;
                sheet.worlds_changed.clear();
            } else if sheet.inverts() {
                sheet.all_worlds_changed |= sheet.is_written(WORLDS);
                sheet.worlds_changed.add_all(&sheet.arrived);
                sheet.worlds_changed.add_all(&sheet.due);
                sheet.worlds_changed.sort();
            }
        }
    }
}
