//! `LocalToParentSystem`: world matrices, from parents to children.
//!
//! Works on the forest's preorder. A position is computed if it is marked, or if its parent's world has changed in this run; what
//! comes out with the same bits ends the descent. Positions that are neither marked nor below a change are never looked at.
//! A run of subtrees that is large enough is cut at subtrees and handed to other threads; as every world depends on its
//! parent's and its own local matrix alone, the result is the same bits however it was cut.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nalgebra::Matrix4;

#[cfg(target_arch = "x86_64")]
use super::kernel::Avx512Product;
use super::{
    kernel::{Level, Product, ScalarProduct},
    matrices::{Above, Matrices},
    slices::Columns,
};
use crate::{
    archetypes::Archetypes,
    components::LocalToWorld,
    hierarchy::{
        forest::{CYCLE, Forest, MAX_POSITIONS, NONE},
        parent_system::ParentSystem,
    },
    layout::Mask,
};

/// Positions that one thread takes at a time.
#[cfg(feature = "parallel")]
const GRAIN: u32 = 4096;

/// Brings the worlds of everything in the forest up to date. Returns how many were computed and how many differed.
pub(crate) fn propagate(
    columns: &mut Columns<'_>,
    archetypes: &mut Archetypes,
    parents: &mut ParentSystem,
) -> (usize, usize) {
    let forest = &mut parents.forest;
    if !forest.dirty.maybe_any() && !forest.moved.maybe_any() {
        return (0, 0);
    }
    let mark = forest.new_marks(1);
    let members: Vec<u32> = archetypes.having(Mask::LOCAL_TO_WORLD).collect();
    let count = columns.archetypes().len();
    let mut sweep = Sweep {
        mark,
        matrices: Matrices::new(columns, archetypes, &members),
        level: Level::best(),
        written: (0..count).map(|_| AtomicBool::new(false)).collect(),
        computed: AtomicUsize::new(0),
        changed: AtomicUsize::new(0),
        forest,
    };
    sweep.all();
    let counts = (sweep.computed.into_inner(), sweep.changed.into_inner());
    let written = sweep.written;
    forest.dirty.clear_all();
    forest.moved.clear_all();
    for (index, _) in written.into_iter().enumerate().filter(|(_, written)| written.load(Ordering::Relaxed)) {
        let index = index as u32;
        archetypes.bump::<LocalToWorld>(columns, index);
        archetypes[index].world_changed = true;
    }
    counts
}

/// How many positions ahead matrices are asked for: long enough for memory to answer.
const AHEAD: usize = 16;

struct Sweep<'a> {
    forest: &'a mut Forest,
    /// Positions with this mark have another world than before.
    mark: u32,
    matrices: Matrices<'a>,
    level: Level,
    /// Archetypes in which a world was written.
    written: Vec<AtomicBool>,
    computed: AtomicUsize,
    changed: AtomicUsize,
}

/// What has to be done about a position.
enum Wanted {
    No,
    /// Nothing, but what is below it has to follow.
    Moved,
    /// Its world is to be computed from this position's, or from nothing if it is on a cycle.
    Compute(u32),
}

/// What a thread counts for itself until it is done with a run.
#[derive(Default)]
struct Tally {
    computed: usize,
    changed: usize,
}

impl Sweep<'_> {
    fn all(&mut self) {
        for number in 0..self.forest.groups.len() {
            let start = self.forest.groups[number];
            let end = self.forest.groups.get(number + 1).copied().unwrap_or(self.forest.len() as u32);
            if number > 0 {
                self.wake_attached(start, end);
            }
            self.group(start, end);
        }
    }

    /// Marks the subtrees of a group that hang off something in an earlier one that has changed.
    fn wake_attached(&mut self, start: u32, end: u32) {
        let mut position = start;
        let mut looked = 0;
        while position < end {
            let parent = self.forest.parents[position as usize];
            if parent < start && self.forest.is_marked(parent, self.mark) {
                self.forest.dirty.set(position);
            }
            position = self.forest.ends[position as usize];
            looked += 1;
        }
        // A look costs a fraction of what planting does.
        self.forest.waste += looked / 16;
    }

    fn group(&self, start: u32, end: u32) {
        #[cfg(feature = "parallel")]
        if self.is_worth_spreading(start, end) {
            rayon::scope(|scope| self.spread(scope, start, end, start));
            return;
        }
        self.run(start, end, start);
    }

    /// Computes what has to be in a run of subtrees, of which everything before `below` is under a change. Returns the same
    /// for what comes after the run.
    fn run(&self, start: u32, end: u32, below: u32) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if let Level::Avx512(_) = self.level {
            // SAFETY: the machine has the level.
            return unsafe { self.run_avx512(start, end, below) };
        }
        self.run_at::<ScalarProduct>(start, end, below)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl")]
    fn run_avx512(&self, start: u32, end: u32, below: u32) -> u32 {
        self.run_at::<Avx512Product>(start, end, below)
    }

    #[inline(always)]
    fn run_at<K: Product>(&self, start: u32, end: u32, mut below: u32) -> u32 {
        let forest = &*self.forest;
        let mut tally = Tally::default();
        // The last world is often the next one's parent.
        // SAFETY: `run` chose the level.
        let mut last = (NONE, unsafe { K::load(&Matrix4::identity()) });
        let mut position = start;
        while position < end {
            if position >= below {
                position = forest.next_marked(position);
                if position >= end {
                    break;
                }
            }
            let changed = match self.wanted(position) {
                Wanted::No => false,
                Wanted::Moved => true,
                Wanted::Compute(parent) => {
                    let above = match parent {
                        CYCLE => Above::Nothing,
                        _ if parent == last.0 => Above::Last(last.1),
                        _ => Above::Row(forest.rows[parent as usize]),
                    };
                    let row = forest.rows[position as usize];
                    // SAFETY: every row stands at one position only. Positions are computed once, by one thread, and the parent's
                    // either by the same thread before, or before this thread was given the run. `run` chose the level.
                    let (changed, world) = unsafe { self.matrices.advance::<K>(row, above) };
                    tally.computed += 1;
                    if changed {
                        tally.changed += 1;
                        self.note_written(row.archetype);
                    }
                    let changed = changed || forest.moved.get(position);
                    last = (position, world);
                    if let Some(&row) = forest.rows.get(position as usize + AHEAD) {
                        self.matrices.prefetch(row);
                    }
                    changed
                }
            };
            if changed {
                forest.marks[position as usize].store(self.mark, Ordering::Relaxed);
                below = below.max(forest.ends[position as usize]);
            }
            position += 1;
        }
        self.count(&tally);
        below
    }

    /// What has to be done about a position.
    #[inline(always)]
    fn wanted(&self, position: u32) -> Wanted {
        let forest = &*self.forest;
        let parent = forest.parents[position as usize];
        let is_root = parent >= MAX_POSITIONS && parent != CYCLE;
        if is_root || !self.matrices.computes(forest.rows[position as usize].archetype) {
            if forest.moved.get(position) { Wanted::Moved } else { Wanted::No }
        } else if forest.dirty.get(position) || (parent != CYCLE && forest.is_marked(parent, self.mark)) {
            Wanted::Compute(parent)
        } else {
            Wanted::No
        }
    }

    #[inline(always)]
    fn note_written(&self, archetype: u32) {
        let written = &self.written[archetype as usize];
        // Threads would fight over the line if each stored.
        if !written.load(Ordering::Relaxed) {
            written.store(true, Ordering::Relaxed);
        }
    }

    fn count(&self, tally: &Tally) {
        self.computed.fetch_add(tally.computed, Ordering::Relaxed);
        self.changed.fetch_add(tally.changed, Ordering::Relaxed);
    }
}

#[cfg(feature = "parallel")]
impl Sweep<'_> {
    /// Whether there is work for more than one thread: how much is below the marked positions, up to what matters.
    fn is_worth_spreading(&self, start: u32, end: u32) -> bool {
        if end - start <= 2 * GRAIN {
            return false;
        }
        let mut work = 0;
        let mut position = self.forest.next_marked(start);
        while position < end && work < 2 * GRAIN {
            let subtree_end = self.forest.ends[position as usize];
            work += subtree_end - position;
            position = self.forest.next_marked(subtree_end);
        }
        work >= 2 * GRAIN
    }

    /// Computes a run of subtrees, handing parts of it to other threads while it is large.
    fn spread<'s>(&'s self, scope: &rayon::Scope<'s>, mut start: u32, mut end: u32, mut below: u32) {
        while end - start > GRAIN {
            let top_end = self.forest.ends[start as usize];
            if top_end >= end {
                // One subtree: its top first, and further down as long as there is nothing to share out. What is below is a run
                // of subtrees again.
                let mut fork = start + 1;
                while fork < end && self.forest.ends[fork as usize] >= end {
                    fork += 1;
                }
                below = self.run(start, fork, below);
                start = fork;
                continue;
            }
            // The smaller part goes to another thread, so that nothing nests, however deep the forest.
            let middle = self.forest.boundary(start, end);
            if middle - start < end - middle {
                let (from, to) = (start, middle);
                scope.spawn(move |scope| self.spread(scope, from, to, below.clamp(from, to)));
                start = middle;
            } else {
                let (from, to) = (middle, end);
                scope.spawn(move |scope| self.spread(scope, from, to, below.clamp(from, to)));
                end = middle;
            }
        }
        self.run(start, end, below);
    }
}
