//! `LocalToParentSystem`: world matrices, from parents to children.
//!
//! Works on the forest's preorder; a node's slot there is its position here. A position is computed if it is marked, or if its parent's world has changed in this run; what
//! comes out with the same bits ends the descent. Positions that are neither marked nor below a change are never looked at.
//! A run of subtrees that is large enough is cut at subtrees and handed to other threads; as every world depends on its
//! parent's and its own local matrix alone, the result is the same bits however it was cut.
#![allow(unsafe_code)]

mod ground;
mod matrices;
mod stretch;
mod visit;
#[cfg(feature = "parallel")]
mod work_queue;

use std::sync::atomic::{AtomicUsize, Ordering};

use self::{ground::Ground, matrices::Matrices, visit::Hand};
use crate::{
    components::LocalToWorld,
    forest::{Forest, SubtreeRange},
    simd::{Isa, Kernel, Simd},
    storage::{columns::Columns, mask::Mask, tracker::ChangeTracker},
};

/// Brings the worlds of everything in the forest up to date. Returns how many were computed and how many differed.
pub(crate) fn propagate(
    columns: &mut Columns<'_>,
    tracker: &mut ChangeTracker,
    forest: &mut Forest,
    isa: Isa,
) -> (usize, usize) {
    if !forest.has_marked() {
        return (0, 0);
    }
    forest.begin_propagation();
    let members: Vec<u32> = tracker.having(Mask::LOCAL_TO_WORLD).collect();
    let mut sweep = Sweep {
        matrices: Matrices::new(columns, tracker, &members),
        isa,
        computed: AtomicUsize::new(0),
        changed: AtomicUsize::new(0),
        forest,
    };
    sweep.all();
    let counts = (sweep.computed.into_inner(), sweep.changed.into_inner());
    let written = sweep.matrices.written();
    forest.end_propagation();
    for index in written {
        tracker.bump::<LocalToWorld>(columns, index);
        tracker[index].world_changed = true;
    }
    counts
}

pub(super) struct Sweep<'a> {
    pub forest: &'a mut Forest,
    matrices: Matrices<'a>,
    isa: Isa,
    computed: AtomicUsize,
    changed: AtomicUsize,
}

impl Sweep<'_> {
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
        self.run(range.start(), range.end(), range.start());
    }

    /// Computes what has to be in a run of subtrees, of which everything before `below` is under a change. Returns the same
    /// for what comes after the run.
    pub fn run(&self, start: u32, end: u32, below: u32) -> u32 {
        self.isa.run(Run { sweep: self, start, end, below })
    }

    #[inline(always)]
    fn run_on<S: Simd>(&self, simd: S, start: u32, end: u32, mut below: u32) -> u32 {
        let forest = self.forest.propagation();
        let ground = Ground::new(forest, end, self.matrices.shared());
        let mut hand = Hand::empty(simd);
        let mut position = start;
        while position < end {
            if position >= below {
                position = forest.next_marked(position);
                if position >= end {
                    break;
                }
            }
            // SAFETY: a position of the run, all of which this thread computes.
            if unsafe { ground.visit(position, below, &mut hand) } {
                ground.set_changed(position);
                // Runs nest: what is below something that is below a change is below that change.
                if position >= below {
                    below = ground.node(position).end;
                }
            }
            position += 1;
            if std::mem::take(&mut hand.straight) && position < below.min(end) {
                // SAFETY: positions of the run.
                let (next, changed) = unsafe { ground.straight(self.isa, position, below.min(end)) };
                let (computed, changed) = (hand.computed + (next - position) as usize, hand.changed + changed);
                position = next;
                // A new one, so that no matrix has to be kept in memory meanwhile.
                hand = Hand { computed, changed, ..Hand::empty(simd) };
            }
        }
        self.computed.fetch_add(hand.computed, Ordering::Relaxed);
        self.changed.fetch_add(hand.changed, Ordering::Relaxed);
        below
    }
}

/// [`Sweep::run`], to be compiled for each instruction set.
struct Run<'a, 'b> {
    sweep: &'a Sweep<'b>,
    start: u32,
    end: u32,
    below: u32,
}

impl Kernel for Run<'_, '_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u32 {
        self.sweep.run_on(simd, self.start, self.end, self.below)
    }
}
