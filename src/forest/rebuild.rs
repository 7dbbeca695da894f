//! Writing the order anew.

use crate::storage::Row;
use std::sync::atomic::AtomicU8;

use super::{Forest, MAX_SLOTS, NONE, Node, children::Links};
use crate::bits::Bits;

impl Forest {
    /// Writes all subtrees one behind another, roots in the order of their rows. Then no slot is
    /// free and no run apart. Nodes get other slots; they keep the order of their children and
    /// their marks.
    ///
    /// ```text
    /// before   sun  mars  moon  io  (free)  ship  crew     ship's run is apart
    /// after    sun  mars  moon  io  ship    crew           sun's run: [0, 6)
    /// ```
    pub fn rebuild(&mut self) {
        let order = self.stored_order();
        let mut new_slots = vec![NONE; self.nodes.len()];
        for (new, &old) in (0..).zip(&order) {
            new_slots[old as usize] = new;
        }
        let renamed = |slot: u32| if slot < MAX_SLOTS { new_slots[slot as usize] } else { slot };
        let node = |(new, &old): (u32, &u32)| {
            let Node { row, parent, .. } = self.nodes[old as usize];
            Node { row, parent: renamed(parent), end: new + 1 }
        };
        let links = |&old: &u32| {
            let Links { first_child, previous, next } = self.links[old as usize];
            let previous =
                if self.nodes[old as usize].is_linked() { renamed(previous) } else { NONE };
            Links { first_child: renamed(first_child), previous, next: renamed(next) }
        };
        let mut nodes: Vec<Node> = (0..).zip(&order).map(node).collect();
        for slot in (0..nodes.len()).rev() {
            let Node { parent, end, .. } = nodes[slot];
            if parent < MAX_SLOTS {
                let parent_end = &mut nodes[parent as usize].end;
                *parent_end = end.max(*parent_end);
            }
        }
        *self = Self {
            links: order.iter().map(links).collect(),
            changed: std::iter::repeat_with(|| AtomicU8::new(0)).take(nodes.len()).collect(),
            dirty: permuted(&self.dirty, &order),
            moved: permuted(&self.moved, &order),
            segments: if nodes.is_empty() { Vec::new() } else { vec![0] },
            rows: {
                let mut rows = std::mem::take(&mut self.rows);
                rows.rename(&new_slots);
                rows
            },
            nodes,
            ..Self::default()
        };
    }

    /// All nodes in preorder, roots in the order of their rows, roots without a row last.
    fn stored_order(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.len());
        let is_root = |&slot: &u32| !self.is_linked(slot) && !self.nodes[slot as usize].is_free();
        for root in self.rows.all().filter(is_root) {
            self.for_each_in_subtree(root, |slot| order.push(slot));
        }
        if order.len() < self.len() {
            let homeless = |&slot: &u32| is_root(&slot) && self.row(slot) == Row::NOWHERE;
            for root in (0..self.nodes.len() as u32).filter(homeless) {
                self.for_each_in_subtree(root, |slot| order.push(slot));
            }
        }
        order
    }
}

/// The bits in a new order: the first is the one of `order[0]`.
fn permuted(bits: &Bits, order: &[u32]) -> Bits {
    let mut permuted = Bits::default();
    order.iter().for_each(|&old| permuted.push(bits.maybe_any() && bits.get(old)));
    permuted
}
