//! What the systems of this crate work on, of a world.

use crate::engine::{
    bits,
    changes::WorldChanges,
    forest::Forest,
    machine::Machine,
    storage::{ChangeTracker, Columns},
};

/// All that the systems read and write during a run. Each field is borrowed apart, so a system can
/// write a column while it reads the forest.
pub(crate) struct Context<'a, 'w> {
    pub columns: &'a mut Columns<'w>,
    pub tracker: &'a mut ChangeTracker,
    /// Read for links and slots; written only to mark nodes.
    pub forest: &'a mut Forest,
    /// Where changed world matrices are listed, if a bundle lists them.
    pub changes: Option<&'a mut WorldChanges>,
    pub machine: &'a Machine,
}

impl Context<'_, '_> {
    /// Call where world matrices were written that come from no parent: of the rows with a bit, 64
    /// a word. The column's version is bumped, the rows are listed, and what is below them will
    /// follow.
    ///
    /// ```text
    ///  rows 3 and 70 of 100    [1 << 3, 1 << 6]
    /// ```
    pub fn worlds_written(&mut self, archetype: u32, rows: &[u64]) {
        let Self { columns, tracker, forest, changes, .. } = self;
        if bits::count(rows) == 0 {
            return;
        }
        let words = || rows.iter().copied().enumerate();
        tracker.bump_worlds(columns, archetype, words);
        changes.iter_mut().for_each(|changes| changes.add(archetype, words()));
        if !forest.slots(archetype).is_empty() {
            forest.set_moved_rows(archetype, bits::marked(rows));
        }
    }
}
