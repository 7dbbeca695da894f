//! `LocalToParentSystem`: world matrices.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{
    Descent, Propagation,
    matrices::{Matrices, sector_of},
    nodes::{Cursor, LastInherited, Nodes, Slots},
};
use crate::engine::{
    forest::Forest,
    local::Context,
    machine::Accelerator,
    simd::{Isa, Kernel, Simd},
    storage::Mask,
};

/// Brings the worlds of all nodes up to date. Returns how many were computed, and how many of these
/// changed.
pub(crate) fn propagate(context: Context<'_, '_>) -> (usize, usize) {
    let Context { columns, tracker, forest, mut changes, machine } = context;
    if !forest.has_marked() {
        return (0, 0);
    }
    let members: Vec<u32> = tracker.having(Mask::LOCAL_TO_WORLD).collect();
    let worlds = Worlds {
        matrices: Matrices::new(columns, tracker, &members),
        isa: machine.isa,
        consecutive: machine.uses(Accelerator::Consecutive),
        computed: AtomicUsize::new(0),
        changed: AtomicUsize::new(0),
    };
    let worlds = Propagation::run(forest, &machine.threads, worlds);
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
    fn compute(&self, slots: Slots<'_>) -> u32 {
        self.isa.run(ComputeSlots { worlds: self, slots: &slots })
    }
}

impl Worlds<'_> {
    #[inline(always)]
    fn compute_on<S: Simd>(&self, simd: S, slots: &Slots<'_>) -> u32 {
        // A copy stays in registers.
        let mut slots = *slots;
        let nodes = Nodes::of(&slots, self.matrices.shared());
        let (mut cursor, mut inherited) = (Cursor::empty(simd), LastInherited::none());
        while let Some(slot) = slots.next() {
            // SAFETY: it is one of this thread's [`Slots`].
            if unsafe { nodes.visit(slot, slots.below, &mut cursor, &mut inherited) } {
                slots.follow(nodes.node(slot).end);
            }
            let is_consecutive = std::mem::take(&mut cursor.consecutive) && self.consecutive;
            let slot = slot + 1;
            if is_consecutive && slot < nodes.end {
                // SAFETY: the slots from this one on are this thread's next [`Slots`].
                let (next, below, changed) =
                    unsafe { nodes.consecutive(self.isa, slot, slots.below, &mut inherited) };
                (slots.last, slots.below) = (next - 1, below);
                cursor.computed += (next - slot) as usize;
                cursor.changed += changed;
            }
        }
        self.computed.fetch_add(cursor.computed, Ordering::Relaxed);
        self.changed.fetch_add(cursor.changed, Ordering::Relaxed);
        slots.below
    }
}

/// [`Worlds::compute`], to be compiled for each instruction set.
struct ComputeSlots<'a, 'b> {
    worlds: &'a Worlds<'b>,
    slots: &'a Slots<'a>,
}

impl Kernel for ComputeSlots<'_, '_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u32 {
        self.worlds.compute_on(simd, self.slots)
    }
}
