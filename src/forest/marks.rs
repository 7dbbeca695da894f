//! What propagation has to do.

use super::{Forest, NONE};

impl Forest {
    /// The worlds of some rows of an archetype have to be computed and compared.
    pub fn set_dirty_rows(&mut self, archetype: u32, rows: impl Iterator<Item = usize>) {
        let slots = self.rows.slots(archetype);
        self.dirty.set_each(rows.filter_map(|row| slots.get(row)).filter(is_slot));
    }

    /// The worlds of some rows of an archetype have changed already.
    pub fn set_moved_rows(&mut self, archetype: u32, rows: impl Iterator<Item = usize>) {
        let slots = self.rows.slots(archetype);
        self.moved.set_each(rows.filter_map(|row| slots.get(row)).filter(is_slot));
    }

    /// The worlds of all rows of an archetype have to be computed and compared.
    pub fn set_dirty_archetype(&mut self, archetype: u32) {
        self.dirty.set_each(self.rows.slots(archetype).iter().filter(is_slot));
    }

    /// The worlds of all rows of an archetype have changed already.
    pub fn set_moved_archetype(&mut self, archetype: u32) {
        self.moved.set_each(self.rows.slots(archetype).iter().filter(is_slot));
    }

    /// Whether propagation may have anything to do.
    pub fn has_marked(&self) -> bool {
        self.dirty.maybe_any() || self.moved.maybe_any()
    }
}

fn is_slot(slot: &&u32) -> bool {
    **slot != NONE
}
