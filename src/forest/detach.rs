//! Detaching nodes from their parents, and removing them from the forest.

use smallvec::SmallVec;

use super::{CYCLE, Forest, MAX_SLOTS, NONE, Node, children::Links, node::FREE};

impl Forest {
    /// Makes a node a root in its slot: detaches it from its parent or from its cycle. Its subtree
    /// stays below it.
    pub fn detach(&mut self, slot: u32) {
        if self.nodes[slot as usize].is_free() {
            return;
        }
        let parent = std::mem::replace(&mut self.nodes[slot as usize].parent, NONE);
        if parent < MAX_SLOTS {
            self.unlink_child(parent, slot);
            if self.is_in_run(slot, parent) {
                self.links[slot as usize].previous = parent;
                self.detached += 1;
            } else {
                self.apart -= 1;
            }
        }
    }

    /// Marks a node as on a cycle, in its slot. It counts as a root.
    pub fn set_cyclic(&mut self, slot: u32) {
        self.detach(slot);
        if !self.nodes[slot as usize].is_free() {
            self.nodes[slot as usize].parent = CYCLE;
            self.dirty.set(slot);
        }
    }

    /// Removes a node and frees its slot. Its children become roots.
    pub fn remove(&mut self, slot: u32) {
        let children: SmallVec<[u32; 8]> = self.children(slot).collect();
        children.into_iter().for_each(|child| self.detach(child));
        self.detach(slot);
        self.free(slot);
    }

    /// Removes whole subtrees.
    pub fn remove_subtrees(&mut self, tops: &[u32]) {
        let mut slots = Vec::new();
        for &top in tops {
            self.detach(top);
            slots.clear();
            self.for_each_in_subtree(top, |slot| slots.push(slot));
            self.apart -= slots.iter().filter(|&&slot| self.is_apart(slot)).count();
            slots.iter().for_each(|&slot| self.free(slot));
        }
    }

    /// Frees everything if no node is left.
    pub fn clear_if_empty(&mut self) {
        if self.len() == 0 {
            *self = Self::default();
        }
    }

    /// Whether a node stands apart from its parent.
    pub(super) fn is_apart(&self, slot: u32) -> bool {
        self.parent(slot).is_some_and(|parent| !self.is_in_run(slot, parent))
    }

    /// Adds a slot that a child of `above` left to the free slots below `above`, if that node still
    /// has its run.
    fn offer(&mut self, slot: u32, above: u32) {
        if !self.nodes[above as usize].is_free() && self.is_in_run(slot, above) {
            if self.free_below.len() <= above as usize {
                self.free_below.resize(above as usize + 1, NONE);
            }
            self.links[slot as usize].next =
                std::mem::replace(&mut self.free_below[above as usize], slot);
        }
    }

    /// Frees a slot. It keeps the end of its run: scans of a segment step from run to run.
    fn free(&mut self, slot: u32) {
        let Node { row, parent, .. } = self.nodes[slot as usize];
        if self.nodes[slot as usize].is_free() {
            return;
        }
        self.take_row(row);
        self.nodes[slot as usize].parent = FREE;
        if let Some(free) = self.free_below.get_mut(slot as usize) {
            *free = NONE;
        }
        let above = std::mem::replace(&mut self.links[slot as usize], Links::ALONE).previous;
        if parent >= MAX_SLOTS && above != NONE {
            self.detached -= 1;
            self.offer(slot, above);
        }
        self.dirty.clear(slot);
        self.moved.clear(slot);
        self.freed += 1;
    }
}
