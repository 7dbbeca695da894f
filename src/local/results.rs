//! The consequences of composed local matrices: versions, counts, the list of changes, and marks in
//! the forest.
//!
//! ```text
//!                                          LocalToParent in       only LocalToWorld in
//!  in an archetype                         the archetype          the archetype (roots)
//!  rows whose matrix came out different    dirty                  moved
//!  rows of entities that came              dirty and moved        moved
//!  a user wrote LocalToWorld               all: dirty and moved   all: moved
//!  a user wrote LocalToParent              all: dirty             -
//! ```
//!
//! *Dirty*: propagation computes this node's world, and its children follow if it differs. *Moved*:
//! the world has changed already, and the children follow. Example: sun is a root, mars its child.
//! If sun is turned, its `LocalToWorld` is its local matrix: written here, and moved. If mars is
//! turned, its `LocalToParent` is written here, and mars is dirty.

use super::context::Context;
use crate::{
    bits,
    components::{LocalToParent, LocalToWorld},
    storage::Mask,
};

/// Counts of a run so far, for the statistics: 10,000 composed and 3 changed, for example.
#[derive(Default)]
pub(super) struct Results {
    /// Local matrices that were composed.
    composed: usize,
    /// Those of them that came out different.
    changed: usize,
}

impl Results {
    /// Moves the version of an archetype's local matrices if any changed. Counts these rows, marks
    /// them in the forest, and lists the roots among them. `marks` has a bit for each row that
    /// changed; `composed` is the number of rows that were composed.
    ///
    /// The list has world matrices. So rows with `LocalToParent` are listed after propagation, if
    /// their world changes.
    pub fn publish(
        &mut self,
        index: u32,
        marks: &[u64],
        composed: usize,
        context: &mut Context<'_, '_>,
    ) {
        let Context { columns, tracker, changes, .. } = context;
        let changed = bits::count(marks);
        if changed > 0 && tracker[index].mask.has(Mask::LOCAL_TO_PARENT) {
            tracker.bump::<LocalToParent>(columns, index);
        } else if changed > 0 {
            tracker.bump::<LocalToWorld>(columns, index);
            changes.iter_mut().for_each(|changes| changes.add(index, marks));
        }
        self.composed += composed;
        self.changed += changed;
        self.mark_forest(index, marks, context);
    }

    /// Marks nodes of an archetype, by the table [above](self).
    ///
    /// Where a user wrote a world matrix, all entities of the archetype count as moved. The matrix
    /// can even be right: then nothing differs here, but the descendants still have to follow. The
    /// same holds for an entity that came from another archetype: it may have been written there.
    ///
    /// If at least seven of eight rows changed, all are marked: of 1,000 rows, 875. The others
    /// are computed in vain, to the same bits.
    pub fn mark_forest(&mut self, index: u32, marks: &[u64], context: &mut Context<'_, '_>) {
        let (archetype, forest) = (&context.tracker[index], &mut *context.forest);
        let rows = forest.slots(index).len();
        if rows == 0 || !archetype.mask.has(Mask::LOCAL_TO_WORLD) {
            return;
        }
        let has_parent = archetype.mask.has(Mask::LOCAL_TO_PARENT);
        // Where a user's component stops the rule, no world is computed, but children follow it.
        let can_be_dirty = has_parent && archetype.writes(Mask::LOCAL_TO_WORLD);
        let all_moved = archetype.is_written(Mask::LOCAL_TO_WORLD);
        let all_written = all_moved || (has_parent && archetype.is_written(Mask::LOCAL_TO_PARENT));
        if all_written || (has_parent && bits::count(marks) * 8 >= rows * 7) {
            if can_be_dirty {
                forest.set_dirty_archetype(index);
            }
            if all_moved || archetype.has_arrivals() {
                forest.set_moved_archetype(index);
            }
            return;
        }
        if has_parent {
            forest.set_dirty_rows(index, bits::marked(marks));
        } else {
            forest.set_moved_rows(index, bits::marked(marks));
        }
        let arrivals = || archetype.arrivals(rows).map(|row| row as usize);
        if can_be_dirty {
            forest.set_dirty_rows(index, arrivals());
        }
        forest.set_moved_rows(index, arrivals());
    }

    /// Ends a run. Returns how many matrices were composed, and how many of them changed.
    pub fn finish(&mut self) -> (usize, usize) {
        (std::mem::take(&mut self.composed), std::mem::take(&mut self.changed))
    }
}
