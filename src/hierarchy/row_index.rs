//! Finding the item about a row in a list, without hashing entities.

use crate::storage::{Columns, Row};

/// Where in a list the item about a row is, by archetype and row. Never cleared: entries may stem
/// from an earlier list, so callers compare `list[index].row` with the row.
#[derive(Default)]
pub(super) struct RowIndex {
    archetypes: Vec<Entries>,
}

#[derive(Default)]
struct Entries {
    by_row: Vec<u32>,
    /// How many were entered in this pass.
    entered: usize,
}

impl RowIndex {
    /// Where the item about a row may be.
    pub fn get(&self, row: Row) -> usize {
        let entries = self.archetypes.get(row.archetype as usize);
        entries
            .and_then(|entries| entries.by_row.get(row.row as usize))
            .map_or(usize::MAX, |&index| index as usize)
    }

    pub fn set(&mut self, columns: &Columns<'_>, row: Row, index: usize) {
        let archetype = row.archetype as usize;
        if self.archetypes.len() <= archetype {
            self.archetypes.resize_with(archetype + 1, Entries::default);
        }
        let Entries { by_row: entries, entered } = &mut self.archetypes[archetype];
        *entered += 1;
        if entries.is_empty() {
            // Untouched memory until it is used.
            *entries = vec![0; columns.entities(row.archetype).len()];
        } else if entries.len() <= row.row as usize {
            entries.resize(columns.entities(row.archetype).len(), 0);
        }
        entries[row.row as usize] = index as u32;
    }

    /// Ends a pass. Frees what one in which much changed has filled: the next one needs less, and
    /// touches memory where it uses it.
    pub fn end_pass(&mut self) {
        for entries in &mut self.archetypes {
            if std::mem::take(&mut entries.entered) * 8 > entries.by_row.len() {
                entries.by_row = Vec::new();
            }
        }
    }
}
