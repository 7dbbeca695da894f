//! Asking for memory ahead of a sweep, where only some positions are marked.

use super::matrices::Matrices;
use crate::hierarchy::forest::Forest;

/// How many marked positions ahead, where few are marked.
const SCOUTED: u32 = 8;

/// Goes ahead from marked position to marked position and asks for their matrices.
pub(super) struct Scout {
    /// Everything before it has been asked for.
    position: u32,
    /// How many marked ones of these are still to come.
    known: u32,
}

impl Scout {
    pub fn new(position: u32) -> Self {
        Self { position, known: 0 }
    }

    #[inline(always)]
    pub fn advance(&mut self, position: u32, end: u32, forest: &Forest, matrices: &Matrices<'_>) {
        if self.position <= position {
            *self = Self::new(position);
        }
        while self.known < SCOUTED && self.position < end {
            let marked = forest.next_marked(self.position).min(end);
            if marked < end {
                matrices.prefetch(forest[marked].row);
            }
            self.known += 1;
            self.position = marked + 1;
        }
        self.known = self.known.saturating_sub(1);
    }
}
