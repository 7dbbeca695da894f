//! Users' components that children inherit: which values have to be computed in a run.
//!
//! ```text
//!  an entity                                        known from
//!  came, with or without the component              the tracker: arrivals
//!  got another parent, or none                      the hierarchy: links that changed
//!  has another value of the component, perhaps      the tracker: the column was written; all rows
//!  has a value that a user wrote, perhaps           of the archetype
//! ```
//!
//! Where one of these differs, those below it follow: [`inherit`].

use std::any::TypeId;

use legion::Entity;

use super::values::inherit;
use crate::{
    components::{Effective, Inherited},
    engine::{
        bulk::Extra,
        forest::Forest,
        storage::{ChangeTracker, Columns, Mask, Row},
    },
};

/// A property of a bundle.
#[derive(Clone, Copy)]
pub(crate) struct Property {
    pub id: TypeId,
    /// The component of the values.
    pub effective: Extra,
    /// Has the tracker of a world look where its two components are written. Call for all
    /// properties, in order, before any other component is watched.
    pub watch: fn(&mut ChangeTracker),
    /// Brings the values up to date, with the hierarchy up to date: of the property with this
    /// number. The links of these entities have changed. Returns the rows with other values
    /// than before, arrivals, and rows whose values may have been written; some perhaps twice.
    pub run: fn(usize, &mut Columns<'_>, &mut ChangeTracker, &mut Forest, &[Entity]) -> Vec<Row>,
}

impl Property {
    pub fn of<P: Inherited>() -> Self {
        Self {
            id: TypeId::of::<P>(),
            effective: Extra::of::<Effective<P>>(),
            watch: |tracker| {
                tracker.watch::<P>();
                tracker.watch::<Effective<P>>();
            },
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
    columns: &mut Columns<'_>,
    tracker: &mut ChangeTracker,
    forest: &mut Forest,
    relinked: &[Entity],
) -> Vec<Row> {
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
    let mut changed = inherit::<P>(columns, members, forest, rows.split_at(first_doubtful));
    let mut archetypes: Vec<u32> = changed.iter().map(|row| row.archetype).collect();
    archetypes.sort_unstable();
    archetypes.dedup();
    archetypes.iter().for_each(|&it| tracker.bump_watched(effective, columns, it));
    changed.extend_from_slice(&rows[first_doubtful..]);
    changed
}
