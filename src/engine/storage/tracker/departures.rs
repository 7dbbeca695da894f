//! Departures: who left which row. Values that a room keeps by row follow their entities.
//!
//! ```text
//!  rows at the acknowledgment   a  b  c  d     values   1  2  3  4
//!  rows now                     a  d  c        b is gone, d took its row
//!  departures                   b from 1, d from 3
//!  taken                        2 of b, 4 of d: all of them first, as a new row may be an old one
//!  put                          4 at row 1; the 2 has no row
//! ```

use legion::Entity;

use super::ChangeTracker;
use crate::engine::storage::columns::Row;

/// An entity that has left a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub entity: Entity,
    pub from: Row,
}

impl ChangeTracker {
    /// The values of entities that left their rows since the last acknowledgment, and the rows where
    /// these entities are now: perhaps the same ones. `take` is called for each entity once, with the
    /// row that it had then, and takes its value out of there. Call
    /// between the hierarchy's last pass and [`acknowledge`](Self::acknowledge).
    pub fn carry<T>(
        &self,
        mut take: impl FnMut(Entity, Row) -> Option<T>,
    ) -> Vec<(Entity, Option<Row>, T)> {
        let departures = self.departures.iter();
        let taken = departures.filter_map(|it| Some((it.entity, take(it.entity, it.from)?)));
        taken.map(|(entity, taken)| (entity, self.locate(entity), taken)).collect()
    }
}

#[cfg(test)]
impl ChangeTracker {
    /// Who left a row since the hierarchy's last pass.
    pub(in crate::engine::storage) fn recent_departures(&self) -> &[Departure] {
        &self.recent
    }
}
