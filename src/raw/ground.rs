//! The forest for loops that need not ask of every position whether there is one.
#![allow(unsafe_code)]

use std::sync::atomic::AtomicU32;

use crate::hierarchy::forest::{Forest, Node};

/// The positions before an end.
pub(super) struct Ground<'a> {
    pub end: u32,
    nodes: &'a [Node],
    marks: &'a [AtomicU32],
    dirty: &'a [u64],
    moved: &'a [u64],
}

impl<'a> Ground<'a> {
    pub fn new(forest: &'a Forest, end: u32) -> Self {
        let count = end as usize;
        let words = count.div_ceil(64);
        Self {
            end,
            nodes: &forest.nodes[..count],
            marks: &forest.marks[..count],
            dirty: &forest.dirty.words()[..words],
            moved: &forest.moved.words()[..words],
        }
    }

    /// # Safety
    /// As of all functions here, the position is before the end.
    #[inline(always)]
    pub unsafe fn node(&self, position: u32) -> &Node {
        // SAFETY: the caller's promise.
        unsafe { self.nodes.get_unchecked(position as usize) }
    }

    #[inline(always)]
    pub unsafe fn mark(&self, position: u32) -> &AtomicU32 {
        // SAFETY: the caller's promise.
        unsafe { self.marks.get_unchecked(position as usize) }
    }

    #[inline(always)]
    pub unsafe fn dirty(&self, position: u32) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.dirty.get_unchecked(position as usize / 64) & 1 << (position % 64) != 0 }
    }

    #[inline(always)]
    pub unsafe fn moved(&self, position: u32) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.moved.get_unchecked(position as usize / 64) & 1 << (position % 64) != 0 }
    }
}
