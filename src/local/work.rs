//! What the local systems have to compose in a run.

use crate::{
    rules,
    storage::{ChangeTracker, Columns, Mask},
};

/// An archetype whose local matrices have to be composed.
pub(super) struct Work {
    pub index: u32,
    pub mask: Mask,
    /// How many rows it has.
    pub rows: usize,
    /// How many of them are composed.
    pub composed: usize,
}

impl Work {
    /// What has to be composed in a touched archetype, if anything.
    pub fn of(index: u32, columns: &Columns<'_>, tracker: &ChangeTracker) -> Option<Self> {
        let sheet = &tracker[index];
        let mask = sheet.mask;
        let rules::Rule { target, inputs, .. } = rules::local_matrix(mask);
        if !sheet.writes(target) || !mask.has_any(inputs) || !sheet.is_due(inputs, target) {
            return None;
        }
        let rows = columns.entities(index).len();
        Some(Self { index, mask, rows, composed: rows })
    }

    /// How many words of marks its rows have.
    pub fn words(&self) -> usize {
        self.rows.div_ceil(64)
    }
}
