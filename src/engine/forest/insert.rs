//! Inserting whole subtrees, detaching nodes from their parents, and removing them.

use std::sync::atomic::AtomicU8;

use smallvec::SmallVec;

use super::{FREE, Forest, HELD, MAX_SLOTS, NONE, Node, children::Kin};
use crate::engine::storage::Row;

/// The parent below which a node is inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewParent {
    /// None: it is a root.
    Root,
    /// None, because it is held: on a cycle, or it waits for its parent.
    Held,
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
    /// Inserts the nodes of a batch that have an entry in `parents`, each subtree as one extent,
    /// and makes them dirty. `row` returns the row of an index of the batch. Children go behind the
    /// parent's present children, in the order of the batch.
    ///
    /// A node whose row has a node already is refused, and its children become roots. A node whose
    /// parent's slot is free becomes a root.
    pub fn insert_subtrees(&mut self, parents: &[Option<NewParent>], row: impl Fn(usize) -> Row) {
        assert!(
            self.nodes.len() + parents.len() < MAX_SLOTS as usize,
            "more than 2^31 entities in hierarchies"
        );
        self.reserve(parents.len());
        let (offsets, children) = children(parents);
        let (mut open, mut subtree, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        // A cycle inside of the batch is below no top: none of its nodes is reached, so none is
        // inserted.
        for (index, &parent) in parents.iter().enumerate() {
            let Some(parent) = parent.filter(|parent| parent.index().is_none()) else { continue };
            // Parents first, siblings in order.
            open.push((index as u32, 0));
            while let Some((index, above)) = open.pop() {
                let at = subtree.len() as u32;
                subtree.push((row(index as usize), above));
                let index = index as usize;
                let children = &children[offsets[index] as usize..offsets[index + 1] as usize];
                open.extend(children.iter().rev().map(|&child| (child, at)));
            }
            self.insert_subtree(self.slot_above(parent), &subtree, &mut refused);
            subtree.clear();
        }
        self.remove(refused);
    }

    /// Reserves memory for more nodes, and half as much again: else the first node that comes later
    /// would move all arrays. Memory that is only reserved takes no pages.
    pub(super) fn reserve(&mut self, nodes: usize) {
        let reserved = nodes + nodes / 2;
        self.nodes.reserve(reserved);
        self.kin.reserve(reserved);
        self.stamps.reserve(reserved);
    }

    /// Inserts a subtree as an extent: its rows in preorder, each with the index of its
    /// parent's.
    /// Returns the slot of the top.
    pub(super) fn insert_subtree(
        &mut self,
        above: u32,
        subtree: &[(Row, u32)],
        refused: &mut Vec<u32>,
    ) -> u32 {
        let len = subtree.len() as u32;
        let top = self.take_gap(above, len).unwrap_or_else(|| self.append(above, len));
        let end = top + len;
        self.freed -= len as usize;
        let gap_end = self.nodes[top as usize].end;
        for (slot, &(_, at)) in (top..).zip(subtree) {
            let parent = if slot == top { above } else { top + at };
            self.nodes[slot as usize] = Node { row: Row::NOWHERE, parent, end: slot + 1 };
            self.kin[slot as usize] = Kin::ALONE;
            self.dirty.set(slot);
            if parent < MAX_SLOTS {
                self.append_child(parent, slot);
            }
        }
        if above < MAX_SLOTS && !self.is_in_extent(top, above) {
            self.looked_at = 0;
        }
        self.close_extents(top, subtree, refused);
        // The rest of the gap is for the top's next children.
        self.nodes[top as usize].end = gap_end;
        if end < gap_end {
            self.nodes[end as usize].end = gap_end;
            self.open_extent(end, top);
        }
        top
    }

    /// The `parent` of a new top: a slot, [`HELD`] or [`NONE`].
    fn slot_above(&self, parent: NewParent) -> u32 {
        match parent {
            NewParent::Slot(slot) if !self.nodes[slot as usize].is_free() => slot,
            NewParent::Held => HELD,
            _ => NONE,
        }
    }

    /// Extends the extents of new nodes, each of one slot so far, over the extents of their
    /// children, backwards: a child's extent is final when its parent's is extended. Also enters
    /// the rows of the nodes: an entry may wait for memory, and where each node needs the one
    /// before, all would wait with it.
    fn close_extents(&mut self, top: u32, subtree: &[(Row, u32)], refused: &mut Vec<u32>) {
        for (slot, &(row, _)) in (top..top + subtree.len() as u32).zip(subtree).rev() {
            let Node { end, parent, .. } = self.nodes[slot as usize];
            if slot > top {
                let parent_end = &mut self.nodes[parent as usize].end;
                *parent_end = end.max(*parent_end);
            }
            if !self.set_row(slot, row) {
                refused.push(slot);
            }
        }
    }

    /// Appends free slots as an extent for a subtree.
    fn append(&mut self, parent: u32, len: u32) -> u32 {
        let top = self.nodes.len() as u32;
        let end = top + len;
        let last = self.segments.last();
        if last.is_none_or(|&start| parent < MAX_SLOTS && parent >= start) {
            self.segments.push(top);
        }
        self.nodes.resize(end as usize, Node { row: Row::NOWHERE, parent: FREE, end });
        self.kin.resize(end as usize, Kin::ALONE);
        self.stamps.resize_with(end as usize, AtomicU8::default);
        self.dirty.resize(end as usize);
        self.dirty_below.resize(end as usize);
        self.freed += len as usize;
        top
    }
}

/// All children in the batch as one array, sorted by parent, and where those of each parent begin.
/// Of one parent, `Same` comes before `Batch`. If nodes 1 and 2 are children of 0, and 3 of 2:
/// offsets 0, 2, 2, 3, 3 and children 1, 2, 3.
fn children(parents: &[Option<NewParent>]) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0_u32; parents.len() + 1];
    let all = parents.iter().filter_map(|parent| parent.and_then(NewParent::index));
    all.for_each(|parent| offsets[parent as usize] += 1);
    for i in 1..offsets.len() {
        offsets[i] += offsets[i - 1];
    }
    let mut children = vec![0_u32; offsets.last().map_or(0, |&all| all as usize)];
    // Filled backwards: an offset starts at the end of its parent's children and stops at their
    // begin.
    for had_before in [false, true] {
        for (index, parent) in parents.iter().enumerate().rev() {
            let is_turn = matches!(parent, Some(NewParent::Same(_))) == had_before;
            if let Some(parent) = parent.filter(|_| is_turn).and_then(NewParent::index) {
                offsets[parent as usize] -= 1;
                children[offsets[parent as usize] as usize] = index as u32;
            }
        }
    }
    (offsets, children)
}

impl Forest {
    /// Makes a node a root in its slot: detaches it from its parent, or ends that it is held. Its
    /// subtree stays below it.
    pub fn detach(&mut self, slot: u32) {
        if self.nodes[slot as usize].is_free() {
            return;
        }
        let parent = std::mem::replace(&mut self.nodes[slot as usize].parent, NONE);
        if parent < MAX_SLOTS {
            self.unlink_child(parent, slot);
            if self.is_in_extent(slot, parent) {
                self.kin[slot as usize].previous = parent;
                self.detached += 1;
            }
        }
    }

    /// Marks a node as held, in its slot: it has a `Parent`, and counts as a root.
    pub fn set_held(&mut self, slot: u32) {
        self.detach(slot);
        if !self.nodes[slot as usize].is_free() {
            self.nodes[slot as usize].parent = HELD;
            self.dirty.set(slot);
        }
    }

    /// Removes nodes and frees their slots. Their other children become roots.
    pub fn remove(&mut self, slots: impl IntoIterator<Item = u32>) {
        let mut extents = Vec::new();
        for slot in slots {
            let children: SmallVec<[u32; 8]> = self.children(slot).collect();
            children.into_iter().for_each(|child| self.detach(child));
            self.detach(slot);
            self.free(slot, &mut extents);
        }
        self.open_extents(extents);
    }

    /// Removes whole subtrees.
    pub fn remove_subtrees(&mut self, tops: &[u32]) {
        let (mut slots, mut extents) = (Vec::new(), Vec::new());
        for &top in tops {
            self.detach(top);
            slots.extend(self.subtree(top));
            slots.drain(..).for_each(|slot| self.free(slot, &mut extents));
        }
        self.open_extents(extents);
    }

    /// Frees everything if no node is left.
    pub fn clear_if_empty(&mut self) {
        if self.len() == 0 {
            *self = Self::default();
        }
    }

    /// Frees a slot, and notes its extent with the node right above, unless that one is free
    /// already. [`open_extents`](Self::open_extents) has to follow.
    fn free(&mut self, slot: u32, extents: &mut Vec<(u32, u32)>) {
        let Node { row, parent, .. } = self.nodes[slot as usize];
        if self.nodes[slot as usize].is_free() {
            return;
        }
        let above = self.above(slot);
        if above == NONE || !self.nodes[above as usize].is_free() {
            extents.push((slot, above));
        }
        self.detached -= usize::from(parent >= MAX_SLOTS && above != NONE);
        self.take_row(row);
        self.nodes[slot as usize].parent = FREE;
        self.kin[slot as usize] = Kin::ALONE;
        self.dirty.clear(slot);
        self.dirty_below.clear(slot);
        self.freed += 1;
    }

    /// Opens extents whose tops were freed. An extent in that of another freed one is opened with
    /// it. The last one comes first, because it is still in the cache.
    fn open_extents(&mut self, mut extents: Vec<(u32, u32)>) {
        while let Some((top, above)) = extents.pop() {
            if above == NONE || !self.nodes[above as usize].is_free() {
                self.open_extent(top, above);
            }
        }
    }
}
