//! The forest: every entity that has a parent or children, in preorder.
//!
//! ```text
//!              sun           slot:      0    1    2    3    4    5    6
//!             /   \          entity:    sun  mars moon io   -    ship crew
//!          mars   ship       parent:    -    0    1    1    .    0    5
//!          /  \     \        end:       5    4    3    4    5    7    7
//!       moon   io    crew    segment:   0    0    0    0    0    1    1
//!                            children:  sun: mars, ship   mars: moon, io   ship: crew
//! ```
//!
//! A **node** stands in a **slot**. Its **extent** `[slot, end)` holds the subtree that was
//! inserted with it: descendants are found without a search, and threads share a long extent by
//! subtrees. The ship changed its parent: its subtree was appended as a new extent, and its old
//! slot, 4, is [free].
//!
//! [`rebuild`](Forest::rebuild) writes the order anew, in O(n), only if most slots are free, if
//! there are more than 1,024 segments, or if nothing was inserted apart for long. Any other edit
//! costs O(n) for n nodes that get other slots.
//!
//! Children are a doubly linked list in a second array, in the order in which they came, so that
//! one is removed or appended in O(1):
//!
//! ```text
//!  sun.first_child ──► mars ── next ──► ship ── next ──► NONE
//!                      mars.previous == ship: the first leads to the last
//!                           ◄─ previous ─
//! ```
//!
//! # What propagation relies on
//!
//! The `unsafe` code that computes world matrices on several threads trusts these five points of a
//! [`PropagationView`]. The fields of [`Forest`] are private to this module, so its functions alone
//! can break them. [`validate`](Forest::validate) checks them after every operation of the tests.
//!
//! 1. **Distinct nodes have distinct rows.** `set_row` sets a node's row, at the end of an
//!    insertion, too. It enters the slot into the table by row and refuses a row that has a slot.
//!    So `table[node.row] == slot` for every node with a row. A node without a row has
//!    [`Row::NOWHERE`], which is not a row of any archetype.
//! 2. **Extents nest or are disjoint.** A subtree becomes an extent at the end or in a gap, an
//!    extent of free slots. It fills the gap, and slots that are left become a gap inside of it.
//!    `open_extent` ends extents of free slots where a node begins. Nothing else writes an `end`:
//!    nodes that are detached in place keep theirs.
//! 3. **Parents come before children**, `parent < slot`: inside of an extent by preorder; a gap
//!    right below the parent is in its extent; other gaps are in a segment behind the parent's; an
//!    extent at the end is behind all. A node that gets a different parent gets a different slot.
//! 4. **Segments are independent.** An extent that is appended apart from its parent begins a new
//!    segment, unless the parent is in an earlier segment. So a node's parent is in the same
//!    top-level extent or in an earlier segment. Threads that compute extents of one segment, after
//!    all earlier segments, never wait for each other.
//! 5. **Splits are at subtrees.** A [`SubtreeRange`] is a segment, or a part of a range that
//!    [`split`](PropagationView::split) or [`stem`](PropagationView::stem) made. Its fields are
//!    private.

mod children;
mod free;
mod insert;
mod propagation;
mod rows;
#[cfg_attr(not(feature = "parallel"), allow(dead_code, reason = "only threads split the order"))]
mod split;
#[cfg(test)]
mod tests;
#[cfg(any(test, debug_assertions))]
mod validate;

use std::sync::atomic::AtomicU8;

use self::{children::Kin, rows::RowTable};
pub(crate) use self::{insert::NewParent, propagation::PropagationView, split::SubtreeRange};
use crate::engine::{bits::Bits, storage::Row};

/// The order is rebuilt when more slots are free than there are nodes, and more than this.
const TOLERATED: usize = 4096;
/// ... or when more than this number of extents apart was looked at for each node since the last
/// one was inserted: looking has cost as much as rebuilding.
const LOOKS: usize = 64;
/// ... or when there are more segments.
const SEGMENTS: usize = 1024;

/// No slot: no parent, not in the forest.
pub(crate) const NONE: u32 = u32::MAX;
/// In place of a parent's slot: the node is held. Its `Parent` is ignored, because it is on a cycle
/// or waits for that parent: it counts as a root.
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

/// The order; see the [module](self).
#[derive(Default)]
pub(crate) struct Forest {
    nodes: Vec<Node>,
    /// Siblings and children, by slot.
    kin: Vec<Kin>,
    /// The first gap of each class of lengths that is in no other extent, or [`NONE`].
    gaps: Vec<u32>,
    /// The stamp of the last walk that visited a slot, by slot; see
    /// [`new_visits`](Self::new_visits). Not always as long as `nodes`.
    visited: Vec<u32>,
    last_visit: u32,
    /// The stamps of propagation, by slot; atomic, for threads.
    stamps: Vec<AtomicU8>,
    propagation: u8,
    /// Nodes whose world has to be computed and compared.
    dirty: Bits,
    /// Nodes whose world has changed already, so that the children have to follow.
    dirty_below: Bits,
    /// Where each segment begins.
    segments: Vec<u32>,
    /// The slot of each row.
    rows: RowTable,
    /// How many slots are free.
    freed: usize,
    /// How many extents [`wake_segment`](Self::wake_segment) has looked at since one was inserted
    /// apart from its parent.
    looked_at: usize,
    /// How many roots stand in the extents of others, because they were detached in place.
    detached: usize,
}

impl Forest {
    /// How many slots there are, free ones included.
    pub fn slots_len(&self) -> usize {
        self.nodes.len()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len() - self.freed
    }

    /// Where the entity of a node is; [`Row::NOWHERE`] for one that has no row (yet).
    pub fn row(&self, slot: u32) -> Row {
        self.nodes[slot as usize].row
    }

    /// The slot of a node's parent.
    pub fn parent(&self, slot: u32) -> Option<u32> {
        Some(self.nodes[slot as usize].parent).filter(|&parent| parent < MAX_SLOTS)
    }

    /// Whether a node has a parent.
    pub fn is_linked(&self, slot: u32) -> bool {
        self.nodes[slot as usize].is_linked()
    }

    /// Whether a node has a `Parent` and is a root nevertheless: on a cycle, or waiting.
    pub fn is_held(&self, slot: u32) -> bool {
        self.nodes[slot as usize].is_held()
    }

    /// Whether the node at a slot has a parent or is held; false for [`NONE`].
    pub fn has_link(&self, slot: u32) -> bool {
        slot != NONE && self.nodes[slot as usize].parent != NONE
    }

    /// Whether a node has a parent, is held or has children. The forest needs no others.
    pub fn is_needed(&self, slot: u32) -> bool {
        self.has_link(slot) || self.has_children(slot)
    }

    /// Whether a slot is in the extent that begins at another.
    fn is_in_extent(&self, slot: u32, top: u32) -> bool {
        top < slot && slot < self.nodes[top as usize].end
    }

    /// Whether [`rebuild`](Self::rebuild) pays.
    pub fn is_fragmented(&self) -> bool {
        let len = self.len().max(TOLERATED);
        self.freed > len || self.looked_at > LOOKS * len || self.segments.len() > SEGMENTS
    }
}
