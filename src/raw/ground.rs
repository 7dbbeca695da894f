//! What a thread has before it during a run: the forest, for loops that need not ask of every position whether there is one, and the
//! matrices.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

use super::matrices::Shared;
use crate::hierarchy::forest::{Forest, Node};

/// The positions before an end.
pub(super) struct Ground<'a> {
    pub end: u32,
    /// Positions with this mark have another world than before.
    mark: u32,
    pub matrices: Shared<'a>,
    nodes: &'a [Node],
    marks: &'a [AtomicU32],
    dirty: &'a [u64],
    moved: &'a [u64],
    /// Whether any position may have moved.
    pub any_moved: bool,
}

impl<'a> Ground<'a> {
    pub fn new(forest: &'a Forest, end: u32, mark: u32, matrices: Shared<'a>) -> Self {
        let count = end as usize;
        let words = count.div_ceil(64);
        Self {
            end,
            mark,
            matrices,
            nodes: &forest.nodes[..count],
            marks: &forest.marks[..count],
            dirty: &forest.dirty.words()[..words],
            moved: &forest.moved.words()[..words],
            any_moved: forest.moved.maybe_any(),
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
    pub unsafe fn is_marked(&self, position: u32) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.marks.get_unchecked(position as usize).load(Ordering::Relaxed) == self.mark }
    }

    #[inline(always)]
    pub unsafe fn set_marked(&self, position: u32) {
        // SAFETY: the caller's promise.
        unsafe { self.marks.get_unchecked(position as usize).store(self.mark, Ordering::Relaxed) }
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
