//! The content of a slot.

use crate::engine::storage::Row;

/// No slot: no parent, not in the forest.
pub(crate) const NONE: u32 = u32::MAX;
/// In place of a parent's slot: the node is held. It has a `Parent` without effect, because it is on
/// a cycle or waits for that parent, and counts as a root.
pub(super) const HELD: u32 = u32::MAX - 1;
/// All slots are below this, and the markers [`NONE`], [`HELD`] and [`FREE`] above: one comparison
/// says whether there is a parent.
pub(super) const MAX_SLOTS: u32 = 1 << 31;

/// A node or a free slot, as the loop of propagation reads it: 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The row of the entity; [`Row::NOWHERE`] in a free slot.
    pub row: Row,
    /// The parent's slot, [`NONE`], [`HELD`] or [`FREE`].
    pub parent: u32,
    /// The slot behind the last one of the extent.
    pub end: u32,
}

/// In place of a parent's slot: the slot is free.
pub(super) const FREE: u32 = u32::MAX - 2;

impl Node {
    pub fn is_linked(&self) -> bool {
        self.parent < MAX_SLOTS
    }

    pub fn is_held(&self) -> bool {
        self.parent == HELD
    }

    pub(super) fn is_free(&self) -> bool {
        self.parent == FREE
    }
}
