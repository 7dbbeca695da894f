//! `LocalToParentSystem`: world matrices, from parents to children.
//!
//! Walks the forest's preorder by slots. A world matrix is computed if its node is dirty or if the
//! parent's world changed in this run. A result with the same bits as before ends the descent. All
//! other nodes are skipped. With the drawing of [`forest`](crate::forest), when mars was turned:
//!
//! ```text
//! slot      0     1      2      3      4      5      6
//! entity    sun   mars   moon   io     -      ship   crew
//! marked          dirty
//! visited         yes    yes    yes
//! ```
//!
//! The search for marks finds slot 1. Its world differs, so `below` becomes 4, the end of its run:
//! slots 2 and 3 are visited without a search. At slot 4 the search goes on, and finds no mark.
//!
//! A long range is split at subtrees, for threads (`work_queue`). A world depends on the parent's
//! world and the node's own local matrix only, so each split gives the same bits.
#![allow(unsafe_code)]

mod consecutive;
mod matrices;
mod nodes;
mod visit;
#[cfg(feature = "parallel")]
mod work_queue;

use std::sync::atomic::{AtomicUsize, Ordering};

use self::{
    matrices::{Matrices, part_of},
    nodes::Nodes,
    visit::Cursor,
};
use crate::{
    accelerators::Accelerator,
    changes::WorldChanges,
    forest::{Forest, SubtreeRange},
    simd::{Isa, Kernel, Simd},
    storage::{ChangeTracker, Columns, Mask},
};

/// Brings the worlds of all nodes up to date. Returns how many were computed, and how many of these
/// changed.
pub(crate) fn propagate(
    columns: &mut Columns<'_>,
    tracker: &mut ChangeTracker,
    forest: &mut Forest,
    mut changes: Option<&mut WorldChanges>,
    isa: Isa,
) -> (usize, usize) {
    if !forest.has_marked() {
        return (0, 0);
    }
    forest.begin_propagation();
    let members: Vec<u32> = tracker.having(Mask::LOCAL_TO_WORLD).collect();
    let mut propagation = Propagation {
        matrices: Matrices::new(columns, tracker, &members),
        isa,
        consecutive: Accelerator::Consecutive.is_on(),
        computed: AtomicUsize::new(0),
        changed: AtomicUsize::new(0),
        forest,
    };
    propagation.all();
    let counts = (propagation.computed.into_inner(), propagation.changed.into_inner());
    let written = propagation.matrices.written();
    forest.end_propagation();
    for (archetype, parts) in written {
        let words = || changed_rows(forest, archetype, parts);
        tracker.bump_worlds(columns, archetype, words);
        if let Some(changes) = &mut changes {
            changes.add(archetype, words());
        }
    }
    counts
}

/// The rows of an archetype whose worlds the last propagation changed, 64 a word, in these
/// [`parts`](part_of).
fn changed_rows(forest: &Forest, archetype: u32, parts: u64) -> impl Iterator<Item = (usize, u64)> {
    let words = forest.slots(archetype).chunks(64).enumerate();
    let words = words.filter(move |(word, _)| parts & part_of(*word as u32 * 64) != 0);
    words.map(|(word, slots)| {
        let changed = |(bit, &slot): (usize, &u32)| u64::from(forest.has_changed(slot)) << bit;
        (word, slots.iter().enumerate().map(changed).fold(0, |bits, bit| bits | bit))
    })
}

/// One call of [`propagate`], shared by all threads.
struct Propagation<'a> {
    forest: &'a mut Forest,
    matrices: Matrices<'a>,
    isa: Isa,
    /// Whether nodes in consecutive rows are computed in a loop of their own.
    consecutive: bool,
    /// Sums of all threads, each of which adds its own once a range.
    computed: AtomicUsize,
    changed: AtomicUsize,
}

impl Propagation<'_> {
    /// Computes one segment after another. A run that stands apart from its parent is in a later
    /// segment than the parent, so the parent's world is final when the run is woken.
    fn all(&mut self) {
        for segment in 0..self.forest.segments() {
            if segment > 0 {
                self.forest.wake_segment(segment);
            }
            self.segment(self.forest.segment(segment));
        }
    }

    fn segment(&self, range: SubtreeRange) {
        #[cfg(feature = "parallel")]
        if self.is_worth_spreading(range) {
            return self.spread(range);
        }
        self.compute(range.start(), range.end(), range.start());
    }

    /// Computes the slots from `start` to `end`. Slots before `below` are below a changed world.
    /// Returns the new `below`, which may lie behind `end`: with `end` 3 in the drawing above, 4 is
    /// returned, and the next call starts with it.
    fn compute(&self, start: u32, end: u32, below: u32) -> u32 {
        self.isa.run(ComputeSlots { propagation: self, start, end, below })
    }

    #[inline(always)]
    fn compute_on<S: Simd>(&self, simd: S, start: u32, end: u32, mut below: u32) -> u32 {
        let forest = self.forest.propagation();
        let nodes = Nodes::new(forest, end, self.matrices.shared());
        let mut cursor = Cursor::empty(simd);
        let mut slot = start;
        while slot < end {
            // Behind the changed subtrees only marked slots are visited, found 64 at a time.
            if slot >= below {
                slot = forest.next_marked(slot);
                if slot >= end {
                    break;
                }
            }
            // SAFETY: this thread alone computes the slots from `start` to `end`.
            if unsafe { nodes.visit(slot, below, &mut cursor) } {
                // Runs nest. A change inside of a changed subtree adds nothing: `below` is behind
                // that subtree already.
                if slot >= below {
                    below = nodes.node(slot).end;
                }
            }
            slot += 1;
            let is_consecutive = std::mem::take(&mut cursor.consecutive) && self.consecutive;
            if is_consecutive && slot < below.min(end) {
                // SAFETY: as above.
                let (next, changed) = unsafe { nodes.consecutive(self.isa, slot, below.min(end)) };
                let (computed, changed) =
                    (cursor.computed + (next - slot) as usize, cursor.changed + changed);
                slot = next;
                // A new cursor, so that the old one's matrix need not survive the call in memory.
                cursor = Cursor { computed, changed, ..Cursor::empty(simd) };
            }
        }
        self.computed.fetch_add(cursor.computed, Ordering::Relaxed);
        self.changed.fetch_add(cursor.changed, Ordering::Relaxed);
        below
    }
}

/// [`Propagation::compute`], to be compiled for each instruction set.
struct ComputeSlots<'a, 'b> {
    propagation: &'a Propagation<'b>,
    start: u32,
    end: u32,
    below: u32,
}

impl Kernel for ComputeSlots<'_, '_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u32 {
        self.propagation.compute_on::<S>(simd, self.start, self.end, self.below)
    }
}
