//! `WorldToLocalSystem`: the inverses of world matrices, on entities with `WorldToLocal`.
//!
//! The rows whose world changed are inverted again, and written where the result differs. A world
//! without an inverse, for example of scale `(1, 0, 1)`, gets the identity, and the entity is a
//! finding.

use legion::Entity;
use nalgebra::Matrix4;

use crate::{
    components::{LocalToWorld, WorldToLocal},
    engine::{
        bits::Bits,
        local::update,
        storage::{ChangeTracker, Columns, Mask},
    },
    math::compose,
};

/// The state of `WorldToLocalSystem`.
#[derive(Default)]
pub(crate) struct Inverses {
    /// By archetype, the entities whose world has no finite inverse.
    pub singular: Vec<Vec<Entity>>,
}

impl Inverses {
    /// Brings `WorldToLocal` up to date where a world changed, or where users wrote a
    /// `WorldToLocal`.
    pub fn run(&mut self, columns: &mut Columns<'_>, tracker: &mut ChangeTracker) {
        tracker.keep_world_changes();
        self.singular.resize_with(columns.archetypes().len(), Vec::new);
        let inverted: Vec<u32> = tracker.having(Mask::WORLD_TO_LOCAL).collect();
        for index in inverted {
            let due = tracker.take_world_changes(index);
            self.singular[index as usize].retain(|&entity| {
                let row = tracker.locate(entity).filter(|row| row.archetype == index);
                row.is_some_and(|row| !due.maybe_any() || !due.get(row.row))
            });
            if due.maybe_any() {
                self.archetype(index, &due, columns, tracker);
            }
        }
    }

    /// Inverts the rows that are due.
    fn archetype(
        &mut self,
        index: u32,
        due: &Bits,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
    ) {
        let local = columns.local(index);
        let worlds = &*local.local_to_world;
        if update(local.world_to_local, 0, &mut due.words().to_vec(), |row, _| {
            let inverse = compose::inverse(&worlds[row].0);
            WorldToLocal(inverse.unwrap_or_else(Matrix4::identity))
        }) {
            tracker.bump::<WorldToLocal>(columns, index);
        }
        let entities = columns.entities(index);
        let singular = due.iter().filter(|&row| is_singular(columns, index, row));
        self.singular[index as usize].extend(singular.map(|row| entities[row]));
    }
}

/// Whether the world of a row has no inverse. A missing inverse is stored as the identity: only
/// rows with the identity are inverted once more.
fn is_singular(columns: &Columns<'_>, archetype: u32, row: usize) -> bool {
    *columns.read::<WorldToLocal>(archetype)[row] == Matrix4::identity()
        && compose::inverse(&columns.read::<LocalToWorld>(archetype)[row].0).is_none()
}
