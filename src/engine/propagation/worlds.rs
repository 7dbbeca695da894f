//! `LocalToParentSystem`: world matrices.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{
    Descent, Propagation,
    matrices::{Matrices, sector_of},
    nodes::Nodes,
    visit::{Cursor, Part},
};
use crate::engine::{
    accelerators::Accelerator,
    changes::WorldChanges,
    forest::Forest,
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
    let members: Vec<u32> = tracker.having(Mask::LOCAL_TO_WORLD).collect();
    let worlds = Worlds {
        matrices: Matrices::new(columns, tracker, &members),
        isa,
        consecutive: Accelerator::Consecutive.is_on(),
        computed: AtomicUsize::new(0),
        changed: AtomicUsize::new(0),
    };
    let worlds = Propagation::run(forest, worlds);
    let counts = (worlds.computed.into_inner(), worlds.changed.into_inner());
    let written = worlds.matrices.written();
    forest.end_propagation();
    for (archetype, sectors) in written {
        let words = || changed_rows(forest, archetype, sectors);
        tracker.bump_worlds(columns, archetype, words);
        if let Some(changes) = &mut changes {
            changes.add(archetype, words());
        }
    }
    counts
}

/// The rows of an archetype whose worlds the last propagation changed, 64 a word, in these
/// [sectors](sector_of).
fn changed_rows(
    forest: &Forest,
    archetype: u32,
    sectors: u64,
) -> impl Iterator<Item = (usize, u64)> {
    let words = forest.slots(archetype).chunks(64).enumerate();
    let words = words.filter(move |(word, _)| sectors & sector_of(*word as u32 * 64) != 0);
    words.map(|(word, slots)| {
        let changed = |(bit, &slot): (usize, &u32)| u64::from(forest.has_changed(slot)) << bit;
        (word, slots.iter().enumerate().map(changed).fold(0, |bits, bit| bits | bit))
    })
}

/// The worlds of one call of [`propagate`].
struct Worlds<'a> {
    matrices: Matrices<'a>,
    isa: Isa,
    /// Whether nodes in consecutive rows are computed in a loop of their own.
    consecutive: bool,
    /// Sums of all threads, each of which adds its own once a range.
    computed: AtomicUsize,
    changed: AtomicUsize,
}

impl Descent for Worlds<'_> {
    fn compute(&self, forest: &Forest, start: u32, end: u32, below: u32) -> u32 {
        self.isa.run(ComputeSlots { worlds: self, forest, start, end, below })
    }
}

impl Worlds<'_> {
    #[inline(always)]
    fn compute_on<S: Simd>(
        &self,
        simd: S,
        forest: &Forest,
        start: u32,
        end: u32,
        mut below: u32,
    ) -> u32 {
        let forest = forest.propagation();
        let nodes = Nodes::new(forest, end, self.matrices.shared());
        let (mut cursor, mut part) = (Cursor::empty(simd), Part::none());
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
            if unsafe { nodes.visit(slot, below, &mut cursor, &mut part) } {
                // Extents nest. A change inside of a changed subtree adds nothing: `below` is
                // behind that subtree already.
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

/// [`Worlds::compute`], to be compiled for each instruction set.
struct ComputeSlots<'a, 'b> {
    worlds: &'a Worlds<'b>,
    forest: &'a Forest,
    start: u32,
    end: u32,
    below: u32,
}

impl Kernel for ComputeSlots<'_, '_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u32 {
        self.worlds.compute_on::<S>(simd, self.forest, self.start, self.end, self.below)
    }
}
