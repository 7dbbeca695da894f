//! The forest up to the end of a range, and the matrices, as the loop reads them; and the slots
//! that a thread visits.
//!
//! # Stamps
//!
//! "The children of this slot have to follow" is a byte a slot that holds the number of the
//! propagation. So nothing is cleared between runs: in propagation 7 a 7 says that they do, a 6 is
//! left over from the run before. Numbers go from 1 to 127. Then all bytes are set to 0 and numbers
//! start anew, so no old byte equals a new number. With the highest bit the world came out with
//! other bits in this propagation; without it, it had changed before.
//!
//! ```text
//! slot       0     1        2   3
//! stamp      7     7|128    6   0      in propagation 7: slot 0 had moved, slot 1 has changed
//! ```
//!
//! A byte and not a bit, because two threads may store neighbouring slots at once.

use std::sync::atomic::{AtomicU8, Ordering};

use super::matrices::SharedMatrices;
use crate::engine::{
    bits,
    forest::{Node, PropagationView},
};

/// The nodes before an end, with their marks and matrices, or with other data `D`.
pub(super) struct Nodes<'a, D = SharedMatrices<'a>> {
    /// The slot behind the last one of the range.
    pub end: u32,
    pub matrices: D,
    nodes: &'a [Node],
    /// The stamps, by slot.
    stamps: &'a [AtomicU8],
    /// The number of this propagation.
    stamp: u8,
    /// Worlds to compute, a bit a slot.
    dirty: &'a [u64],
    /// Worlds that changed before propagation began, a bit a slot. Only the children are computed.
    moved: &'a [u64],
    /// Whether any bit of `moved` may be set.
    pub any_moved: bool,
}

impl<'a, D> Nodes<'a, D> {
    pub fn of(&Slots { forest, end, .. }: &Slots<'a>, matrices: D) -> Self {
        let count = end as usize;
        let words = count.div_ceil(64);
        Self {
            end,
            matrices,
            nodes: &forest.nodes()[..count],
            stamps: &forest.stamps()[..count],
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

    /// Whether the children of a slot have to follow: its world has changed in this propagation, or
    /// had before it.
    #[inline(always)]
    pub fn is_stamped(&self, slot: u32) -> bool {
        self.stamps[slot as usize].load(Ordering::Relaxed) & !PropagationView::DIFFERS == self.stamp
    }

    /// The children of a slot have to follow. `differs`: the world has changed in this propagation.
    #[inline(always)]
    pub fn set_stamp(&self, slot: u32, differs: bool) {
        let stamp = self.stamp | if differs { PropagationView::DIFFERS } else { 0 };
        self.stamps[slot as usize].store(stamp, Ordering::Relaxed);
    }

    #[inline(always)]
    pub fn dirty(&self, slot: u32) -> bool {
        bits::get(self.dirty, slot as usize)
    }

    /// Whether the children of a slot have to follow: it `differs` now, or had changed already.
    /// Stamps it if they do.
    #[inline(always)]
    pub fn follow(&self, slot: u32, differs: bool) -> bool {
        let follow = differs || bits::get(self.moved, slot as usize);
        if follow {
            self.set_stamp(slot, differs);
        }
        follow
    }
}

/// The slots of a range that one thread visits, whatever is handed down: the marked ones, and all
/// below a change.
///
/// **Why it may write them**: distinct slots have distinct rows, and one thread visits a slot,
/// once. So nothing else touches this row now. If slots 2 and 3 shared a row, two threads could
/// write one matrix: `forest` refuses the second slot. What the parent has is final: its slot comes
/// first, so this thread visited it, or it was visited before this thread took the range.
#[derive(Clone, Copy)]
pub(super) struct Slots<'a> {
    pub forest: PropagationView<'a>,
    /// The slot that was visited last; one before the first, wrapping, in the beginning.
    pub last: u32,
    /// The slot behind the last one.
    pub end: u32,
    /// Slots before this one are below a change.
    pub below: u32,
}

impl Slots<'_> {
    #[inline(always)]
    pub fn next(&mut self) -> Option<u32> {
        let mut slot = self.last.wrapping_add(1);
        // Behind the changed subtrees only marked slots are visited, found 64 at a time.
        if slot >= self.below && slot < self.end {
            slot = self.forest.next_marked(slot);
        }
        self.last = slot;
        (slot < self.end).then_some(slot)
    }

    /// The children of the last slot have to follow: they stand before `end`. Extents nest: inside
    /// of a changed subtree this adds nothing, because `below` is behind that subtree already.
    #[inline(always)]
    pub fn follow(&mut self, end: u32) {
        if self.last >= self.below {
            self.below = end;
        }
    }
}
