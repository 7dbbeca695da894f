//! The consequences of composed local matrices: versions, counts, the list of changes, and marks in
//! the forest.
//!
//! ```text
//!                                          LocalToParent in       only LocalToWorld in
//!  in an archetype                         the archetype          the archetype (roots)
//!  rows whose matrix came out different    dirty                  moved
//!  rows that came or are scrubbed          dirty and moved        moved
//!  a user wrote LocalToWorld               all: dirty and moved   all: moved
//!  a user wrote LocalToParent or Inherits  all: dirty             -
//! ```
//!
//! *Dirty*: propagation computes this node's world, and its children follow if it differs. *Moved*:
//! the world has changed already, and the children follow. Example: sun is a root, mars its child.
//! If sun is turned, its `LocalToWorld` is its local matrix: written here, and moved. If mars is
//! turned, its `LocalToParent` is written here, and mars is dirty.

use super::{context::Context, work::Work};
use crate::{
    components::LocalToParent,
    engine::{bits, forest::Forest, storage::Mask},
};

/// Counts of a run so far, for the statistics: 10,000 composed and 3 changed, for example.
#[derive(Default)]
pub(super) struct Results {
    /// Local matrices that were composed.
    composed: usize,
    /// Those of them that came out different.
    changed: usize,
    /// Archetypes of which all nodes are dirty, and all are moved: marked together at the end.
    whole: [Vec<u32>; 2],
}

impl Results {
    /// Moves the version of an archetype's local matrices if any changed. Counts these rows, marks
    /// them in the forest, and lists the roots among them.
    ///
    /// The list has world matrices. So rows with `LocalToParent` are listed after propagation, if
    /// their world changes.
    pub fn publish(&mut self, work: &mut Work, context: &mut Context<'_, '_>) {
        let Context { columns, tracker, changes, .. } = context;
        let changed = bits::count(&work.marks);
        if changed > 0 && work.mask.has(Mask::LOCAL_TO_PARENT) {
            tracker.bump::<LocalToParent>(columns, work.index);
        } else if changed > 0 {
            let words = || (work.first / 64..).zip(work.marks.iter().copied());
            tracker.bump_worlds(columns, work.index, words);
            changes.iter_mut().for_each(|changes| changes.add(work.index, words()));
        }
        self.composed += work.composed;
        self.changed += changed;
        self.mark(work.index, Some(work), context);
    }

    /// Ends a run. Returns how many matrices were composed, and how many of them changed.
    pub fn finish(&mut self, forest: &mut Forest) -> (usize, usize) {
        let [dirty, moved] = &mut self.whole;
        forest.set_dirty_archetypes(dirty);
        forest.set_moved_archetypes(moved);
        dirty.clear();
        moved.clear();
        (std::mem::take(&mut self.composed), std::mem::take(&mut self.changed))
    }

    /// Marks nodes of an archetype, by the table [above](self). `work`: the matrices composed there.
    ///
    /// Where a user wrote a world matrix, all entities of the archetype count as moved. The matrix can
    /// even be right: then nothing differs here, but the descendants still have to follow. The same
    /// holds for an entity that came from another archetype, and for one that is scrubbed: it may have
    /// been written.
    ///
    /// If at least seven of eight rows changed, all are marked: of 1,000 rows, 875. The others are
    /// computed in vain, to the same bits.
    pub fn mark(&mut self, index: u32, mut work: Option<&mut Work>, context: &mut Context<'_, '_>) {
        let (archetype, forest) = (&context.tracker[index], &mut *context.forest);
        let rows = forest.slots(index).len();
        if rows == 0 || !archetype.mask.has(Mask::LOCAL_TO_WORLD) {
            return;
        }
        let has_parent = archetype.mask.has(Mask::LOCAL_TO_PARENT);
        // Where a user's component stops the rule, no world is computed, but children follow it.
        let can_be_dirty = has_parent && archetype.writes(Mask::LOCAL_TO_WORLD);
        let all_moved = archetype.is_written(Mask::LOCAL_TO_WORLD);
        // With a copy of the inputs, it is known which local matrices are others than before.
        let is_known = !archetype.is_written(Mask::LOCAL_TO_PARENT)
            || work.as_mut().is_some_and(|it| it.add_differing());
        let is_known = is_known && !archetype.is_written(Mask::INHERITS);
        let all_written = all_moved || (has_parent && !is_known);
        let changed = work.as_ref().map_or(0, |work| bits::count(&work.marks));
        if all_written || (has_parent && changed * 8 >= rows * 7) {
            if can_be_dirty {
                self.whole[0].push(index);
            }
            if all_moved || archetype.has_arrivals() || archetype.has_due() {
                self.whole[1].push(index);
            }
            return;
        }
        if let Some(work) = work {
            match has_parent {
                true => forest.set_dirty_words(index, work.first, &work.marks),
                false => forest.set_moved_words(index, work.first, &work.marks),
            }
        }
        let others = || archetype.arrivals(rows).chain(archetype.due(rows)).map(|row| row as usize);
        if can_be_dirty {
            forest.set_dirty_rows(index, others());
        }
        forest.set_moved_rows(index, others());
    }
}
