//! Where a run of subtrees can be parted for several threads.

use super::forest::{Forest, MAX_POSITIONS};

impl Forest {
    /// A position near the middle of a run of at least two subtrees at which one of them begins.
    pub fn boundary(&self, start: u32, end: u32) -> u32 {
        let middle = start + (end - start) / 2;
        if let Some(position) = (middle..end).take(16).find_map(|position| self.sibling_above(position, start)) {
            debug_assert_eq!(self.top_from(start, end, position), position, "a subtree of the run begins there");
            return position;
        }
        self.top_from(start, end, middle)
    }

    /// Where the first subtree from `middle` on begins in a run of at least two; the last one's if none does, and never the first one's.
    fn top_from(&self, start: u32, end: u32, middle: u32) -> u32 {
        let mut position = self[start].end;
        while position < middle {
            let next = self[position].end;
            if next >= end {
                break;
            }
            position = next;
        }
        position
    }

    /// What is a sibling of `first` (or a root, if that is one) and above a later position or there, if it is not far; if that is
    /// `first`, what comes after it.
    ///
    /// Whatever is linked stands right in its parent's run or is the top of a planting of its own, so in a run of subtrees that
    /// begins with `first`, one of them begins there; and so do roots, as long as none was cut off and stayed where it was.
    fn sibling_above(&self, mut position: u32, first: u32) -> Option<u32> {
        let parent = self[first].parent;
        for _ in 0..64 {
            let above = self[position].parent;
            let is_root = above >= MAX_POSITIONS && !self.is_hole(position);
            if (above == parent && parent < MAX_POSITIONS) || (is_root && parent >= MAX_POSITIONS && !self.strays) {
                return Some(if position == first { self[first].end } else { position });
            }
            if above >= position || above < first {
                return None;
            }
            position = above;
        }
        None
    }
}
