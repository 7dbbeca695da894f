//! Finding the item about a row in a list, without hashing entities.
//!
//! A list of two items, about rows 7 and 2 of an archetype with 8 rows:
//!
//! ```text
//!  list        0: row 7    1: row 2
//!
//!  row         0  1  2  3  4  5  6  7
//!  by_row      0  0  1  0  0  0  0  0
//!
//!  get(2)  ->  1    list[1] is about row 2: found
//!  get(5)  ->  0    list[0] is about row 7, not 5: no item is about row 5
//! ```
//!
//! So entries need no initial value and no clearing: the comparison with the list refuses those
//! that were never set, and those of an earlier list.

use crate::engine::storage::{Columns, Row};

/// The index of the item about a row, by archetype and row: 4 bytes a row. Callers compare
/// `list[index].row` with the row, because an entry may stem from an earlier list.
#[derive(Default)]
pub(super) struct RowIndex {
    archetypes: Vec<Entries>,
}

#[derive(Default)]
struct Entries {
    by_row: Vec<u32>,
    /// The number of calls of `set` in this pass.
    entered: usize,
}

impl RowIndex {
    /// The index at which the item about a row may be; `usize::MAX` where certainly none is.
    pub fn get(&self, row: Row) -> usize {
        let entries = self.archetypes.get(row.archetype as usize);
        entries
            .and_then(|entries| entries.by_row.get(row.row as usize))
            .map_or(usize::MAX, |&index| index as usize)
    }

    /// Notes that the item about a row is at this index.
    pub fn set(&mut self, columns: &Columns<'_>, row: Row, index: usize) {
        let archetype = row.archetype as usize;
        if self.archetypes.len() <= archetype {
            self.archetypes.resize_with(archetype + 1, Entries::default);
        }
        let Entries { by_row: entries, entered } = &mut self.archetypes[archetype];
        *entered += 1;
        if entries.is_empty() {
            // Zeroed pages take no memory until they are touched: 3 entries in a million rows touch
            // at most three pages.
            *entries = vec![0; columns.entities(row.archetype).len()];
        } else if entries.len() <= row.row as usize {
            entries.resize(columns.entities(row.archetype).len(), 0);
        }
        entries[row.row as usize] = index as u32;
    }

    /// Ends a pass. Frees the entries of an archetype if more than an eighth of them were set: more
    /// than 125 of 1,000. The next pass most often needs fewer, and starts with untouched memory.
    pub fn end_pass(&mut self) {
        for entries in &mut self.archetypes {
            if std::mem::take(&mut entries.entered) * 8 > entries.by_row.len() {
                entries.by_row = Vec::new();
            }
        }
    }
}
