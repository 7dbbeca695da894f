//! Asking for memory ahead of a sweep, where only some positions are marked.

use super::matrices::Shared;
use crate::forest::{Node, PropagationView};

/// How many rows are asked for ahead.
const SCOUTED: u32 = 32;

/// How many rows of a subtree are asked for: as soon as these are read one after another, the others come by themselves.
const BEGINNING: u32 = 16;

/// Goes ahead from marked subtree to marked subtree and asks for the matrices with which each begins.
pub(super) struct Scout {
    /// Everything before it has been asked for.
    position: u32,
    /// How many rows of these are still to come.
    known: u32,
}

impl Scout {
    pub fn new(position: u32) -> Self {
        Self { position, known: 0 }
    }

    /// Goes ahead of a marked position.
    #[inline(always)]
    pub fn advance(&mut self, position: u32, end: u32, forest: PropagationView<'_>, matrices: Shared<'_>) {
        if self.position <= position {
            *self = Self::new(position);
        }
        let nodes = forest.nodes();
        while self.known < SCOUTED && self.position < end {
            let marked = forest.next_marked(self.position);
            if marked >= end {
                self.position = end;
                break;
            }
            let subtree = &nodes[marked as usize..nodes[marked as usize].end.min(end) as usize];
            let beginning = &subtree[..subtree.len().min(BEGINNING as usize)];
            beginning.iter().for_each(|node: &Node| matrices.prefetch(node.row));
            self.known += beginning.len() as u32;
            self.position = marked + subtree.len() as u32;
        }
        let here = nodes[position as usize].end - position;
        self.known = self.known.saturating_sub(here.min(BEGINNING));
    }
}
