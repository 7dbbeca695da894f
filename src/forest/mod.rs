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
//! A **node** stands in a **slot**. Its **run** `[slot, end)` holds the subtree that was inserted
//! with it: descendants are found without a search, and a long run can be split for threads at any
//! subtree. The ship of the drawing changed its parent: its subtree was appended as a run of its
//! own, and its old slot, 4, is free.
//!
//! A free slot is used again in one case: a child left it, and the next child of the same parent
//! has no children of its own. Crowds whose members come and go need no more. Free slots and runs
//! apart from their parents are *fragmentation*. Past a bound [`rebuild`](Forest::rebuild) writes
//! the order anew in O(n): constant work an edit, amortised.
//!
//! Children are a doubly linked list in a second array, in the order in which they got the parent:
//!
//! ```text
//!  sun.first_child ──► mars ── next ──► ship ── next ──► NONE
//!                      mars.previous == ship: the first leads to the last
//!                           ◄─ previous ─
//! ```
//!
//! So a child is removed or appended in O(1), however many siblings it has.
//!
//! # What propagation relies on
//!
//! The `unsafe` code that computes world matrices on several threads reads a [`PropagationView`]
//! and trusts these five points. The fields of [`Forest`] are private to this module, so reading
//! its functions is enough to see that they hold. [`validate`](Forest::validate) checks them after
//! every operation of the tests.
//!
//! 1. **Distinct nodes have distinct rows.** `place` sets a node's row, and an insertion ends with
//!    `enter_row` for each node. Both enter the slot into the table by row and refuse a row that
//!    has a slot. So `table[node.row] == slot` for every node with a row. A node without a row has
//!    [`Row::NOWHERE`], which is no row of any archetype.
//! 2. **Runs nest or are disjoint.** Insertion and rebuilding append whole subtrees. A free slot
//!    that is used again becomes a run of one slot, at the start of its old run. Nothing else
//!    writes an `end`: free slots, and nodes that are detached in place, keep theirs.
//! 3. **Parents come before children**, `parent < slot`: inside of a run by preorder; a run apart
//!    from its parent was appended when the parent had its slot; a free slot is used again only
//!    inside of the parent's run. A node that gets another parent gets another slot.
//! 4. **Segments are independent.** A run that stands apart from its parent begins a new segment,
//!    unless the parent is in an earlier segment already. So a node's parent is in the same
//!    top-level run or in an earlier segment. Threads that compute different runs of one segment,
//!    after all earlier segments, never wait for each other.
//! 5. **Splits are at subtrees.** A [`SubtreeRange`] is a segment, or a part of another range that
//!    [`split`](PropagationView::split) or [`stem`](PropagationView::stem) made. Its fields are
//!    private.

mod children;
mod detach;
mod insert;
mod marks;
mod node;
mod propagation;
mod rebuild;
mod rows;
#[cfg_attr(not(feature = "parallel"), allow(dead_code, reason = "only threads split the order"))]
mod split;
#[cfg(test)]
mod tests;
#[cfg(any(test, debug_assertions))]
mod validate;
mod walk;

use std::sync::atomic::AtomicU8;

use self::{
    children::Links,
    node::{CYCLE, MAX_SLOTS},
    rows::RowTable,
};
pub(crate) use self::{
    insert::NewParent,
    node::{NONE, Node},
    propagation::PropagationView,
    split::SubtreeRange,
};

use crate::{bits::Bits, storage::Row};

/// The order is rebuilt when fragmentation is over both bounds: 4,096 pieces, and a piece for
/// each 3 nodes. With 30,000 nodes, that is at 10,001 free slots and runs apart.
const TOLERATED: usize = 4096;
const NODES_A_PIECE: usize = 3;

/// The order; see the [module](self).
#[derive(Default)]
pub(crate) struct Forest {
    nodes: Vec<Node>,
    /// Siblings and children, by slot.
    links: Vec<Links>,
    /// The first free slot that a child of a node left, by the node's slot, or [`NONE`]. The others
    /// follow by [`Links::next`]. Slots behind the last entry have none.
    free_below: Vec<u32>,
    /// The stamp of the last walk that visited a slot, by slot; see
    /// [`new_visits`](Self::new_visits). Not always as long as `nodes`.
    visited: Vec<u32>,
    last_visit: u32,
    /// The stamps of propagation, by slot; atomic, for threads.
    changed: Vec<AtomicU8>,
    propagation: u8,
    /// Nodes whose world has to be computed and compared.
    dirty: Bits,
    /// Nodes whose world has changed already, so that the children have to follow.
    moved: Bits,
    /// Where each segment begins.
    segments: Vec<u32>,
    /// The slot of each row.
    rows: RowTable,
    /// How many slots are free.
    freed: usize,
    /// How many nodes stand apart from their parents.
    apart: usize,
    /// How many runs [`wake_segment`](Self::wake_segment) has looked at since the order was built.
    looked_at: usize,
    /// How many roots stand in the runs of others, because they were detached in place.
    detached: usize,
}

impl Forest {
    /// How many slots there are, free ones included.
    #[cfg(any(test, debug_assertions))]
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

    /// Whether a node is on a cycle.
    pub fn is_cyclic(&self, slot: u32) -> bool {
        self.nodes[slot as usize].is_cyclic()
    }

    /// Whether the node at a slot has a parent or is on a cycle; false for [`NONE`].
    pub fn has_link(&self, slot: u32) -> bool {
        slot != NONE && self.nodes[slot as usize].parent != NONE
    }

    /// Whether a node has a parent, is on a cycle or has children. The forest needs no others.
    pub fn is_needed(&self, slot: u32) -> bool {
        self.has_link(slot) || self.has_children(slot)
    }

    /// Whether a slot is in the run that begins at another.
    fn is_in_run(&self, slot: u32, top: u32) -> bool {
        top < slot && slot < self.nodes[top as usize].end
    }

    /// How far the order is from a plain preorder: free slots, runs apart from their parents, and a
    /// sixteenth of the looks at such runs, because a look costs a fraction of rebuilding a run.
    pub fn fragmentation(&self) -> usize {
        self.freed + self.apart + self.looked_at / 16
    }

    /// Whether [`rebuild`](Self::rebuild) pays.
    pub fn is_fragmented(&self) -> bool {
        self.fragmentation() > TOLERATED.max(self.len() / NODES_A_PIECE)
    }
}
