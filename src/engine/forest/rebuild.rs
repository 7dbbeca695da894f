//! Writing the order anew.

use super::{Forest, Node};
use crate::engine::storage::Row;

impl Forest {
    /// Writes all subtrees one behind another, roots in the order of their rows. Then no slot is
    /// free and no extent apart. Nodes get other slots; they keep the order of their children and
    /// their marks.
    ///
    /// ```text
    /// before   sun  mars  moon  io  (free)  ship  crew     ship's extent is apart
    /// after    sun  mars  moon  io  ship    crew           sun's extent: [0, 6)
    /// ```
    pub fn rebuild(&mut self) {
        let old = std::mem::take(self);
        self.reserve(old.len());
        let is_root = |&slot: &u32| !old.is_linked(slot) && !old.nodes[slot as usize].is_free();
        let homeless = |&slot: &u32| old.row(slot) == Row::NOWHERE;
        let without_row = (0..old.nodes.len() as u32).filter(homeless);
        for root in old.rows.all().chain(without_row).filter(is_root) {
            let parent = old.nodes[root as usize].parent;
            let top = self.insert_subtree(parent, &old.rows_of_subtree(root), &mut Vec::new());
            for (new, slot) in (top..).zip(old.subtree(root)) {
                self.dirty.put(new, old.dirty.get(slot));
                self.moved.put(new, old.moved.get(slot));
            }
        }
    }

    /// The rows of a subtree in preorder, each with the index of its parent's.
    fn rows_of_subtree(&self, top: u32) -> Vec<(Row, u32)> {
        // The slots and indices from the top to the last row.
        let mut above: Vec<(u32, u32)> = Vec::new();
        let row = |(slot, at): (u32, u32)| {
            let Node { row, parent, .. } = self.nodes[slot as usize];
            while above.last().is_some_and(|&(slot, _)| slot != parent) {
                above.pop();
            }
            let parent = above.last().map_or(0, |&(_, at)| at);
            above.push((slot, at));
            (row, parent)
        };
        self.subtree(top).zip(0..).map(row).collect()
    }
}
