//! Walks of the hierarchy.

use super::{Forest, NONE};

impl Forest {
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
