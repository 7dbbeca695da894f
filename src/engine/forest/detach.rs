//! Detaching nodes from their parents, and removing them from the forest.

use smallvec::SmallVec;

use super::{Forest, HELD, MAX_SLOTS, NONE, Node, children::Kin, node::FREE};

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
        self.moved.clear(slot);
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
