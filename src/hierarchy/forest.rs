//! The parents-first order: every entity that hangs off another or has something hanging off it, in preorder.
//!
//! A subtree is one run of positions, `[top, end)`, so that whatever moved, what is below it is found without a search, and
//! a big run can be split for several threads at any subtree. Edits do not shift positions: a subtree that gets a new
//! parent is planted again in a hole that is large enough ([`holes`](super::holes)) or behind all others, its old positions
//! become holes, and the order is planted afresh when the holes have cost as much as that would. Positions come in *groups*:
//! within one, every subtree's parent is either inside the subtree or in an earlier group, so the subtrees of a group are
//! independent of each other. Any two runs are nested or apart, those that holes began included.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU32, Ordering},
};

use legion::world::EntityHasher;
use smallvec::SmallVec;

use super::holes::Holes;
use crate::{
    bits::Bits,
    raw::{kernel::prefetch, slices::Row},
};

/// No position: no parent, not in the forest.
pub(crate) const NONE: u32 = u32::MAX;
/// In place of a parent's position: the entity is on a cycle, and counts as a root.
pub(crate) const CYCLE: u32 = u32::MAX - 1;
/// Positions are below this, so that one comparison tells a parent's position from [`NONE`] and [`CYCLE`].
pub(crate) const MAX_POSITIONS: u32 = 1 << 31;

/// The row of a hole, and of an entity that has died.
pub(crate) const NOWHERE: Row = Row { archetype: u32::MAX, row: u32::MAX };

/// What stands at a position.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    /// Where the entity is; [`NOWHERE`] in a hole.
    pub row: Row,
    /// The parent's position, [`NONE`] or [`CYCLE`].
    pub parent: u32,
    /// One past the last position of the subtree.
    pub end: u32,
}

impl Node {
    pub fn is_hole(&self) -> bool {
        self.row == NOWHERE
    }
}

#[derive(Default)]
pub(crate) struct Forest {
    /// By position.
    pub nodes: Vec<Node>,
    /// How many children the entity has.
    pub child_counts: Vec<u32>,
    /// When the entity was last marked; see [`Forest::new_marks`]. Atomic, as threads share it while worlds are propagated.
    pub marks: Vec<AtomicU32>,
    mark: u32,
    /// Where each group begins.
    pub groups: Vec<u32>,
    /// Subtrees that were planted apart from their parents, by the parent's position.
    pub(super) attached: HashMap<u64, SmallVec<[u32; 2]>, EntityHasher>,
    /// Positions whose world matrix has to be computed and compared.
    pub dirty: Bits,
    /// Positions whose world matrix has changed already, so that the children have to follow.
    pub moved: Bits,
    pub(super) holes: Holes,
    /// Whether roots may stand in the runs of others, where they were cut off.
    pub(super) strays: bool,
    /// Work that holes and groups have cost since the order was planted, in positions planted.
    pub waste: usize,
}

impl Forest {
    /// How many positions there are, holes included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many entities there are.
    pub fn population(&self) -> usize {
        self.len() - self.holes.count
    }

    pub fn is_hole(&self, position: u32) -> bool {
        self[position].is_hole()
    }

    /// Asks for what is known of a position (if it is one), as it will be needed soon.
    pub fn expect(&self, position: u32) {
        if (position as usize) < self.len() {
            prefetch(&self[position]);
            prefetch(&self.child_counts[position as usize]);
            prefetch(&self.marks[position as usize]);
            self.holes.expect(position);
        }
    }

    /// Whether the entity hangs off another (and not on a cycle).
    pub fn is_linked(&self, position: u32) -> bool {
        self[position].parent < MAX_POSITIONS
    }

    pub fn is_cyclic(&self, position: u32) -> bool {
        self[position].parent == CYCLE
    }

    /// Whether the entity still has a reason to be here.
    pub fn is_needed(&self, position: u32) -> bool {
        self[position].parent != NONE || self.child_counts[position as usize] > 0
    }

    /// The first of `count` numbers in a row that no position is marked with, nor with any above them.
    pub fn new_marks(&mut self, count: u32) -> u32 {
        if self.mark.checked_add(count).is_none() {
            self.marks.iter_mut().for_each(|mark| *mark.get_mut() = 0);
            self.mark = 0;
        }
        let first = self.mark + 1;
        self.mark += count;
        first
    }

    /// Marks a position; returns whether it was marked so already.
    pub fn mark(&mut self, position: u32, mark: u32) -> bool {
        std::mem::replace(self.marks[position as usize].get_mut(), mark) == mark
    }

    pub fn is_marked(&self, position: u32, mark: u32) -> bool {
        self.marks[position as usize].load(Ordering::Relaxed) == mark
    }

    /// Calls `visit` with every child.
    pub fn for_each_child(&self, parent: u32, mut visit: impl FnMut(u32)) {
        let mut left = self.child_counts[parent as usize];
        if left == 0 {
            return;
        }
        for &child in self.attached.get(&u64::from(parent)).into_iter().flatten() {
            visit(child);
            left -= 1;
        }
        let mut position = parent + 1;
        while left > 0 {
            if self[position].parent == parent {
                visit(position);
                left -= 1;
            }
            // Holes and strangers keep the ends they had, so this still walks from sibling to sibling.
            position = self[position].end;
        }
    }

    /// Calls `visit` with every position of the subtree, parents first.
    pub fn for_each_below(&self, top: u32, mut visit: impl FnMut(u32)) {
        if self.child_counts[top as usize] == 0 {
            return visit(top);
        }
        let mut open = vec![top];
        while let Some(top) = open.pop() {
            let mut position = top;
            while position < self[top].end {
                let stranger = position != top && !self.is_hole(position) && !self.is_inside(position, top);
                if stranger {
                    position = self[position].end;
                    continue;
                }
                if !self.is_hole(position) {
                    visit(position);
                    open.extend(self.attached.get(&u64::from(position)).into_iter().flatten());
                }
                position += 1;
            }
        }
    }

    /// Whether a position is in the run that begins at another.
    pub(super) fn is_in_run(&self, position: u32, top: u32) -> bool {
        top < position && position < self[top].end
    }

    /// Whether the parent of a position in the run of `top` is in that run: it is not if the entity was cut off where it stood.
    fn is_inside(&self, position: u32, top: u32) -> bool {
        let parent = self[position].parent;
        parent < MAX_POSITIONS && parent >= top
    }

    /// Takes the entity off its parent, where it stands. Its subtree stays with it.
    pub fn cut(&mut self, position: u32) {
        let parent = std::mem::replace(&mut self[position].parent, NONE);
        if parent < MAX_POSITIONS {
            self.child_counts[parent as usize] -= 1;
            if !self.is_in_run(position, parent)
                && let Some(attached) = self.attached.get_mut(&u64::from(parent))
            {
                attached.retain(|top| *top != position);
                if attached.is_empty() {
                    self.attached.remove(&u64::from(parent));
                }
            }
        }
    }

    /// Puts an entity that hangs off nothing on a cycle.
    pub fn set_cyclic(&mut self, position: u32) {
        debug_assert_eq!(self[position].parent, NONE);
        self[position].parent = CYCLE;
        self.strays = true;
        self.dirty.set(position);
    }

    /// Takes an entity without parent and children out.
    pub fn remove(&mut self, position: u32) {
        debug_assert!(!self.is_linked(position) && self.child_counts[position as usize] == 0);
        self.dig(position);
    }

    /// Frees what only holes take up.
    pub fn clear_if_empty(&mut self) {
        if self.population() == 0 {
            *self = Self::default();
        }
    }

    /// Takes over what was still to be done about an entity that stood elsewhere before.
    pub fn inherit(&mut self, position: u32, old: &Self, before: u32) {
        if old.dirty.get(before) {
            self.dirty.set(position);
        }
        if old.moved.get(before) {
            self.moved.set(position);
        }
    }

    /// Whether any position may be dirty or moved.
    pub fn has_marked(&self) -> bool {
        self.dirty.maybe_any() || self.moved.maybe_any()
    }

    /// The first position from `position` on that is dirty or moved, or some number behind all of them.
    pub fn next_marked(&self, position: u32) -> u32 {
        self.dirty.next_of_either(&self.moved, position)
    }

    /// Whether planting everything afresh would pay.
    pub fn is_overgrown(&self) -> bool {
        self.waste > 4096 && self.waste > 2 * self.population()
    }
}

impl std::ops::Index<u32> for Forest {
    type Output = Node;
    fn index(&self, position: u32) -> &Node {
        &self.nodes[position as usize]
    }
}

impl std::ops::IndexMut<u32> for Forest {
    fn index_mut(&mut self, position: u32) -> &mut Node {
        &mut self.nodes[position as usize]
    }
}
