//! Marks: where propagation begins.
//!
//! *Dirty* nodes have to be computed and compared. *Moved* nodes have changed already, or may
//! have: only the nodes below them have to follow.

use super::{Forest, NONE};
use crate::bits::Bits;

impl Forest {
    /// Marks some rows of an archetype as dirty. Rows without a node are skipped.
    pub fn set_dirty_rows(&mut self, archetype: u32, rows: impl Iterator<Item = usize>) {
        let slots = self.rows.slots(archetype);
        self.dirty.set_each(rows.filter_map(|row| slots.get(row)).filter(is_slot));
    }

    /// Marks some rows of an archetype as moved. Rows without a node are skipped.
    pub fn set_moved_rows(&mut self, archetype: u32, rows: impl Iterator<Item = usize>) {
        let slots = self.rows.slots(archetype);
        self.moved.set_each(rows.filter_map(|row| slots.get(row)).filter(is_slot));
    }

    /// Marks all rows of an archetype as dirty.
    pub fn set_dirty_archetype(&mut self, archetype: u32) {
        self.dirty.set_each(self.rows.slots(archetype).iter().filter(is_slot));
    }

    /// Marks all rows of an archetype as moved.
    pub fn set_moved_archetype(&mut self, archetype: u32) {
        self.moved.set_each(self.rows.slots(archetype).iter().filter(is_slot));
    }

    /// Puts other marks, dirty and moved, in the place of these, for a propagation of something
    /// else. Returns these.
    pub fn replace_marks(&mut self, [dirty, moved]: [Bits; 2]) -> [Bits; 2] {
        let len = self.nodes.len().div_ceil(64);
        assert!([&dirty, &moved].iter().all(|marks| marks.words().len() == len), "a bit a slot");
        [std::mem::replace(&mut self.dirty, dirty), std::mem::replace(&mut self.moved, moved)]
    }

    /// Whether any node may be marked.
    pub fn has_marked(&self) -> bool {
        self.dirty.maybe_any() || self.moved.maybe_any()
    }
}

fn is_slot(slot: &&u32) -> bool {
    **slot != NONE
}
