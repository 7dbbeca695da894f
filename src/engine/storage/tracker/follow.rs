//! What is kept by row outside of the tracker follows the entities.
//!
//! A replay calls [`leave`](Follow::leave) and [`come`](Follow::come), event by event. Here `b`,
//! which has slot 8 of the forest, goes from archetype 7 to row 40 of archetype 9:
//!
//! ```text
//!  event     archetype 7      its slots     parked        archetype 9
//!            a b c d          5 8 9 40
//!  out of 7  a d c            5 40 9        b, slot 8
//!  into 9    a d c            5 40 9        -             b in row 40, slot 8
//! ```
//!
//! An entity that is still parked at the hierarchy's pass is dead.

use legion::Entity;

use super::ChangeTracker;
use crate::engine::storage::columns::Row;

/// What is kept by row, brought in line with Legion's rows at each look.
pub(crate) trait Follow {
    /// The entity of a row goes, and the one of row `last` takes its place, if that is another row.
    /// Returns what the entity takes along: its slot in the forest.
    fn leave(&mut self, from: Row, last: u32) -> u32;

    /// An entity comes to a row behind all others, with what it took along.
    fn come(&mut self, to: Row, kept: u32);

    /// An archetype has this many rows now.
    fn set_row_count(&mut self, archetype: u32, rows: usize);
}

/// An entity that has left its row since the hierarchy's last pass.
pub(super) struct Parked {
    pub entity: Entity,
    pub from: Row,
    /// What it took along; `None` once it has come to another row.
    pub kept: Option<u32>,
}

impl ChangeTracker {
    /// What an entity took along when it left its row, if it has not come to another since.
    pub fn kept(&self, entity: Entity) -> Option<u32> {
        self.parked[self.roster.parked(entity)? as usize].kept
    }

    /// The entities that left their rows since the last call and did not come to others, with what
    /// they took along. Call at the start of a pass: they do not come back.
    pub fn take_dead(&mut self) -> Vec<(Entity, u32)> {
        for departure in self.recent.drain(..) {
            // If an earlier pass saw another entity come to this row, then this entity was not here
            // when news was last acknowledged.
            let sheet = &self.sheets[departure.from.archetype as usize];
            if !sheet.membership.replaced.contains(departure.from.row) {
                self.departures.push(departure);
            }
        }
        let roster = &mut self.roster;
        let dead = self.parked.drain(..).filter_map(|parked| {
            let kept = parked.kept?;
            roster.forget(parked.entity);
            Some((parked.entity, kept))
        });
        dead.collect()
    }
}
