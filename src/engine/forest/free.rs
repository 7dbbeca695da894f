//! Free slots, and how they are used again.
//!
//! A *gap* is an extent of free slots. It is in the list of the node right above, or, if it is in
//! no other extent, in the list of its length.
//!
//! ```text
//! slot     0    1    2    3    4    5    6    7      mars left slots 1 to 3: a gap right below
//! entity   sun  -    -    -    io   -    -    ship   sun, for its next child. The subtree that
//! end      5    4    3    4    5    7    7    8      left slots 5 and 6 was apart from its parent
//! ```
//!
//! Slots 1 to 3 are in sun's list, `kin[0].first_gap`: a child of sun with one child may take all
//! three, and slot 3 becomes a gap right below that child. Slots 5 and 6 are in `gaps[2]`, the list
//! of gaps with two slots, and begin segment 1. A root may take them, or a subtree whose parent is
//! in segment 0.

use super::{Forest, MAX_SLOTS, NONE, Node};
use crate::engine::storage::Row;

/// How many classes of lengths there are.
const CLASSES: usize = 124;
/// How many gaps of a list are looked at.
const TRIES: usize = 8;

/// The class of a length. Lengths up to 7 have one each, and there are four for each power of two
/// above: 8 and 9, 10 and 11, 12 and 13, 14 and 15, 16 to 19.
pub(super) fn class(len: u32) -> usize {
    match len.ilog2() {
        0 | 1 => len as usize,
        log => (4 * (log - 1) + (len >> (log - 2)) % 4) as usize,
    }
}

impl Forest {
    /// The first gap right below a node, or else of a class, or [`NONE`].
    pub(super) fn first_gap(&mut self, above: u32, class: usize) -> &mut u32 {
        if above != NONE {
            return &mut self.kin[above as usize].first_gap;
        }
        self.gaps.resize(CLASSES, NONE);
        &mut self.gaps[class]
    }

    /// How many slots a gap has.
    pub(super) fn gap(&self, top: u32) -> u32 {
        self.nodes[top as usize].end - top
    }

    /// The node right above in whose extent a node stands, or [`NONE`].
    pub(super) fn above(&self, slot: u32) -> u32 {
        match self.parent(slot) {
            Some(parent) if self.is_in_extent(slot, parent) => parent,
            Some(_) => NONE,
            None => self.kin[slot as usize].previous,
        }
    }

    /// Opens an extent whose top was freed, right below `above`: its free slots become gaps there.
    /// Subtrees of roots that were detached in place stay, and stand right below `above` from now
    /// on.
    ///
    /// ```text
    /// slot     5     6    7    8    9
    /// before   free  free io   lava free     one extent, [5, 10); io was detached: a root
    /// after    gap        io   lava gap      [5, 7), [7, 9) and [9, 10)
    /// ```
    pub(super) fn open_extent(&mut self, top: u32, above: u32) {
        let end = self.nodes[top as usize].end;
        let mut slot = top;
        while slot < end {
            let start = slot as usize;
            if !self.nodes[start].is_free() {
                self.detached -= usize::from(above == NONE);
                self.kin[start].previous = above;
                slot = self.nodes[start].end;
                continue;
            }
            let gap = &mut self.nodes[start..end as usize];
            let len = gap.iter().position(|node| !node.is_free()).unwrap_or(gap.len());
            slot += len as u32;
            gap[..len].iter_mut().for_each(|node| node.end = node.end.min(slot));
            gap[0].end = slot;
            let first = self.first_gap(above, class(len as u32));
            self.kin[start].next = std::mem::replace(first, start as u32);
        }
    }

    /// Takes a gap for a subtree: right below its parent, or else one in no other extent, in a
    /// segment behind the parent's. The rest of the gap is for the subtree's own next children, so
    /// a root may get one up to 8 times as long. Other subtrees get about 1.5 times their length.
    pub(super) fn take_gap(&mut self, parent: u32, len: u32) -> Option<u32> {
        let class = class(len);
        let (mut from, mut classes) = (0, class..CLASSES.min(class + 13));
        if parent < MAX_SLOTS {
            if let Some(top) = self.take(parent, class, len, 0) {
                return Some(top);
            }
            from = *self.segments.get(self.segments.partition_point(|&start| start <= parent))?;
            classes.end = classes.end.min(class + 2);
        }
        classes.find_map(|class| self.take(NONE, class, len, from))
    }

    /// Takes a gap right below a node, or else of a class, that has `len` slots or a few more and
    /// is not before a slot.
    fn take(&mut self, above: u32, in_class: usize, len: u32, from: u32) -> Option<u32> {
        let (mut before, mut top) = (NONE, *self.first_gap(above, in_class));
        for _ in 0..TRIES {
            if top == NONE {
                return None;
            }
            let (gap, next) = (self.gap(top), self.kin[top as usize].next);
            if top >= from && gap >= len && class(gap) <= in_class + 1 {
                match before {
                    NONE => *self.first_gap(above, in_class) = next,
                    _ => self.kin[before as usize].next = next,
                }
                return Some(top);
            }
            (before, top) = (top, next);
        }
        None
    }

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
                self.dirty_below.put(new, old.dirty_below.get(slot));
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
