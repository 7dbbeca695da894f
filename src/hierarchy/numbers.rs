//! Numbers by row, for passes that would otherwise hash entities.

use crate::{
    raw::kernel::prefetch,
    storage::columns::{Columns, Row},
};

/// Where in a list the item about a row is. Nothing is ever cleared: whoever asks checks that the item at the answer is about
/// the row, as the answer may stem from an earlier list.
#[derive(Default)]
pub(super) struct Numbers {
    archetypes: Vec<Vec<u32>>,
}

impl Numbers {
    /// Where the item about a row may be.
    pub fn get(&self, row: Row) -> usize {
        self.number(row).map_or(usize::MAX, |&number| number as usize)
    }

    fn number(&self, row: Row) -> Option<&u32> {
        self.archetypes.get(row.archetype as usize)?.get(row.row as usize)
    }

    /// Asks for where the number of a row stands, as it will be needed soon.
    pub fn expect(&self, row: Row) {
        if let Some(number) = self.number(row) {
            prefetch(number);
        }
    }

    pub fn set(&mut self, columns: &Columns<'_>, row: Row, number: usize) {
        let index = row.archetype as usize;
        if self.archetypes.len() <= index {
            self.archetypes.resize_with(index + 1, Vec::new);
        }
        let numbers = &mut self.archetypes[index];
        if numbers.is_empty() {
            *numbers = vec![0; columns.entities(row.archetype).len()]; // untouched memory until it is used
        } else if numbers.len() <= row.row as usize {
            numbers.resize(columns.entities(row.archetype).len(), 0);
        }
        numbers[row.row as usize] = number as u32;
    }
}
