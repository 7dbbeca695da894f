//! What the loop reads: the forest up to the end of a range, and the matrices.

use std::sync::atomic::{AtomicU8, Ordering};

use super::matrices::Shared;
use crate::{
    bits::get,
    forest::{Node, PropagationView},
};

/// The nodes before an end, with their marks and matrices. With `FLAGS`, the rows are flagged whose
/// world is another one than before.
pub(super) struct Nodes<'a, const FLAGS: bool> {
    pub end: u32,
    pub matrices: Shared<'a>,
    nodes: &'a [Node],
    /// Slots with this stamp have another world than before.
    changed: &'a [AtomicU8],
    stamp: u8,
    dirty: &'a [u64],
    moved: &'a [u64],
    /// Whether any slot may have moved.
    pub any_moved: bool,
}

impl<'a, const FLAGS: bool> Nodes<'a, FLAGS> {
    pub fn new(forest: PropagationView<'a>, end: u32, matrices: Shared<'a>) -> Self {
        let count = end as usize;
        let words = count.div_ceil(64);
        Self {
            end,
            matrices,
            nodes: &forest.nodes()[..count],
            changed: &forest.changed()[..count],
            stamp: forest.stamp(),
            dirty: &forest.dirty()[..words],
            moved: &forest.moved()[..words],
            any_moved: forest.any_moved(),
        }
    }

    #[inline(always)]
    pub fn node(&self, slot: u32) -> &Node {
        &self.nodes[slot as usize]
    }

    /// Whether the world at a slot is another one than before.
    #[inline(always)]
    pub fn has_changed(&self, slot: u32) -> bool {
        self.changed[slot as usize].load(Ordering::Relaxed) == self.stamp
    }

    #[inline(always)]
    pub fn set_changed(&self, slot: u32) {
        self.changed[slot as usize].store(self.stamp, Ordering::Relaxed);
    }

    #[inline(always)]
    pub fn dirty(&self, slot: u32) -> bool {
        get(self.dirty, slot as usize)
    }

    #[inline(always)]
    pub fn moved(&self, slot: u32) -> bool {
        get(self.moved, slot as usize)
    }
}
