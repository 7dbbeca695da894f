//! Which archetypes have local matrices to compose in a run.
//!
//! ```text
//!  archetype          happened                    work
//!  Translation, LTW   Translation was written     LocalToWorld of all rows
//!  Translation, LTP   row 7 came                  LocalToParent, of row 7 at least
//!  LTW alone          LocalToWorld was written    none: no inputs, the matrix is the user's
//!  Translation, LTW   rows were only removed      none: the others keep their matrices
//! ```

use crate::{
    rules,
    storage::{ChangeTracker, Columns, Mask},
};

/// An archetype whose local matrices have to be composed.
pub(super) struct Work {
    pub index: u32,
    pub mask: Mask,
    /// The number of its rows.
    pub rows: usize,
    /// The number of rows that are composed: all at first; `plain` lowers it where only the rows of
    /// new entities are due.
    pub composed: usize,
}

impl Work {
    /// The work in a touched archetype: `None` if its local matrices are not the bundle's to write,
    /// have no inputs, or are up to date.
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

    /// The number of words of marks for its rows: 2 for 100 rows.
    pub fn words(&self) -> usize {
        self.rows.div_ceil(64)
    }
}
