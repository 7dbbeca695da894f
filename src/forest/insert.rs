//! Inserting whole subtrees.

use std::sync::atomic::AtomicU8;

use super::{CYCLE, Forest, MAX_SLOTS, NONE, NOWHERE, Node, children::Links};
use crate::storage::columns::Row;

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
    /// Another node of the batch, by index, which had this child before: such children come before those that it gets.
    Same(u32),
}

/// A node of a batch that is inserted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewNode {
    pub row: Row,
    pub parent: NewParent,
    /// Where it was inserted; [`NONE`] before, and if it was refused.
    pub slot: u32,
}

impl NewNode {
    pub fn new(row: Row, parent: NewParent) -> Self {
        Self { row, parent, slot: NONE }
    }

    fn parent_slot(&self, batch: &[Self]) -> u32 {
        match self.parent {
            NewParent::Root => NONE,
            NewParent::Cycle => CYCLE,
            NewParent::Slot(slot) => slot,
            NewParent::Batch(index) | NewParent::Same(index) => batch[index as usize].slot,
        }
    }

    /// The parent, if it is in the batch.
    fn parent_index(&self) -> Option<u32> {
        match self.parent {
            NewParent::Batch(index) | NewParent::Same(index) => Some(index),
            _ => None,
        }
    }
}

impl Forest {
    /// Appends nodes, each subtree as one run, makes them dirty, and writes their slots into the batch. Children are put behind
    /// those that their parents have, in the order of the batch.
    ///
    /// A node whose row has a node already is refused: its slot stays [`NONE`], and its children become roots; so does a node whose
    /// parent's slot is free.
    pub fn insert_subtrees(&mut self, batch: &mut [NewNode]) {
        let order = preorder(batch);
        let start = self.nodes.len();
        assert!(start + order.len() < MAX_SLOTS as usize, "more than 2^31 entities in hierarchies");
        if self.segments.is_empty() && !order.is_empty() {
            self.segments.push(0);
        }
        self.reserve(order.len());
        let mut refused = Vec::new();
        for (place, &index) in order.iter().enumerate() {
            let NewNode { row, parent, .. } = batch[index as usize];
            // What follows is a child unless it is the top of a subtree itself.
            let is_leaf = || order.get(place + 1).is_none_or(|&next| batch[next as usize].parent_index().is_none());
            let slot = match parent {
                NewParent::Slot(parent) if self.nodes[parent as usize].is_free() => self.append(NONE, start as u32),
                NewParent::Slot(parent) if self.free_below(parent) != NONE && is_leaf() => self.reuse(parent),
                _ => self.append(batch[index as usize].parent_slot(batch), start as u32),
            };
            batch[index as usize].slot = slot;
            if !self.place(slot, row) {
                refused.push(index);
            }
        }
        for slot in (start..self.nodes.len()).rev() {
            let Node { end, parent, .. } = self.nodes[slot];
            if parent < MAX_SLOTS && parent as usize >= start {
                let parent_end = &mut self.nodes[parent as usize].end;
                *parent_end = end.max(*parent_end);
            }
        }
        for index in refused {
            self.remove(std::mem::replace(&mut batch[index as usize].slot, NONE));
        }
    }

    fn reserve(&mut self, count: usize) {
        self.nodes.reserve(count);
        self.links.reserve(count);
        self.changed.reserve(count);
    }

    /// Appends a node without a row, which has no children yet, to the batch that began at `start`.
    fn append(&mut self, parent: u32, start: u32) -> u32 {
        let slot = self.nodes.len() as u32;
        self.nodes.push(Node { row: NOWHERE, parent, end: slot + 1 });
        self.links.push(Links::ALONE);
        self.changed.push(AtomicU8::new(0));
        self.dirty.push(true);
        self.moved.push(false);
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
        self.nodes[slot as usize] = Node { row: NOWHERE, parent, end: slot + 1 };
        self.links[slot as usize] = Links::ALONE;
        self.dirty.set(slot);
        self.append_child(parent, slot);
        self.freed -= 1;
        slot
    }
}

/// The indices of a batch, each subtree in one run, parents first, siblings in order. Nodes that are their own ancestors are left out.
fn preorder(batch: &[NewNode]) -> Vec<u32> {
    let (offsets, children) = children(batch);
    let (mut order, mut open) = (Vec::with_capacity(batch.len()), Vec::new());
    for (index, node) in batch.iter().enumerate() {
        if node.parent_index().is_some() {
            continue;
        }
        open.push(index as u32);
        while let Some(index) = open.pop() {
            order.push(index);
            let children = &children[offsets[index as usize] as usize..offsets[index as usize + 1] as usize];
            open.extend(children.iter().rev());
        }
    }
    order
}

/// The children in the batch as one array, those that come along before those that are new, with an offset for each parent.
fn children(batch: &[NewNode]) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0_u32; batch.len() + 1];
    batch.iter().filter_map(NewNode::parent_index).for_each(|parent| offsets[parent as usize] += 1);
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    let mut children = vec![0_u32; offsets.last().map_or(0, |&all| all as usize)];
    // From behind, so that what is one past a parent's last child becomes its first.
    let mut put = |parent: u32, index: usize| {
        offsets[parent as usize] -= 1;
        children[offsets[parent as usize] as usize] = index as u32;
    };
    for (index, node) in batch.iter().enumerate().rev() {
        if let NewParent::Batch(parent) = node.parent {
            put(parent, index);
        }
    }
    for (index, node) in batch.iter().enumerate().rev() {
        if let NewParent::Same(parent) = node.parent {
            put(parent, index);
        }
    }
    (offsets, children)
}
