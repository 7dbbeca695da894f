//! What a thread has before it during a run: the forest, for loops that need not ask of every position whether there is one, and the
//! matrices.
#![allow(unsafe_code)]

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

    /// # Safety
    /// As of all functions here, the position is before the end.
    #[inline(always)]
    pub unsafe fn node(&self, position: u32) -> &Node {
        // SAFETY: the caller's promise.
        unsafe { self.nodes.get_unchecked(position as usize) }
    }

    /// Whether the world at a position is another one than before.
    #[inline(always)]
    pub unsafe fn has_changed(&self, position: u32) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.changed.get_unchecked(position as usize).load(Ordering::Relaxed) == self.stamp }
    }

    #[inline(always)]
    pub unsafe fn set_changed(&self, position: u32) {
        // SAFETY: the caller's promise.
        unsafe { self.changed.get_unchecked(position as usize).store(self.stamp, Ordering::Relaxed) }
    }

    #[inline(always)]
    pub unsafe fn dirty(&self, position: u32) -> bool {
        // SAFETY: the caller's promise.
        unsafe { bit(self.dirty, position) }
    }

    #[inline(always)]
    pub unsafe fn moved(&self, position: u32) -> bool {
        // SAFETY: the caller's promise.
        unsafe { bit(self.moved, position) }
    }
}

/// # Safety
/// There are so many bits.
#[inline(always)]
unsafe fn bit(words: &[u64], position: u32) -> bool {
    // SAFETY: the caller's promise.
    unsafe { words.get_unchecked(position as usize / 64) & 1 << (position % 64) != 0 }
}
