//! Where entities have left the forest, and who can be planted there.
//!
//! A subtree fits into a hole that is the top of a run of enough holes, as any two runs are then still nested or apart. Which
//! subtree may go where follows from how the order is used:
//! - a hole among a parent's children is room for a child of that parent, whom all walks through its children then meet;
//! - a hole that is in nobody's run is room for a root; and, in the last group, for a subtree whose parent is in an earlier one.

use super::forest::{Forest, MAX_POSITIONS, NONE, NOWHERE, Node};
use crate::raw::kernel::prefetch;

/// How many holes are looked at before a subtree is planted behind all others.
const TRIES: usize = 4;

#[derive(Default)]
pub(super) struct Holes {
    /// How many there are.
    pub count: usize,
    /// By position.
    places: Vec<Place>,
    /// Holes in nobody's run that came up in earlier groups, and in the last one.
    outer: [Vec<u32>; 2],
}

/// In place of the entity in whose run a hole is.
const HOLE: u32 = u32::MAX - 1;

#[derive(Clone, Copy)]
struct Place {
    /// In whose run the entity was planted; [`NONE`] for nobody's, [`HOLE`] for that of a hole.
    within: u32,
    /// The hole among the entity's children that was made last. From hole to hole it goes on here as well, as a hole has
    /// no children.
    spare: u32,
}

impl Holes {
    pub fn grow(&mut self, len: usize, new: usize) {
        self.count += new;
        self.places.resize(len, Place { within: HOLE, spare: NONE });
    }

    pub fn expect(&self, position: u32) {
        prefetch(&self.places[position as usize]);
    }

    pub fn begin_group(&mut self) {
        let [earlier, last] = &mut self.outer;
        earlier.append(last);
    }
}

impl Forest {
    /// Makes a hole; whoever was there is gone or planted elsewhere.
    pub fn dig(&mut self, position: u32) {
        let index = position as usize;
        self.nodes[index].row = NOWHERE;
        self.nodes[index].parent = NONE;
        if std::mem::take(&mut self.child_counts[index]) > 0 {
            self.attached.remove(&u64::from(position));
        }
        self.dirty.clear(position);
        self.moved.clear(position);
        let place = &mut self.holes.places[index];
        let parent = std::mem::replace(place, Place { within: HOLE, spare: NONE }).within;
        self.holes.count += 1;
        self.waste += 1;
        if parent == NONE {
            self.offer_outer(position);
        } else if self.holes.places[parent as usize].within != HOLE && self.is_in_run(position, parent) {
            self.offer(position, parent);
        }
    }

    /// Remembers a hole among the children of a parent.
    fn offer(&mut self, hole: u32, parent: u32) {
        let places = &mut self.holes.places;
        places[hole as usize].spare = std::mem::replace(&mut places[parent as usize].spare, hole);
    }

    /// Remembers a hole that is in nobody's run.
    fn offer_outer(&mut self, hole: u32) {
        let is_last = hole >= *self.groups.last().expect("planting made one");
        self.holes.outer[usize::from(is_last)].push(hole);
    }

    /// A hole for a subtree that is to hang off `parent`, if there is a large enough one. It is the caller's from now on.
    pub(super) fn take_room(&mut self, parent: u32, len: u32) -> Option<u32> {
        if parent >= MAX_POSITIONS {
            return self.take_outer(0, len).or_else(|| self.take_outer(1, len));
        }
        let inside = self.take_spare(parent, len);
        let last = *self.groups.last().expect("plant made one");
        inside.or_else(|| if parent < last { self.take_outer(1, len) } else { None })
    }

    fn take_spare(&mut self, parent: u32, len: u32) -> Option<u32> {
        let mut before = parent;
        for _ in 0..TRIES {
            let hole = self.holes.places[before as usize].spare;
            if hole == NONE {
                break;
            }
            if self.has_room(hole, len) {
                self.holes.places[before as usize].spare = self.holes.places[hole as usize].spare;
                if let Some(rest) = self.rest(hole, len) {
                    self.offer(rest, parent);
                }
                return Some(hole);
            }
            before = hole;
        }
        None
    }

    fn take_outer(&mut self, list: usize, len: u32) -> Option<u32> {
        let holes = &self.holes.outer[list];
        let number = (0..holes.len()).rev().take(TRIES).find(|&number| self.has_room(holes[number], len))?;
        let hole = self.holes.outer[list].swap_remove(number);
        if let Some(rest) = self.rest(hole, len) {
            self.holes.outer[list].push(rest);
        }
        Some(hole)
    }

    /// Whether the run that began at a hole begins with so many holes.
    fn has_room(&self, hole: u32, len: u32) -> bool {
        let end = hole + len;
        end <= self[hole].end && self.nodes[hole as usize..end as usize].iter().all(Node::is_hole)
    }

    /// The hole that is left of a run behind a subtree of `len`.
    fn rest(&self, hole: u32, len: u32) -> Option<u32> {
        let rest = hole + len;
        (rest < self[hole].end && self.is_hole(rest)).then_some(rest)
    }

    /// Takes note that a subtree stands where holes were, in the run of `within`.
    pub(super) fn fill(&mut self, start: u32, len: u32, within: u32) {
        self.holes.count -= len as usize;
        self.holes.places[start as usize] = Place { within, spare: NONE };
        for position in start as usize + 1..(start + len) as usize {
            self.holes.places[position] = Place { within: self.nodes[position].parent, spare: NONE };
        }
    }
}
