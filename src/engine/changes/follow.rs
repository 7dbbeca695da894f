//! How the list is made during a run.
//!
//! ```text
//!  begin        the first step of the bundle: nothing has changed
//!  leave, come  at each look: who went, who came, who got another row
//!  note         in the last step, before matrices are computed: where users wrote some
//!  add          local, propagate: rows whose LocalToWorld came out with other bits
//!  finish       the end of the run: compares matrices that users wrote, and sorts
//! ```

use std::{
    any::TypeId,
    sync::atomic::{AtomicU64, Ordering},
};

use legion::Entity;

use super::{WorldChanges, rows::SeenRows};
use crate::{
    components::LocalToWorld,
    engine::{
        rules,
        storage::{ChangeTracker, Columns, Mask, Row, captured},
    },
};

impl WorldChanges {
    /// Begins a run: nothing has changed.
    pub(crate) fn begin(&mut self) {
        for index in self.listed.drain(..) {
            self.archetypes[index as usize].clear();
        }
        self.removed.clear();
        self.effective.values_mut().for_each(Vec::clear);
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let before = if self.is_begun { self.stamps.1 } else { 0 };
        self.stamps = (before, NEXT.fetch_add(1, Ordering::Relaxed));
    }

    /// Whether no run has made a list of this world: all of it has to be noted, touched or not.
    pub(crate) fn is_new(&self) -> bool {
        !self.is_begun
    }

    /// An entity comes to an archetype with `LocalToWorld`, or is back in its row there.
    pub(crate) fn come(&mut self, entity: Entity, index: u32, is_back: bool) {
        if self.is_begun {
            self.list(index).come(entity, is_back);
        }
    }

    /// The entity of a row goes, and the last one takes its place. If it is in another archetype
    /// with `LocalToWorld` in the end, [`finish`](Self::finish) takes it out of the removed ones.
    pub(crate) fn leave(&mut self, from: Row) {
        let seen = self.archetypes.get(from.archetype as usize);
        let entity = seen.and_then(|seen| seen.entities.get(from.row as usize)).copied();
        if let Some(entity) = entity
            && self.list(from.archetype).leave(from.row)
        {
            self.removed.push(entity);
        }
    }

    /// Takes note of where users may have written matrices, in all steps of a run. The first call
    /// begins the list: with all entities. Call before frames and matrices are computed in the last
    /// step.
    pub(crate) fn note(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker) {
        let is_new = !std::mem::replace(&mut self.is_begun, true);
        for index in tracker.having(Mask::LOCAL_TO_WORLD) {
            let sheet = &tracker[index];
            if !is_new && !sheet.was_touched() {
                continue;
            }
            let seen = self.list(index);
            if is_new {
                columns.entities(index).iter().for_each(|&it| seen.come(it, false));
            }
            let is_propagated = sheet.mask.has(Mask::LOCAL_TO_PARENT);
            let is_composed = sheet.mask.has_any(rules::ROOT_LOCAL_TO_WORLD.inputs);
            let is_computed = is_propagated || is_composed;
            seen.wants_copy |= !sheet.writes(Mask::LOCAL_TO_WORLD) || !is_computed;
            let was_written = sheet.was_written(Mask::LOCAL_TO_WORLD);
            seen.is_overwritten |= was_written && seen.before > 0;
        }
    }

    /// Lists an archetype, once. Returns its rows.
    fn list(&mut self, index: u32) -> &mut SeenRows {
        if self.archetypes.len() <= index as usize {
            self.archetypes.resize_with(index as usize + 1, Default::default);
        }
        let seen = &mut self.archetypes[index as usize];
        if !std::mem::replace(&mut seen.is_listed, true) {
            self.listed.push(index);
        }
        seen
    }

    /// The matrices of these rows of an archetype have changed: 64 rows a word, with its number.
    pub(crate) fn add(&mut self, index: u32, words: impl Iterator<Item = (usize, u64)>) {
        let seen = self.list(index);
        words.for_each(|(word, bits)| seen.add(word, bits));
    }

    /// The values of a property have changed on these entities.
    pub(crate) fn add_effective(&mut self, id: TypeId, entities: impl Iterator<Item = Entity>) {
        self.effective.entry(id).or_default().extend(entities);
    }

    /// Ends a run: compares matrices that users may have written, drops archetypes without changes
    /// and removed entities that are still there with a `LocalToWorld`, and sorts.
    pub(crate) fn finish(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker) {
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
        // Legion's own table of places may lack an entity that stands in a row.
        let has_world = |row: Row| tracker[row.archetype].mask.has(Mask::LOCAL_TO_WORLD);
        self.removed.retain(|&entity| !tracker.locate(entity).is_some_and(has_world));
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
