//! Inserting whole subtrees.

use std::sync::atomic::AtomicU8;

use super::{CYCLE, Forest, MAX_SLOTS, NONE, Node, children::Links};
use crate::storage::Row;

/// The parent below which a node is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewParent {
    /// None: it is a root.
    Root,
    /// None, because it is on a cycle.
    Cycle,
    /// A node that keeps its slot.
    Slot(u32),
    /// Another node of the batch, by index, that gets this child: it comes last.
    Batch(u32),
    /// Another node of the batch, by index, that had this child before: it comes before new ones.
    Same(u32),
}

impl NewParent {
    /// The parent, if it is in the batch.
    fn index(self) -> Option<u32> {
        match self {
            Self::Batch(index) | Self::Same(index) => Some(index),
            _ => None,
        }
    }
}

impl Forest {
    /// Inserts the nodes of a batch that have an entry in `parents`, each subtree as one run, and
    /// makes them dirty. `row` returns the row of an index of the batch. Children go behind the
    /// parent's present children, in the order of the batch.
    ///
    /// A node whose row has a node already is refused, and its children become roots. A node whose
    /// parent's slot is free becomes a root.
    pub fn insert_subtrees(&mut self, parents: &[Option<NewParent>], row: impl Fn(usize) -> Row) {
        let start = self.nodes.len();
        assert!(
            start + parents.len() < MAX_SLOTS as usize,
            "more than 2^31 entities in hierarchies"
        );
        if self.segments.is_empty() && !parents.is_empty() {
            self.segments.push(0);
        }
        self.nodes.reserve(parents.len());
        self.links.reserve(parents.len());
        let (offsets, children) = children(parents);
        let (mut open, mut refused) = (Vec::new(), Vec::new());
        // Parents first, siblings in order. A cycle inside of the batch is below no top: none of
        // its nodes is reached, so none is inserted.
        for (index, &parent) in parents.iter().enumerate() {
            let Some(parent) = parent.filter(|parent| parent.index().is_none()) else { continue };
            open.push((index as u32, self.slot_above(parent)));
            while let Some((index, parent)) = open.pop() {
                let index = index as usize;
                let children = &children[offsets[index] as usize..offsets[index + 1] as usize];
                let slot = if self.free_below(parent) != NONE && children.is_empty() {
                    let slot = self.reuse(parent);
                    if !self.place(slot, row(index)) {
                        refused.push(slot);
                    }
                    slot
                } else {
                    self.append(row(index), parent, start as u32)
                };
                open.extend(children.iter().rev().map(|&child| (child, slot)));
            }
        }
        self.changed.resize_with(self.nodes.len(), AtomicU8::default);
        self.dirty.extend(self.nodes.len(), true);
        self.moved.extend(self.nodes.len(), false);
        self.close_runs(start, &mut refused);
        refused.into_iter().for_each(|slot| self.remove(slot));
    }

    /// The `parent` of a new top: a slot, [`CYCLE`] or [`NONE`].
    fn slot_above(&self, parent: NewParent) -> u32 {
        match parent {
            NewParent::Slot(slot) if !self.nodes[slot as usize].is_free() => slot,
            NewParent::Cycle => CYCLE,
            _ => NONE,
        }
    }

    /// Extends the runs from `start` on, each of one slot so far, over the runs of their children,
    /// backwards: a child's run is final when its parent's is extended. Also enters the rows of the
    /// nodes: an entry may wait for memory, and in [`append`](Self::append), where each node needs
    /// the one before, all would wait with it.
    fn close_runs(&mut self, start: usize, refused: &mut Vec<u32>) {
        for slot in (start..self.nodes.len()).rev() {
            let Node { row, end, parent } = self.nodes[slot];
            if parent < MAX_SLOTS && parent as usize >= start {
                let parent_end = &mut self.nodes[parent as usize].end;
                *parent_end = end.max(*parent_end);
            }
            if !self.enter_row(slot as u32, row) {
                refused.push(slot as u32);
            }
        }
    }

    /// Appends a node as a run of one slot. The batch began at `start`.
    /// [`close_runs`](Self::close_runs) has to follow.
    fn append(&mut self, row: Row, parent: u32, start: u32) -> u32 {
        let slot = self.nodes.len() as u32;
        self.nodes.push(Node { row, parent, end: slot + 1 });
        self.links.push(Links::ALONE);
        if parent < MAX_SLOTS {
            self.append_child(parent, slot);
            if parent < start {
                self.apart += 1;
                if parent >= *self.segments.last().expect("insertion began one") {
                    self.segments.push(slot);
                }
            }
        }
        slot
    }

    /// The first free slot that a child of a node left, or [`NONE`].
    pub(super) fn free_below(&self, slot: u32) -> u32 {
        self.free_below.get(slot as usize).copied().unwrap_or(NONE)
    }

    /// Puts a node without row and children into a free slot that a child of `parent` left.
    fn reuse(&mut self, parent: u32) -> u32 {
        let slot = self.free_below[parent as usize];
        self.free_below[parent as usize] = self.links[slot as usize].next;
        self.nodes[slot as usize] = Node { row: Row::NOWHERE, parent, end: slot + 1 };
        self.links[slot as usize] = Links::ALONE;
        self.dirty.set(slot);
        self.append_child(parent, slot);
        self.freed -= 1;
        slot
    }
}

/// All children in the batch as one array, grouped by parent, and where each parent's group begins.
/// In a group, `Same` comes before `Batch`. If nodes 1 and 2 are children of 0, and 3 of 2: offsets
/// 0, 2, 2, 3, 3 and children 1, 2, 3.
fn children(parents: &[Option<NewParent>]) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0_u32; parents.len() + 1];
    let all = parents.iter().filter_map(|parent| parent.and_then(NewParent::index));
    all.for_each(|parent| offsets[parent as usize] += 1);
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    let mut children = vec![0_u32; offsets.last().map_or(0, |&all| all as usize)];
    // Filled backwards: an offset starts at its group's end and stops at its begin.
    let mut put = |parent: u32, index: usize| {
        offsets[parent as usize] -= 1;
        children[offsets[parent as usize] as usize] = index as u32;
    };
    for (index, parent) in parents.iter().enumerate().rev() {
        if let Some(NewParent::Batch(parent)) = *parent {
            put(parent, index);
        }
    }
    for (index, parent) in parents.iter().enumerate().rev() {
        if let Some(NewParent::Same(parent)) = *parent {
            put(parent, index);
        }
    }
    (offsets, children)
}
