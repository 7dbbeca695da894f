//! What a thread has before it during a run: the forest, as far as the run reaches, and the matrices.

use std::sync::atomic::{AtomicU32, Ordering};

use super::matrices::Shared;
use crate::forest::{Node, PropagationView};

/// The positions before an end.
pub(super) struct Ground<'a> {
    pub end: u32,
    pub matrices: Shared<'a>,
    nodes: &'a [Node],
    /// Positions with this stamp have another world than before.
    changed: &'a [AtomicU32],
    stamp: u32,
    dirty: &'a [u64],
    moved: &'a [u64],
    /// Whether any position may have moved.
    pub any_moved: bool,
}

impl<'a> Ground<'a> {
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
    pub fn node(&self, position: u32) -> &Node {
        &self.nodes[position as usize]
    }

    /// Whether the world at a position is another one than before.
    #[inline(always)]
    pub fn has_changed(&self, position: u32) -> bool {
        self.changed[position as usize].load(Ordering::Relaxed) == self.stamp
    }

    #[inline(always)]
    pub fn set_changed(&self, position: u32) {
        self.changed[position as usize].store(self.stamp, Ordering::Relaxed);
    }

    #[inline(always)]
    pub fn dirty(&self, position: u32) -> bool {
        bit(self.dirty, position)
    }

    #[inline(always)]
    pub fn moved(&self, position: u32) -> bool {
        bit(self.moved, position)
    }
}

#[inline(always)]
fn bit(words: &[u64], position: u32) -> bool {
    words[position as usize / 64] & 1 << (position % 64) != 0
}
