//! `WorldToLocalSystem`: the inverses of world matrices, on entities that have the component.

use std::collections::BTreeMap;

use legion::Entity;
use nalgebra::Matrix4;

use crate::{
    components::WorldToLocal,
    local::update::{Marks, update},
    math::compose,
    storage::ChangeTracker,
    storage::columns::Columns,
    storage::mask::Mask,
};

/// What is remembered of the entities with `WorldToLocal`.
#[derive(Default)]
pub(crate) struct Inverses {
    marks: Marks,
    /// By archetype, the entities whose world has no finite inverse.
    pub singular: BTreeMap<u32, Vec<Entity>>,
}

impl Inverses {
    /// Keeps in mind which archetypes have to be looked at, before their versions are settled.
    pub fn note(&self, tracker: &mut ChangeTracker) {
        let indices: Vec<u32> = tracker.having(Mask::WORLD_TO_LOCAL).collect();
        for index in indices {
            tracker.sheet_mut(index).keep_world_changes();
        }
    }

    /// Brings `WorldToLocal` up to date wherever a world changed, or it was overwritten.
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
        if update(local.world_to_local, &mut self.marks, |row, _| {
            inverse(row).map_or_else(WorldToLocal::identity, Into::into)
        }) {
            tracker.bump::<WorldToLocal>(columns, index);
        }
        let local = columns.local(index);
        // Only an identity can stand for a missing inverse, so few rows are inverted twice.
        let is_singular = |row: &usize| {
            *local.world_to_local[*row] == Matrix4::identity()
                && compose::inverse(&local.local_to_world[*row].0).is_none()
        };
        let singular: Vec<usize> = (0..local.world_to_local.len()).filter(is_singular).collect();
        let entities = columns.entities(index);
        self.singular.insert(index, singular.into_iter().map(|row| entities[row]).collect());
    }
}
