//! `LocalToParentSystem`: world matrices, from parents to children.
//!
//! Works on the forest's preorder. The world matrix of a node is computed if the node is dirty, or
//! if its parent's has changed in this run; one that comes out with the same bits ends the descent.
//! Nodes that are neither marked nor below a change are never looked at. A range of subtrees that
//! is large enough is split at subtrees and handed to other threads; as every world matrix depends
//! on the parent's and the node's own local matrix alone, the result is the same bits however it
//! was split.
#![allow(unsafe_code)]

mod consecutive;
mod matrices;
mod nodes;
mod visit;
#[cfg(feature = "parallel")]
mod work_queue;

use std::sync::atomic::{AtomicUsize, Ordering};

use self::{matrices::Matrices, nodes::Nodes, visit::Cursor};
use crate::{
    accelerators::Accelerator,
    changes::WorldChanges,
    components::LocalToWorld,
    forest::{Forest, SubtreeRange},
    simd::{Isa, Kernel, Simd},
    storage::{ChangeTracker, Columns, Mask},
};

/// Brings the worlds of everything in the forest up to date. Returns how many were computed and how
/// many differed.
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
        matrices: Matrices::new(columns, tracker, &members, changes.as_deref()),
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
        tracker.bump::<LocalToWorld>(columns, archetype);
        tracker.sheet_mut(archetype).note_world_written();
        if let Some(changes) = &mut changes {
            changes.take_flags(archetype, parts);
        }
    }
    counts
}

struct Propagation<'a> {
    forest: &'a mut Forest,
    matrices: Matrices<'a>,
    isa: Isa,
    /// Whether nodes in consecutive rows are computed in a loop of their own.
    consecutive: bool,
    computed: AtomicUsize,
    changed: AtomicUsize,
}

impl Propagation<'_> {
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

    /// Computes what has to be in a run of subtrees, of which everything before `below` is under a
    /// change. Returns the same for what comes after the run.
    fn run(&self, start: u32, end: u32, below: u32) -> u32 {
        match self.matrices.flags {
            true => self.isa.run(Run::<true> { propagation: self, start, end, below }),
            false => self.isa.run(Run::<false> { propagation: self, start, end, below }),
        }
    }

    #[inline(always)]
    fn run_on<S: Simd, const FLAGS: bool>(
        &self,
        simd: S,
        start: u32,
        end: u32,
        mut below: u32,
    ) -> u32 {
        let forest = self.forest.propagation();
        let nodes = Nodes::<FLAGS>::new(forest, end, self.matrices.shared());
        let mut cursor = Cursor::empty(simd);
        let mut slot = start;
        while slot < end {
            if slot >= below {
                slot = forest.next_marked(slot);
                if slot >= end {
                    break;
                }
            }
            // SAFETY: a slot of the run, all of which this thread computes.
            if unsafe { nodes.visit(slot, below, &mut cursor) } {
                nodes.set_changed(slot);
                // Runs nest: what is below something that is below a change is below that change.
                if slot >= below {
                    below = nodes.node(slot).end;
                }
            }
            slot += 1;
            let is_consecutive = std::mem::take(&mut cursor.consecutive) && self.consecutive;
            if is_consecutive && slot < below.min(end) {
                // SAFETY: slots of the run.
                let (next, changed) = unsafe { nodes.consecutive(self.isa, slot, below.min(end)) };
                let (computed, changed) =
                    (cursor.computed + (next - slot) as usize, cursor.changed + changed);
                slot = next;
                // A new one, so that no matrix has to be kept in memory meanwhile.
                cursor = Cursor { computed, changed, ..Cursor::empty(simd) };
            }
        }
        self.computed.fetch_add(cursor.computed, Ordering::Relaxed);
        self.changed.fetch_add(cursor.changed, Ordering::Relaxed);
        below
    }
}

/// [`Propagation::run`], to be compiled for each instruction set.
struct Run<'a, 'b, const FLAGS: bool> {
    propagation: &'a Propagation<'b>,
    start: u32,
    end: u32,
    below: u32,
}

impl<const FLAGS: bool> Kernel for Run<'_, '_, FLAGS> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u32 {
        self.propagation.run_on::<S, FLAGS>(simd, self.start, self.end, self.below)
    }
}
