//! `WorldToLocalSystem`: the inverses of world matrices, on entities with `WorldToLocal`.
//!
//! Where a world matrix of an archetype changed, all of its rows are inverted again, and written
//! where the result differs. A world without an inverse, for example of scale `(1, 0, 1)`, gets the
//! identity, and the entity is a finding.

use legion::Entity;
use nalgebra::Matrix4;

use crate::{
    bits::Bits,
    components::WorldToLocal,
    local::update,
    math::compose,
    storage::{ChangeTracker, Columns},
};

/// The state of `WorldToLocalSystem`.
#[derive(Default)]
pub(crate) struct Inverses {
    /// The rows that were written, for one archetype after another.
    marks: Bits,
    /// By archetype, the entities whose world has no finite inverse.
    pub singular: Vec<Vec<Entity>>,
}

impl Inverses {
    /// Brings `WorldToLocal` up to date in archetypes where a world matrix changed, or where users
    /// wrote a `WorldToLocal`.
    pub fn run(&mut self, columns: &mut Columns<'_>, tracker: &mut ChangeTracker) {
        for index in tracker.take_world_changes() {
            self.archetype(index, columns, tracker);
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
        // A missing inverse is stored as the identity: only rows with that are inverted once more.
        let is_singular = |row: &usize| {
            *local.world_to_local[*row] == Matrix4::identity()
                && compose::inverse(&local.local_to_world[*row].0).is_none()
        };
        let singular: Vec<usize> = (0..local.world_to_local.len()).filter(is_singular).collect();
        let entities = columns.entities(index);
        let index = index as usize;
        self.singular.resize_with(self.singular.len().max(index + 1), Vec::new);
        self.singular[index] = singular.into_iter().map(|row| entities[row]).collect();
    }
}
