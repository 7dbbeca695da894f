//! `LocalToParentSystem`, from parents to children: world matrices, and the user's own properties
//! (`values`).
//!
//! Walks the forest's preorder by slots. A world is computed if its node is *dirty* or if the
//! parent's world changed in this run. A result with the same bits as before ends the descent. A
//! node that is *dirty below* has its world already: the descent goes on below it. With the drawing
//! of [`forest`](crate::engine::forest), when mars was turned:
//!
//! ```text
//! slot      0     1      2      3      4      5      6
//! entity    sun   mars   moon   io     -      ship   crew
//! marked          dirty
//! visited         yes    yes    yes
//! ```
//!
//! The search for marks finds slot 1. Its world differs, so `below` becomes 4, the end of its
//! extent: slots 2 and 3 are visited without a search. At slot 4 the search goes on.
#![allow(unsafe_code)]

mod consecutive;
mod matrices;
mod nodes;
mod values;
#[cfg(feature = "parallel")]
mod work_queue;

use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use self::values::Property;
use self::{
    matrices::{Matrices, block_of},
    nodes::{Carried, LastInherited, Nodes, Slots},
};
use crate::engine::{
    forest::{Forest, SubtreeRange},
    local::Context,
    machine::Accelerator,
    parallel,
    simd::{Isa, Kernel, Simd},
    storage::Mask,
};

/// What a propagation brings from parents to children.
trait Descent: Sync {
    /// Computes a thread's slots. Returns the new [`below`](Slots::below), which may lie behind the
    /// end: with `end` 3 in the drawing above, 4 is returned, and the next call starts with it.
    fn compute(&self, slots: Slots<'_>) -> u32;
}

/// One propagation, shared by all threads.
struct Propagation<'a, J> {
    forest: &'a mut Forest,
    #[cfg_attr(not(feature = "parallel"), expect(dead_code, reason = "no work is spread"))]
    threads: &'a parallel::Threads,
    job: J,
}

impl<'a, J: Descent> Propagation<'a, J> {
    /// Computes one segment after another. An extent that stands apart from its parent is in a
    /// later segment than the parent, so the parent's result is final when the extent is woken.
    /// Returns the job.
    fn run(forest: &'a mut Forest, threads: &'a parallel::Threads, job: J) -> J {
        forest.begin_propagation();
        let propagation = Self { forest, threads, job };
        for segment in 0..propagation.forest.segments() {
            if segment > 0 {
                propagation.forest.wake_segment(segment);
            }
            propagation.segment(propagation.forest.segment(segment));
        }
        propagation.job
    }

    fn segment(&self, range: SubtreeRange) {
        #[cfg(feature = "parallel")]
        if let Some(threads) = self.paying(range) {
            return self.spread(range, threads);
        }
        self.compute(range.start(), range.end(), range.start());
    }

    /// [`Descent::compute`] for the slots from `start` to `end`, which this thread alone computes.
    /// Those before `below` are below a changed node.
    fn compute(&self, start: u32, end: u32, below: u32) -> u32 {
        let last = start.wrapping_sub(1);
        self.job.compute(Slots { forest: self.forest.propagation(), last, end, below })
    }
}

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
    for (archetype, blocks) in written {
        let words = || changed_rows(forest, archetype, blocks);
        tracker.bump_worlds(columns, archetype, words);
        if let Some(changes) = &mut changes {
            changes.add(archetype, words());
        }
    }
    counts
}

/// The rows of an archetype whose worlds the last propagation changed, 64 a word, in these
/// [blocks](block_of).
fn changed_rows(
    forest: &Forest,
    archetype: u32,
    blocks: u64,
) -> impl Iterator<Item = (usize, u64)> {
    let words = forest.slots(archetype).chunks(64).enumerate();
    let words = words.filter(move |(word, _)| blocks & block_of(*word as u32 * 64) != 0);
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

/// [`Worlds::compute`], to be compiled for each instruction set.
struct ComputeSlots<'a, 'b> {
    worlds: &'a Worlds<'b>,
    slots: &'a Slots<'a>,
}

impl Kernel for ComputeSlots<'_, '_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u32 {
        // A copy stays in registers.
        let (worlds, mut slots) = (self.worlds, *self.slots);
        let nodes = Nodes::of(&slots, worlds.matrices.shared());
        let (mut carried, mut inherited) = (Carried::empty(simd), LastInherited::none());
        while let Some(slot) = slots.next() {
            // SAFETY: it is one of this thread's [`Slots`].
            if unsafe { nodes.visit(slot, slots.below, &mut carried, &mut inherited) } {
                slots.follow(nodes.node(slot).end);
            }
            let is_consecutive = std::mem::take(&mut carried.consecutive) && worlds.consecutive;
            let slot = slot + 1;
            if is_consecutive && slot < nodes.end {
                // SAFETY: the slots from this one on are this thread's next [`Slots`].
                let (next, below, changed) =
                    unsafe { nodes.consecutive(worlds.isa, slot, slots.below, &mut inherited) };
                (slots.last, slots.below) = (next - 1, below);
                carried.computed += (next - slot) as usize;
                carried.changed += changed;
            }
        }
        worlds.computed.fetch_add(carried.computed, Ordering::Relaxed);
        worlds.changed.fetch_add(carried.changed, Ordering::Relaxed);
        slots.below
    }
}
