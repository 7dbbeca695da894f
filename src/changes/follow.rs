//! How the list is made during a run.

use std::sync::atomic::AtomicU8;

use super::WorldChanges;
use crate::{
    components::LocalToWorld,
    rules,
    storage::{
        casts::inner,
        columns::{Columns, captured},
        mask::Mask,
        tracker::ChangeTracker,
    },
};

impl WorldChanges {
    /// Begins a run: nothing has changed.
    pub(crate) fn begin(&mut self) {
        for index in self.listed.drain(..) {
            self.archetypes[index as usize].clear();
        }
        self.removed.clear();
        self.is_anew = false;
    }

    /// Whether the world has not been seen yet, so that all of it has to be looked at, whatever was
    /// touched.
    pub(crate) fn is_new(&self) -> bool {
        !self.is_begun
    }

    /// Takes note of what came, went and was written. To be called before matrices are composed,
    /// once before each [`acknowledge`](ChangeTracker::acknowledge).
    pub(crate) fn note(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker) {
        let is_new = !std::mem::replace(&mut self.is_begun, true);
        self.is_anew |= is_new;
        self.archetypes.resize_with(columns.archetypes().len(), Default::default);
        let concerned = |&index: &u32| is_new || tracker[index].is_touched();
        for index in tracker.having(Mask::LOCAL_TO_WORLD).filter(concerned) {
            self.note_archetype(index, is_new, columns, tracker);
        }
    }

    fn note_archetype(
        &mut self,
        index: u32,
        is_new: bool,
        columns: &Columns<'_>,
        tracker: &ChangeTracker,
    ) {
        self.list(index);
        let (archetype, now) = (&tracker[index], columns.entities(index));
        let seen = &mut self.archetypes[index as usize];
        let had_rows = !seen.entities.is_empty();
        if is_new || archetype.has_other_members() {
            let known = archetype.known_membership().filter(|_| !is_new);
            let old = |first: usize| seen.entities[first..].iter().copied();
            let others = known.and_then(|known| {
                tracker.other_rows((columns, index), (seen.entities.len(), old), known)
            });
            match others {
                Some(rows) => {
                    seen.take_over(now, rows.into_iter().map(|row| row as usize), &mut self.removed)
                }
                None => seen.take_over(now, 0..now.len(), &mut self.removed),
            }
            // An entity can have left and come back, with another matrix.
            let arrivals = known.and_then(|_| tracker.arrivals(columns, index));
            arrivals.as_deref().into_iter().flatten().for_each(|&row| seen.set(row as usize));
            if arrivals.is_none() && had_rows {
                seen.overwritten();
            }
        }
        let mask = archetype.mask;
        if mask.has(Mask::LOCAL_TO_PARENT) && archetype.writes(Mask::LOCAL_TO_WORLD) {
            seen.flags.resize(now.len());
        } else if !archetype.writes(Mask::LOCAL_TO_WORLD)
            || !mask.has_any(rules::ROOT_LOCAL_TO_WORLD.inputs)
        {
            seen.want_copy();
        }
        if archetype.written.has(Mask::LOCAL_TO_WORLD) && !archetype.is_new {
            seen.overwritten();
        }
    }

    fn list(&mut self, index: u32) {
        if !std::mem::replace(&mut self.archetypes[index as usize].is_listed, true) {
            self.listed.push(index);
        }
    }

    /// The matrices of these rows of an archetype, a bit each, have changed.
    pub(crate) fn add(&mut self, index: u32, marks: &[u64]) {
        self.list(index);
        self.archetypes[index as usize].add(marks);
    }

    /// Where propagation flags the rows of an archetype whose matrices it changes: a flag a row.
    pub(crate) fn flags(&self, index: u32) -> &[AtomicU8] {
        self.archetypes[index as usize].flags.shared()
    }

    /// Takes over what propagation has flagged in an archetype, in these [`parts`](super::part_of).
    pub(crate) fn take_flags(&mut self, index: u32, parts: u64) {
        self.list(index);
        self.archetypes[index as usize].take_flags(parts);
    }

    /// Ends a run, with all matrices as they are now.
    pub(crate) fn finish(&mut self, columns: &Columns<'_>) {
        for &index in &self.listed {
            self.archetypes[index as usize].finish(inner(columns.read::<LocalToWorld>(index)));
        }
        let archetypes = &mut self.archetypes;
        self.listed.retain(|&index| {
            let seen = &mut archetypes[index as usize];
            seen.is_listed = seen.has_changes();
            seen.is_listed
        });
        self.listed.sort_unstable();
        let has_world = |archetype: u32| {
            Mask::of(columns.archetypes()[archetype as usize].layout()).has(Mask::LOCAL_TO_WORLD)
        };
        self.removed
            .retain(|&entity| !columns.locate(entity).is_some_and(|row| has_world(row.archetype)));
        self.removed.sort_unstable_by_key(captured);
        self.removed.dedup();
    }
}
