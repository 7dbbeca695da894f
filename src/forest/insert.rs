//! Inserting whole subtrees.

use std::sync::atomic::AtomicU8;

use super::{CYCLE, Forest, MAX_SLOTS, NONE, Node, children::Links};
use crate::storage::Row;

/// The parent that a node is inserted below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewParent {
    /// None: it is a root.
    Root,
    /// None, as it is on a cycle.
    Cycle,
    /// A node that keeps its slot.
    Slot(u32),
    /// Another node of the batch, by index, which gets this child.
    Batch(u32),
    /// Another node of the batch, by index, which had this child before: such children come before
    /// those that it gets.
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
    /// makes them dirty. `row` tells where the entity of an index is. Children are put behind those
    /// that their parents have, in the order of the batch.
    ///
    /// A node whose row has a node already is refused, and its children become roots; so does a
    /// node whose parent's slot is free.
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
        // Parents first, siblings in order. What is its own ancestor is below no top, and left out.
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

    /// What the top of a subtree has in place of its parent's slot, or that.
    fn slot_above(&self, parent: NewParent) -> u32 {
        match parent {
            NewParent::Slot(slot) if !self.nodes[slot as usize].is_free() => slot,
            NewParent::Cycle => CYCLE,
            _ => NONE,
        }
    }

    /// Extends the runs from `start` on, each of one slot, over those of their children, and enters
    /// the rows of their nodes. Done where a node is appended, that would wait for the table
    /// between two nodes whose places depend on each other.
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

    /// Appends a node without children to the batch that began at `start`. Its row is to be
    /// entered.
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

    /// The first of the free slots right below a node, or [`NONE`].
    pub(super) fn free_below(&self, slot: u32) -> u32 {
        self.free_below.get(slot as usize).copied().unwrap_or(NONE)
    }

    /// Puts a node without row and children into a free slot right below its parent.
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

/// The children in the batch as one array, those that come along before those that are new, with an
/// offset for each parent.
fn children(parents: &[Option<NewParent>]) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0_u32; parents.len() + 1];
    let all = parents.iter().filter_map(|parent| parent.and_then(NewParent::index));
    all.for_each(|parent| offsets[parent as usize] += 1);
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    let mut children = vec![0_u32; offsets.last().map_or(0, |&all| all as usize)];
    // From behind, so that what is one past a parent's last child becomes its first.
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
