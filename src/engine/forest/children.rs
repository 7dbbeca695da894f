//! The lists of children, and walks of the hierarchy.

use super::{Forest, NONE};

/// A node's siblings and children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kin {
    /// The child that was given first, or [`NONE`].
    pub first_child: u32,
    /// The sibling before; for the first child the last one, so appending finds the end of the
    /// list. For a root the node right above in whose extent it stands, because it was detached in
    /// place; else [`NONE`].
    pub previous: u32,
    /// The sibling behind, or [`NONE`]. For the first slot of a gap the next gap of its list.
    pub next: u32,
    /// The first gap right below the node, or [`NONE`]; see [`free`](super::free).
    pub first_gap: u32,
}

impl Kin {
    pub const ALONE: Self = Self { first_child: NONE, previous: NONE, next: NONE, first_gap: NONE };
}

impl Forest {
    /// Whether a node has children.
    pub fn has_children(&self, slot: u32) -> bool {
        self.kin[slot as usize].first_child != NONE
    }

    /// The children of a node, in the order in which it got them.
    pub fn children(&self, parent: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.kin[parent as usize].first_child;
        std::iter::from_fn(move || {
            let child = (next != NONE).then_some(next)?;
            next = self.kin[child as usize].next;
            Some(child)
        })
    }

    /// Puts a child behind its siblings.
    pub(super) fn append_child(&mut self, parent: u32, child: u32) {
        let first = self.kin[parent as usize].first_child;
        self.kin[child as usize].next = NONE;
        if first == NONE {
            self.kin[parent as usize].first_child = child;
            self.kin[child as usize].previous = child;
        } else {
            let last = std::mem::replace(&mut self.kin[first as usize].previous, child);
            self.kin[last as usize].next = child;
            self.kin[child as usize].previous = last;
        }
    }

    /// Removes a child from its parent's list.
    pub(super) fn unlink_child(&mut self, parent: u32, child: u32) {
        let Kin { previous, next, .. } = self.kin[child as usize];
        let first = self.kin[parent as usize].first_child;
        if child == first {
            self.kin[parent as usize].first_child = next;
        } else {
            self.kin[previous as usize].next = next;
        }
        // The sibling behind now leads back to the one before. If the child was the last, the first
        // leads to the new last.
        let behind = if next != NONE { next } else { first };
        if behind != child {
            self.kin[behind as usize].previous = previous;
        }
        (self.kin[child as usize].previous, self.kin[child as usize].next) = (NONE, NONE);
    }

    /// Every slot of the subtree of a node, in preorder.
    pub fn subtree(&self, top: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(top), move |&slot| {
            let kin = self.kin[slot as usize];
            if kin.first_child != NONE {
                return Some(kin.first_child);
            }
            // Up, until there is a next sibling.
            let mut slot = slot;
            while slot != top {
                let next = self.kin[slot as usize].next;
                if next != NONE {
                    return Some(next);
                }
                slot = self.nodes[slot as usize].parent;
            }
            None
        })
    }

    /// Reserves `count` stamps, greater than all stamps of earlier walks, and returns the first:
    /// after a walk with stamps 1 to 5, three more are 6, 7 and 8. Slots that are appended later
    /// cannot be visited with them.
    pub fn new_visits(&mut self, count: u32) -> u32 {
        if self.visited.len() < self.nodes.len() {
            // Zeroed pages take no memory until they are touched. While nodes are only inserted, no
            // walk touches them.
            self.visited = vec![0; self.nodes.len() + self.nodes.len() / 4];
        }
        if self.last_visit.checked_add(count).is_none() {
            self.visited.fill(0);
            self.last_visit = 0;
        }
        let first = self.last_visit + 1;
        self.last_visit += count;
        first
    }

    /// Visits a slot. Returns the stamp with which it was visited before.
    pub fn visit(&mut self, slot: u32, stamp: u32) -> u32 {
        std::mem::replace(&mut self.visited[slot as usize], stamp)
    }

    /// The stamp with which a slot was visited last.
    pub fn last_visit(&self, slot: u32) -> u32 {
        self.visited[slot as usize]
    }
}
