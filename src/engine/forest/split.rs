//! Splitting the order for several threads.

use super::{Forest, MAX_SLOTS, PropagationView};

/// The slots of whole subtrees, one after another, none of which is below another.
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
    /// Splits a range into two of about the same length. `None` for a single subtree, or none.
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

    /// Takes the stem off a range that is a single subtree, and returns the rest. The *stem* are
    /// the nodes whose extents reach to the end of the range: the top, its only child, and so on.
    ///
    /// ```text
    /// slot   0   1   2   3   4   5
    /// end    6   6   4   4   6   6      stem: slots 0 and 1; rest: [2, 6), two subtrees
    /// ```
    pub fn stem(&self, SubtreeRange { start, end }: SubtreeRange) -> SubtreeRange {
        let inside = &self.nodes()[start as usize..end as usize];
        let fork =
            inside.iter().position(|node| node.end < end).map_or(end, |fork| start + fork as u32);
        SubtreeRange { start: fork, end }
    }

    fn end(&self, slot: u32) -> u32 {
        self.nodes()[slot as usize].end
    }

    /// A slot near the middle at which a subtree of the range begins, and not the first. The range
    /// has at least two subtrees. Climbing from the middle is tried first; if that fails, the tops
    /// are stepped through from the start.
    fn boundary(&self, start: u32, end: u32) -> u32 {
        let middle = start + (end - start) / 2;
        if let Some(slot) = (middle..end).take(16).find_map(|slot| self.top_above(slot, start)) {
            debug_assert_eq!(
                self.top_from(start, end, slot),
                slot,
                "a subtree of the range begins there"
            );
            return slot;
        }
        self.top_from(start, end, middle)
    }

    /// The first slot from `middle` on at which a subtree of the range begins; if there is none,
    /// the slot of the last subtree. Never `start`.
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

    /// Climbs from a slot to the top of its subtree in the range that begins with `first`. If that
    /// is `first` itself, returns the slot behind its extent. `None` after 64 steps, and where the
    /// climb ends elsewhere: at a free slot, at another root, or outside of the range.
    ///
    /// ```text
    /// 1. The tops have a parent: they are siblings of `first`, children of slot 1.
    /// slot     2   3   4   5   6   7
    /// parent   1   2   2   1   5   6        from 7 to 6 to 5, whose parent is 1: returns 5
    ///          ^first                       from 4 to 2, which is `first`: returns its end, 5
    ///
    /// 2. The tops are roots.
    /// slot     0   1   2   3   4
    /// parent   -   0   -   2   3            from 4 to 3 to 2, which is a root: returns 2
    /// ```
    ///
    /// In the first case a node with that parent is a top, because it stands in the parent's extent
    /// as a direct child, or it begins an extent of its own. In the second case a root is a top
    /// unless it was detached in place: then it stands inside of another extent, and the climb
    /// gives up.
    fn top_above(&self, mut slot: u32, first: u32) -> Option<u32> {
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
