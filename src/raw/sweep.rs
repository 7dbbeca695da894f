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
    ground::Ground,
    kernel::{Level, Product, ScalarProduct, replace},
    matrices::Matrices,
    scout::Scout,
    slices::Columns,
};
use crate::{
    archetypes::Archetypes,
    components::LocalToWorld,
    hierarchy::{
        forest::{CYCLE, Forest, NONE, Node},
        parent_system::ParentSystem,
    },
    layout::Mask,
};

/// Brings the worlds of everything in the forest up to date. Returns how many were computed and how many differed.
pub(crate) fn propagate(
    columns: &mut Columns<'_>,
    archetypes: &mut Archetypes,
    parents: &mut ParentSystem,
) -> (usize, usize) {
    let forest = &mut parents.forest;
    if !forest.has_marked() {
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
const AHEAD: u32 = 32;

pub(super) struct Sweep<'a> {
    pub forest: &'a mut Forest,
    /// Positions with this mark have another world than before.
    pub(super) mark: u32,
    pub(super) matrices: Matrices<'a>,
    pub(super) level: Level,
    /// Archetypes in which a world was written.
    written: Vec<AtomicBool>,
    computed: AtomicUsize,
    changed: AtomicUsize,
}

/// What a thread has at hand during a run.
struct Hand<K: Product> {
    computed: usize,
    changed: usize,
    /// The position that was computed last, which is often the next one's parent, and its world.
    last: u32,
    world: K::World,
    /// The archetype in which something was written last.
    written: u32,
    /// Whether rows seem to follow one another.
    straight: bool,
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
            let parent = self.forest[position].parent;
            if parent < start && self.forest.is_marked(parent, self.mark) {
                self.forest.dirty.set(position);
            }
            position = self.forest[position].end;
            looked += 1;
        }
        // A look costs a fraction of what planting does.
        self.forest.waste += looked / 16;
    }

    fn group(&self, start: u32, end: u32) {
        #[cfg(feature = "parallel")]
        if self.is_worth_spreading(start, end) {
            return self.spread(start, end);
        }
        self.run(start, end, start);
    }

    /// Computes what has to be in a run of subtrees, of which everything before `below` is under a change. Returns the same
    /// for what comes after the run.
    pub fn run(&self, start: u32, end: u32, below: u32) -> u32 {
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
        let ground = Ground::new(forest, end);
        let mut hand = Hand::<K> {
            computed: 0,
            changed: 0,
            last: NONE,
            // SAFETY: `run` chose the level.
            world: unsafe { K::load(&Matrix4::identity()) },
            written: NONE,
            straight: false,
        };
        let mut scout = Scout::new(start);
        let mut position = start;
        while position < end {
            if position >= below {
                position = forest.next_marked(position);
                if position >= end {
                    break;
                }
                scout.advance(position, end, forest, &self.matrices);
            }
            // SAFETY: before the end.
            unsafe {
                if self.visit(position, below, &ground, &mut hand) {
                    ground.mark(position).store(self.mark, Ordering::Relaxed);
                    // Runs nest: what is below something that is below a change is below that change.
                    if position >= below {
                        below = ground.node(position).end;
                    }
                }
            }
            position += 1;
            if std::mem::take(&mut hand.straight) && position < below.min(end) {
                // SAFETY: positions before the end, all of which this thread computes.
                let (next, changed) = unsafe { self.straight(&ground, position, below.min(end)) };
                hand.computed += (next - position) as usize;
                hand.changed += changed;
                position = next;
                // Nothing at hand, so that nothing is kept in memory meanwhile.
                hand.last = NONE;
                // SAFETY: `run` chose the level.
                hand.world = unsafe { K::load(&Matrix4::identity()) };
            }
        }
        self.computed.fetch_add(hand.computed, Ordering::Relaxed);
        self.changed.fetch_add(hand.changed, Ordering::Relaxed);
        below
    }

    /// Does what has to be done about a position. Returns whether what is below it has to follow.
    ///
    /// # Safety
    /// The position is before the end of the ground.
    #[inline(always)]
    unsafe fn visit<K: Product>(&self, position: u32, below: u32, ground: &Ground<'_>, hand: &mut Hand<K>) -> bool {
        // SAFETY: every position that is asked for is before the end, or was found to be before this one.
        unsafe {
            let &Node { row, parent, .. } = ground.node(position);
            // Parents stand before their children, and what is no position is behind all of them.
            let is_linked = parent < position;
            let Some(matrices) = self.matrices.computed(row, is_linked || parent == CYCLE) else {
                return ground.moved(position);
            };
            let is_below = is_linked && ground.mark(parent).load(Ordering::Relaxed) == self.mark;
            if !is_below && !ground.dirty(position) {
                return false;
            }
            // Every row stands at one position only. Positions are computed once, by one thread, and the parent's
            // either by the same thread before, or before this thread was given the run. `run` chose the level.
            let (local, world) = matrices.of(row);
            let (changed, world) = if parent == hand.last {
                K::product(hand.world, local, world)
            } else if is_linked {
                K::product(K::load(self.matrices.world(ground.node(parent).row)), local, world)
            } else {
                (replace(world, local), K::load(local))
            };
            (hand.last, hand.world) = (position, world);
            hand.computed += 1;
            if changed {
                hand.changed += 1;
                if row.archetype != hand.written {
                    hand.written = row.archetype;
                    self.note_written(row.archetype);
                }
            }
            let ahead = position + AHEAD;
            if ahead < ground.end && (ahead < below || ground.dirty(ahead)) {
                let next = ground.node(ahead).row;
                // One after another in memory, they come by themselves.
                hand.straight = next.row.wrapping_sub(row.row) == AHEAD && next.archetype == row.archetype;
                if !hand.straight {
                    self.matrices.prefetch(next);
                }
            }
            changed || ground.moved(position)
        }
    }

    pub(super) fn note_written(&self, archetype: u32) {
        let written = &self.written[archetype as usize];
        // Threads would fight over the line if each stored.
        if !written.load(Ordering::Relaxed) {
            written.store(true, Ordering::Relaxed);
        }
    }
}
