//! What follows from local matrices that were composed: versions, counts, the list of changes, and
//! marks in the forest.

use super::context::Context;
use crate::{
    bits,
    components::{LocalToParent, LocalToWorld},
    storage::Mask,
};

/// What a run's results have led to so far.
#[derive(Default)]
pub(super) struct Results {
    composed: usize,
    changed: usize,
}

impl Results {
    /// Moves the version of an archetype's local matrices if any changed, and counts, lists and
    /// marks in the forest the rows that did: the marked ones of the `composed` rows.
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

    /// Marks the entities whose world matrix has to be computed (dirty), or has changed already
    /// (moved), so that their descendants follow.
    ///
    /// Where a user wrote a world matrix, all entities of the archetype count as moved. The matrix
    /// can even be right: then nothing differs here, but the descendants still have to follow. The
    /// same holds for an entity that came from another archetype, as it may have been written
    /// there.
    pub fn mark_forest(&mut self, index: u32, marks: &[u64], context: &mut Context<'_, '_>) {
        let (archetype, forest) = (&context.tracker[index], &mut *context.forest);
        let rows = forest.slots(index).len();
        if rows == 0 || !archetype.mask.has(Mask::LOCAL_TO_WORLD) {
            return;
        }
        let has_parent = archetype.mask.has(Mask::LOCAL_TO_PARENT);
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
