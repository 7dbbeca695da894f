//! How the list is made during a run.
//!
//! ```text
//!  begin        the first step of the bundle: nothing has changed
//!  note         after the hierarchy, before matrices are composed: who came, who went, who got
//!               another row
//!  add          local, propagate: rows whose LocalToWorld came out with other bits
//!  finish       the end of the run: compares matrices that users wrote, and sorts
//! ```
//!
//! With users' systems before propagation, `note` and `add` are called twice in a run.

use std::any::TypeId;

use legion::Entity;

use super::{WorldChanges, rows::Note};
use crate::{
    components::LocalToWorld,
    engine::{
        rules,
        storage::{ArchetypeSheet, ChangeTracker, Columns, Mask, Row, captured},
    },
};

/// What an entity leaves in its row: the archetype, its note there, and the matrix after the last
/// run, if a copy has it.
type Left = (u32, Note, Option<LocalToWorld>);

impl WorldChanges {
    /// Begins a run: nothing has changed.
    pub(crate) fn begin(&mut self) {
        for index in self.listed.drain(..) {
            self.archetypes[index as usize].clear();
        }
        self.removed.clear();
        self.effective.values_mut().for_each(Vec::clear);
        self.is_anew = false;
    }

    /// Whether no run has made a list of this world: all of it has to be noted, touched or not.
    pub(crate) fn is_new(&self) -> bool {
        !self.is_begun
    }

    /// Takes note of who came, who went, and where users may have written matrices. Call before
    /// matrices are composed, once before each [`acknowledge`](ChangeTracker::acknowledge).
    pub(crate) fn note(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker) {
        let is_new = !std::mem::replace(&mut self.is_begun, true);
        self.is_anew |= is_new;
        self.archetypes.resize_with(columns.archetypes().len(), Default::default);
        let concerned = |&index: &u32| is_new || tracker[index].is_touched();
        let concerned: Vec<u32> = tracker.having(Mask::LOCAL_TO_WORLD).filter(concerned).collect();
        let left = match is_new {
            true => Vec::new(),
            false => tracker.carry(|entity, from| self.left(entity, from)),
        };
        for &index in &concerned {
            self.list(index);
            let (now, sheet) = (columns.entities(index), &tracker[index]);
            let rows = self.archetypes[index as usize].entities.len();
            match is_new {
                true => self.archetypes[index as usize].enter(now, 0..now.len() as u32),
                false => self.archetypes[index as usize].enter(now, sheet.replaced(now.len())),
            }
            self.note_writes(index, rows, sheet);
        }
        for (entity, row, left) in left {
            self.take_along(entity, row, left, tracker);
        }
    }

    /// What an entity leaves in its row: before the row gets another.
    fn left(&self, entity: Entity, from: Row) -> Option<Left> {
        let seen = self.archetypes.get(from.archetype as usize)?;
        let row = from.row as usize;
        let is_its = seen.entities.get(row) == Some(&entity);
        is_its.then(|| (from.archetype, seen.note(row), seen.before(row)))
    }

    /// Takes note and matrix of an entity along to the row where it is now. An entity that has left
    /// the archetype is removed, unless it has come in this run; if it is in another archetype with
    /// `LocalToWorld` then, [`finish`](Self::finish) takes it out of the removed ones.
    fn take_along(
        &mut self,
        entity: Entity,
        row: Option<Row>,
        (archetype, note, before): Left,
        tracker: &ChangeTracker,
    ) {
        let now = row.filter(|row| row.archetype == archetype);
        match now.filter(|row| !tracker[row.archetype].has_arrived(row.row)) {
            Some(Row { row, .. }) => {
                let seen = &mut self.archetypes[archetype as usize];
                seen.set_note(row, note);
                seen.set_before(row, before);
            }
            None if !note.new => self.removed.push(entity),
            None => {}
        }
    }

    /// Prepares an archetype for writes of matrices: with a copy if users write them. `rows` is how
    /// many rows it had before.
    fn note_writes(&mut self, index: u32, rows: usize, sheet: &ArchetypeSheet) {
        let seen = &mut self.archetypes[index as usize];
        let mask = sheet.mask;
        let is_propagated = mask.has(Mask::LOCAL_TO_PARENT);
        let is_computed = is_propagated || mask.has_any(rules::ROOT_LOCAL_TO_WORLD.inputs);
        if !sheet.writes(Mask::LOCAL_TO_WORLD) || !is_computed {
            seen.want_copy();
        }
        if sheet.written().has(Mask::LOCAL_TO_WORLD) && !sheet.is_new() && rows > 0 {
            seen.overwritten();
        }
    }

    /// Lists an archetype, once.
    fn list(&mut self, index: u32) {
        if !std::mem::replace(&mut self.archetypes[index as usize].is_listed, true) {
            self.listed.push(index);
        }
    }

    /// The matrices of these rows of an archetype have changed: 64 rows a word, with its number.
    pub(crate) fn add(&mut self, index: u32, words: impl Iterator<Item = (usize, u64)>) {
        self.list(index);
        words.for_each(|(word, bits)| self.archetypes[index as usize].add(word, bits));
    }

    /// The values of a property have changed on these entities.
    pub(crate) fn add_effective(&mut self, id: TypeId, entities: impl Iterator<Item = Entity>) {
        self.effective.entry(id).or_default().extend(entities);
    }

    /// Ends a run: compares matrices that users may have written, drops archetypes without changes
    /// and removed entities that are still there with a `LocalToWorld`, and sorts.
    pub(crate) fn finish(&mut self, columns: &Columns<'_>) {
        for &index in &self.listed {
            self.archetypes[index as usize].finish(columns.read::<LocalToWorld>(index));
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
        for entities in self.effective.values_mut() {
            // Users' systems between two steps may have despawned some.
            entities.retain(|&entity| columns.locate(entity).is_some());
            entities.sort_unstable_by_key(captured);
            entities.dedup();
        }
    }
}
