//! Where entities come from that were spawned below a parent that moves.
//!
//! ```text
//!  a ship flies from 0 to 6, and fires a shot from its bow, 1 ahead:    A    B
//!                                                              ship     0    6
//!                                                              shot     1    7
//! ```
//!
//! At 7 from the beginning, the shot would be drawn up to 6 ahead of the bow.

use std::collections::HashMap;

use legion::{Entity, world::EntityHasher};
use nalgebra::Matrix4;

use super::{
    ArchetypeRow, Smooth,
    motion::{Motion, Way},
    seen,
};
use crate::{
    components::LocalToWorld,
    engine::{Store, captured},
};

/// The entities that came in a tick, and can have parents, each with its archetype and its row.
pub(super) type Arrivals = HashMap<Entity, ArchetypeRow, EntityHasher>;

impl Smooth {
    /// Lets the entities that came below a parent that moves come from where the parent's last pose
    /// has them. Call it when all that moved is known.
    pub(super) fn arrive(&mut self, world: &dyn Store<'_>, mut arrivals: Arrivals) {
        if self.moving.is_empty() {
            return;
        }
        let mut order: Vec<_> = arrivals.iter().map(|(&entity, &at)| (at, entity)).collect();
        order.sort_unstable_by_key(|&(at, entity)| (at, captured(&entity)));
        let mut begins: HashMap<Entity, LocalToWorld, EntityHasher> = HashMap::default();
        let mut touched = Vec::new();
        for (_, entity) in order {
            // The parents that came in this tick, too, first.
            let mut way = Vec::new();
            let mut next = Some(entity);
            while let Some((entity, at)) = next.and_then(|it| arrivals.remove_entry(&it)) {
                next = seen::parent(world, entity);
                way.extend(next.map(|parent| (entity, at, parent)));
            }
            for (entity, (archetype, row), parent) in way.into_iter().rev() {
                let begin = begins.get(&parent).copied();
                let Some(from) = begin.or_else(|| self.seen_at(world, parent, 0.0)) else {
                    continue;
                };
                let Some(to) = self.seen_at(world, parent, 1.0) else { continue };
                let now = self.columns[archetype as usize].matrices[row as usize];
                let Some(from) = carried(&from, &to, &now) else { continue };
                let Some(way) = Way::of(&from, &now, &mut self.turns, None) else { continue };
                begins.insert(entity, from);
                let column = &mut self.columns[archetype as usize];
                column.motions.push(Motion { row, way });
                column.settled.remove(row);
                touched.push(archetype);
                self.set_drawn((archetype, row), &from);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        self.sort_motions(&touched);
    }
}

/// Where a child was, if it has gone along with its parent: `from to^-1 now`. `None` if the parent
/// did not move, or is flat.
fn carried(from: &LocalToWorld, to: &LocalToWorld, now: &LocalToWorld) -> Option<LocalToWorld> {
    if from == to {
        return None;
    }
    let [from, to, now]: [Matrix4<f64>; 3] = [from, to, now].map(|matrix| matrix.0.cast());
    let matrix: Matrix4<f32> = (from * to.try_inverse()? * now).cast();
    matrix.iter().all(|element| element.is_finite()).then_some(LocalToWorld(matrix))
}
