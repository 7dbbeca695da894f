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
//! A **node** stands in a **slot**. The subtree of a node that was inserted with its parent is the
//! run `[slot, end)`, so that what is below a node is found without a search, and a long run can be
//! split for threads at any subtree. The ship of the drawing got its parent later: its subtree was
//! appended as a run of its own, and the slot that it had, 4, is freed. A free slot that a child
//! has left is taken by the next child without children of the same parent, as in a crowd whose
//! members come and go; no other is used again. Free slots and runs that stand apart from their
//! parents are *fragmentation*; past a bound [`rebuild`](Forest::rebuild) writes the order anew in
//! O(n), which is amortised constant work an edit.
//!
//! Children are a list, linked both ways through a second array, in the order in which they were
//! given to their parent:
//!
//! ```text
//!  sun.first_child ──► mars ── next ──► ship ── next ──► NONE
//!                      mars.previous == ship: the first leads to the last
//!                           ◄─ previous ─
//! ```
//!
//! so a child is taken off and put on in O(1) whatever the number of its siblings.
//!
//! # What propagation relies on
//!
//! The `unsafe` code that computes world matrices on several threads reads a [`PropagationView`]
//! and trusts what follows. The fields of [`Forest`] are private to this module, so its functions
//! are all that has to be read to see that it holds; [`validate`](Forest::validate) checks it after
//! every operation of the tests.
//!
//! 1. **Distinct nodes have distinct rows.** A node's row is set by `place`, and by an insertion,
//!    which ends with `enter_row` for each: both enter the slot into the table by row and refuse a
//!    row that has one. So `table[node.row] == slot` for every node with a row, and two nodes
//!    cannot share one. A node without a row has [`Row::NOWHERE`], which is no row of any
//!    archetype.
//! 2. **Runs nest or stand apart.** Insertion and rebuilding append whole subtrees; a free slot
//!    that is used again becomes a run of one slot, at the start of the one that began there;
//!    nothing else writes an `end`. Free slots, and nodes that are detached where they stand, keep
//!    theirs.
//! 3. **Parents come before children**, `parent < slot`: in one run by preorder, in runs that stand
//!    apart as these are appended when the parent has its slot, and a slot is used again inside the
//!    parent's run only. A node that gets another parent gets another slot.
//! 4. **Segments are independent.** A run whose parent is outside of it begins a new segment unless
//!    the parent is in an earlier one. So the parent of every node is in the same top-level run of
//!    its segment or in an earlier segment, and threads that compute different runs of one segment
//!    after all earlier segments never wait for each other.
//! 5. **Splits are at subtrees.** A [`SubtreeRange`] is a segment or what
//!    [`split`](PropagationView::split) and [`stem`](PropagationView::stem) make of another, and
//!    its fields are private.

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

use self::{children::Links, rows::RowTable};
pub(crate) use self::{
    insert::NewParent,
    node::{CYCLE, MAX_SLOTS, NONE, Node},
    propagation::PropagationView,
    split::SubtreeRange,
};

use crate::{bits::Bits, storage::Row};

/// Fragmentation below which the order is never rebuilt, and how many nodes there are for each
/// piece of it when it is.
const TOLERATED: usize = 4096;
const NODES_A_PIECE: usize = 3;

/// The order; see the [module](self).
#[derive(Default)]
pub(crate) struct Forest {
    nodes: Vec<Node>,
    /// Siblings and children, by slot.
    links: Vec<Links>,
    /// The first of the free slots right below a node, by its slot, or [`NONE`]; the others follow
    /// by [`Links::next`]. Ends with the last slot below which there was any.
    free_below: Vec<u32>,
    /// When a walk of the hierarchy was last here, by slot, for as many as the last walk found; see
    /// [`new_visits`](Self::new_visits).
    visited: Vec<u32>,
    last_visit: u32,
    /// The propagation that last changed the world, by slot. Atomic, as threads share it.
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
    /// How many runs propagation has looked at because their parents are in earlier segments, since
    /// the order was built.
    looked_at: usize,
    /// How many nodes were detached from the runs in which they stand, so that roots are in the
    /// runs of others.
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
        self.nodes[slot as usize].parent == CYCLE
    }

    /// Whether the node at a slot has a parent or is on a cycle; [`NONE`] has not.
    pub fn has_link(&self, slot: u32) -> bool {
        slot != NONE && self.nodes[slot as usize].parent != NONE
    }

    /// Whether a node has a parent, is on a cycle or has children: others need not be here.
    pub fn is_needed(&self, slot: u32) -> bool {
        self.has_link(slot) || self.has_children(slot)
    }

    /// Whether a slot is in the run that begins at another.
    fn is_in_run(&self, slot: u32, top: u32) -> bool {
        top < slot && slot < self.nodes[top as usize].end
    }

    /// What keeps the order from being a plain preorder: free slots, runs apart from their parents,
    /// and what the latter have cost since; looking at a run costs a fraction of what building it
    /// does.
    pub fn fragmentation(&self) -> usize {
        self.freed + self.apart + self.looked_at / 16
    }

    /// Whether [`rebuild`](Self::rebuild) pays.
    pub fn is_fragmented(&self) -> bool {
        self.fragmentation() > TOLERATED.max(self.len() / NODES_A_PIECE)
    }
}
