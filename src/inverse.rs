//! `WorldToLocalSystem`: the inverses of world matrices, on entities that have the component.

use std::collections::BTreeMap;

use legion::Entity;
use nalgebra::Matrix4;

use crate::{
    bits::Bits,
    components::WorldToLocal,
    local::update,
    math::compose,
    storage::{ChangeTracker, Columns, Mask},
};

/// The state of `WorldToLocalSystem`.
#[derive(Default)]
pub(crate) struct Inverses {
    marks: Bits,
    /// By archetype, the entities whose world has no finite inverse.
    pub singular: BTreeMap<u32, Vec<Entity>>,
}

impl Inverses {
    /// Notes the archetypes in which matrices changed. Call before the changes are acknowledged, as
    /// nothing shows them afterwards.
    pub fn note(&self, tracker: &mut ChangeTracker) {
        let indices: Vec<u32> = tracker.having(Mask::WORLD_TO_LOCAL).collect();
        for index in indices {
            tracker.sheet_mut(index).keep_world_changes();
        }
    }

    /// Brings `WorldToLocal` up to date where a world matrix changed, or where it was overwritten.
    pub fn run(&mut self, columns: &mut Columns<'_>, tracker: &mut ChangeTracker) {
        self.note(tracker);
        let indices: Vec<u32> = tracker.having(Mask::WORLD_TO_LOCAL).collect();
        for index in indices {
            let archetype = tracker.sheet_mut(index);
            if archetype.mask.has(Mask::LOCAL_TO_WORLD)
                && archetype.writes(Mask::WORLD_TO_LOCAL)
                && archetype.take_world_changed()
            {
                self.archetype(index, columns, tracker);
            }
        }
    }

    fn archetype(&mut self, index: u32, columns: &mut Columns<'_>, tracker: &mut ChangeTracker) {
        let local = columns.local(index);
        let worlds = &*local.local_to_world;
        let inverse = |row: usize| compose::inverse(&worlds[row].0);
        let marks = self.marks.reset(worlds.len());
        if update(local.world_to_local, marks, |row, _| {
            inverse(row).map_or_else(WorldToLocal::identity, Into::into)
        }) {
            tracker.bump::<WorldToLocal>(columns, index);
        }
        let local = columns.local(index);
        // A missing inverse is stored as the identity, so only such rows are inverted again.
        let is_singular = |row: &usize| {
            *local.world_to_local[*row] == Matrix4::identity()
                && compose::inverse(&local.local_to_world[*row].0).is_none()
        };
        let singular: Vec<usize> = (0..local.world_to_local.len()).filter(is_singular).collect();
        let entities = columns.entities(index);
        self.singular.insert(index, singular.into_iter().map(|row| entities[row]).collect());
    }
}
