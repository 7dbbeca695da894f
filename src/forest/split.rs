//! Splitting the order for several threads.

use super::{Forest, MAX_SLOTS, PropagationView};

/// The slots of whole subtrees, one after another, that do not depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SubtreeRange {
    start: u32,
    end: u32,
}

impl SubtreeRange {
    pub fn start(&self) -> u32 {
        self.start
    }

    pub fn end(&self) -> u32 {
        self.end
    }

    /// How many slots there are.
    pub fn len(&self) -> u32 {
        self.end - self.start
    }
}

impl Forest {
    /// How many segments there are.
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// A segment: all of its subtrees.
    pub fn segment(&self, segment: usize) -> SubtreeRange {
        let end = self.segments.get(segment + 1).copied().unwrap_or(self.nodes.len() as u32);
        SubtreeRange { start: self.segments[segment], end }
    }
}

impl PropagationView<'_> {
    /// Two ranges of about the same length; `None` for a single subtree (or none).
    pub fn split(
        &self,
        SubtreeRange { start, end }: SubtreeRange,
    ) -> Option<(SubtreeRange, SubtreeRange)> {
        if start == end || self.is_single(SubtreeRange { start, end }) {
            return None;
        }
        let at = self.boundary(start, end);
        Some((SubtreeRange { start, end: at }, SubtreeRange { start: at, end }))
    }

    /// Whether a range is a single subtree.
    pub fn is_single(&self, SubtreeRange { start, end }: SubtreeRange) -> bool {
        start < end && self.end(start) >= end
    }

    /// What is above all else in a range of a single subtree: its top, and what is below it if that
    /// is a single subtree again, and so on. Returns what is below: everything from there on to the
    /// end.
    pub fn stem(&self, SubtreeRange { start, end }: SubtreeRange) -> SubtreeRange {
        let inside = &self.nodes()[start as usize..end as usize];
        let fork =
            inside.iter().position(|node| node.end < end).map_or(end, |fork| start + fork as u32);
        SubtreeRange { start: fork, end }
    }

    fn end(&self, slot: u32) -> u32 {
        self.nodes()[slot as usize].end
    }

    /// A slot near the middle of a range of at least two subtrees at which one of them begins.
    fn boundary(&self, start: u32, end: u32) -> u32 {
        let middle = start + (end - start) / 2;
        if let Some(slot) = (middle..end).take(16).find_map(|slot| self.sibling_above(slot, start))
        {
            debug_assert_eq!(
                self.top_from(start, end, slot),
                slot,
                "a subtree of the range begins there"
            );
            return slot;
        }
        self.top_from(start, end, middle)
    }

    /// Where the first subtree from `middle` on begins; the last one's if none does, and never the
    /// first one's.
    fn top_from(&self, start: u32, end: u32, middle: u32) -> u32 {
        let mut slot = self.end(start);
        while slot < middle {
            let next = self.end(slot);
            if next >= end {
                break;
            }
            slot = next;
        }
        slot
    }

    /// What is a sibling of `first` (or a root, if that is one) and above a later slot or there, if
    /// it is not far; if that is `first`, what comes after it.
    ///
    /// A linked node is right below its parent in the parent's run, or the top of a run in its
    /// segment. So in a range that begins with `first`, one of the subtrees begins at a sibling of
    /// it; and at a root, as long as none was detached where it stood.
    fn sibling_above(&self, mut slot: u32, first: u32) -> Option<u32> {
        let parent = self.nodes()[first as usize].parent;
        for _ in 0..64 {
            let node = &self.nodes()[slot as usize];
            let is_sibling = if parent < MAX_SLOTS {
                node.parent == parent
            } else {
                !node.is_linked() && !node.is_free() && !self.has_detached
            };
            if is_sibling {
                return Some(if slot == first { self.end(first) } else { slot });
            }
            if node.parent >= slot || node.parent < first {
                return None;
            }
            slot = node.parent;
        }
        None
    }
}
