//! Users' components that children inherit: which values have to be computed in a run.
//!
//! ```text
//!  what has happened                      known from       computed
//!  an entity came                         the tracker      its value
//!  an entity got another parent, or none  the hierarchy    its value
//!  a user wrote the component             the tracker      all values of the archetype
//!  a user wrote the values themselves     the tracker      all values of the archetype
//! ```
//!
//! Where a value comes out as another one, the values below it are computed as well: [`inherit`].

use std::any::TypeId;

use legion::Entity;

use super::values::inherit;
use crate::{
    components::{Effective, Inherited},
    engine::{
        bulk::EffectiveColumn,
        local::Context,
        storage::{ChangeTracker, Mask, Row},
    },
};

/// A property of a bundle.
#[derive(Clone, Copy)]
pub(crate) struct Property {
    pub id: TypeId,
    /// The component of the values.
    pub effective: EffectiveColumn,
    /// Has the tracker of a world look where its two components are written. Call for all
    /// properties, in order, before any other component is watched.
    pub watch: fn(ChangeTracker) -> ChangeTracker,
    /// Brings the values up to date. Call when the hierarchy is up to date, with the number of the
    /// property and the entities whose links have changed. Returns the rows whose value is another
    /// one than before, those of arrivals, and those in which a user may have written the value;
    /// some perhaps twice.
    pub run: fn(usize, &mut Context<'_, '_>, &[Entity]) -> Vec<Row>,
}

impl Property {
    pub fn of<P: Inherited>() -> Self {
        Self {
            id: TypeId::of::<P>(),
            effective: EffectiveColumn::of::<Effective<P>>(),
            watch: |tracker| tracker.watching::<P>().watching::<Effective<P>>(),
            run: run::<P>,
        }
    }
}

impl PartialEq for Property {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Property {}

fn run<P: Inherited>(
    number: usize,
    context: &mut Context<'_, '_>,
    relinked: &[Entity],
) -> Vec<Row> {
    let Context { columns, tracker, forest, machine, .. } = context;
    let [own, effective] = [2 * number, 2 * number + 1];
    let mut rows: Vec<Row> = relinked.iter().filter_map(|&it| tracker.locate(it)).collect();
    let all = |archetype: u32| {
        (0..columns.entities(archetype).len() as u32).map(move |row| Row { archetype, row })
    };
    let [mut written, doubtful] = [own, effective].map(|it| tracker.take_written(it));
    written.retain(|archetype| !doubtful.contains(archetype));
    rows.extend(written.into_iter().flat_map(all));
    // From here on the stored value may be a user's: even if it is right, those below may not be.
    let first_doubtful = rows.len();
    rows.extend(doubtful.into_iter().flat_map(all));
    let has_world = |&index: &u32| tracker[index].mask.has(Mask::LOCAL_TO_WORLD);
    for archetype in tracker.touched().filter(has_world) {
        let arrivals = tracker[archetype].arrivals(columns.entities(archetype).len());
        rows.extend(arrivals.map(|row| Row { archetype, row }));
    }
    if rows.is_empty() {
        return Vec::new();
    }
    let members = tracker.having(Mask::LOCAL_TO_WORLD);
    let mut changed =
        inherit::<P>(columns, members, forest, &machine.threads, rows.split_at(first_doubtful));
    let mut archetypes: Vec<u32> = changed.iter().map(|row| row.archetype).collect();
    archetypes.sort_unstable();
    archetypes.dedup();
    archetypes.iter().for_each(|&it| tracker.bump_watched(effective, columns, it));
    changed.extend_from_slice(&rows[first_doubtful..]);
    changed
}
