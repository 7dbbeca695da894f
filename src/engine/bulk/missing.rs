//! What many entities lack at once: `PreviousParent` and `Children` in scenes that are spawned
//! without; their matrices and what makes inputs count, with
//! [`insert_missing`](crate::TransformSystemBundle::insert_missing).
//!
//! 1,000 skeletons are spawned with `Parent`, `LocalToParent` and `LocalToWorld`, 60 bones each, in
//! archetype 4, below 1,000 roots without `Parent` in archetype 2:
//!
//! ```text
//!  archetype   rows      lacks             they get                        go to
//!  4           60,000    PreviousParent    PreviousParent                  archetype 5
//!                                          and Children, if a bone has     archetype 6
//!  2           1,000     -                 Children: enough rows need it   archetype 3
//! ```
//!
//! A run leaves no linked entity without `PreviousParent`. So all rows of archetype 4 have come
//! since the last run, and all of their links are new.

use std::cmp::Reverse;

use legion::World;

use super::migrate::{NewColumn, add_components, can_migrate};
use crate::{
    components::Parent,
    engine::storage::{ArchetypeSheet, ChangeTracker, Columns, Mask, Row},
};

/// An archetype migrates as a whole if this many entities lack something. If they lack matrices, it
/// migrates whatever their number.
const MANY: usize = 64;

/// Gives all entities of archetypes in which many lack something their `PreviousParent`, `Children`
/// if they are parents, and what they lack besides if `inserts_missing`. Where that is too much,
/// for example if a link closes a cycle, the pass that follows removes it. Gives `effective` to all
/// that have or get `LocalToWorld`. Returns the rows where the entities are now, in the order of
/// the rows that they had.
pub(crate) fn add_missing(
    world: &mut World,
    tracker: &ChangeTracker,
    inserts_missing: bool,
    effective: &[NewColumn],
) -> Vec<Row> {
    let columns = Columns::new(world);
    let rows = |index: u32| columns.entities(index).len();
    let can_migrate = |index: u32| can_migrate(&columns, index, effective.len());
    let lacking: Vec<Lacking> = tracker
        .lacking_or(Mask::PARENT)
        .map(|index| Lacking::new(index, &tracker[index], inserts_missing, rows(index)))
        .filter(|lacking| lacking.migrates && can_migrate(lacking.archetype))
        .collect();
    let mut migrations = Vec::new();
    if !lacking.is_empty() {
        let (added, new_parents) = missing(&columns, tracker, &lacking, inserts_missing);
        migrations = new_roots(&columns, tracker, new_parents);
        migrations.extend(lacking.iter().map(|lacking| lacking.archetype).zip(added));
    }
    let layout = |index: u32| columns.archetypes()[index as usize].layout();
    let lacks_effective = |&index: &u32| {
        // Entities that stood there at the end of the last run have them.
        tracker[index].has_other_members() && effective.iter().any(|it| it.lacks(layout(index)))
    };
    let others = tracker.having(Mask::LOCAL_TO_WORLD).filter(lacks_effective);
    let others = others.filter(|&index| rows(index) > 0 && can_migrate(index));
    migrations.extend(others.map(|index| (index, vec![Mask::NONE; rows(index)])));
    // An archetype may get entities of one with fewer components: it migrates before that one.
    let size = |index: u32| layout(index).component_types().len();
    migrations.sort_by_cached_key(|&(index, _)| (Reverse(size(index)), index));
    migrations.dedup_by_key(|(index, _)| *index);
    let migrate =
        |(index, added): (_, Vec<_>)| (index, add_components(world, index, &added, effective));
    let mut migrated: Vec<(u32, Vec<Row>)> = migrations.into_iter().map(migrate).collect();
    migrated.sort_unstable_by_key(|(index, _)| *index);
    migrated.into_iter().flat_map(|(_, rows)| rows).collect()
}

/// Returns the components that each row of the archetypes `lacking` gets, and the rows of other
/// archetypes that get children and lack `Children`.
fn missing(
    columns: &Columns<'_>,
    tracker: &ChangeTracker,
    lacking: &[Lacking],
    inserts_missing: bool,
) -> (Vec<Vec<Mask>>, Vec<Row>) {
    let rows =
        |lacking: &Lacking| vec![lacking.matrices; columns.entities(lacking.archetype).len()];
    let mut missing: Vec<Vec<Mask>> = lacking.iter().map(rows).collect();
    let mut new_parents = Vec::new();
    let number_of =
        |archetype: u32| lacking.binary_search_by_key(&archetype, |lacking| lacking.archetype);
    for archetype in with_new_links(tracker, lacking, inserts_missing) {
        let number = number_of(archetype).ok();
        let mut last = None;
        let parents = columns.read::<Parent>(archetype);
        for row in new_rows(&tracker[archetype], number.is_some(), parents.len()) {
            let Parent(parent) = &parents[row];
            // Siblings often follow each other.
            let above = match last {
                Some((entity, above)) if entity == *parent => above,
                _ => tracker.locate(*parent).filter(|above| {
                    let matrices = number_of(above.archetype)
                        .map_or(Mask::NONE, |number| lacking[number].matrices);
                    (tracker[above.archetype].mask | matrices).has(Mask::LOCAL_TO_WORLD)
                }),
            };
            let is_known =
                last.replace((*parent, above)).is_some_and(|(entity, _)| entity == *parent);
            // A parent needs a `LocalToWorld`.
            let Some(above) = above else { continue };
            if let Some(number) = number.filter(|&number| lacking[number].is_linked) {
                missing[number][row] |= Mask::PREVIOUS_PARENT;
            }
            if is_known || tracker[above.archetype].mask.has(Mask::CHILDREN) {
                continue;
            }
            let Ok(number) = number_of(above.archetype) else {
                new_parents.push(above);
                continue;
            };
            // Legion loses a row if a component panics when it is dropped, so `get_mut`.
            if let Some(missing) = missing[number].get_mut(above.row as usize) {
                *missing |= Mask::CHILDREN;
            }
        }
    }
    for (lacking, missing) in
        lacking.iter().zip(&mut missing).filter(|(lacking, _)| lacking.is_linked)
    {
        for missing in missing.iter_mut().filter(|missing| !missing.has(Mask::PREVIOUS_PARENT)) {
            // Its parent is none. The pass that follows removes its `Parent`, and adds `Children`
            // if it needs them.
            *missing = lacking.matrices;
        }
    }
    (missing, new_parents)
}

/// The rows of an archetype whose links may be new: all rows if its entities lack something,
/// otherwise the rows of entities that have just come.
fn new_rows(
    sheet: &ArchetypeSheet,
    is_lacking: bool,
    rows: usize,
) -> impl Iterator<Item = usize> + '_ {
    let (all, arrivals) = if is_lacking { (rows, 0) } else { (0, rows) };
    (0..all).chain(sheet.recent_arrivals(arrivals).map(|row| row as usize))
}

/// The archetypes with links that may be new: the parents there may lack `Children`.
fn with_new_links(tracker: &ChangeTracker, lacking: &[Lacking], inserts_missing: bool) -> Vec<u32> {
    let is_lacking =
        |index: u32| lacking.binary_search_by_key(&index, |lacking| lacking.archetype).is_ok();
    let is_new = |index: u32| inserts_missing && tracker[index].has_other_members();
    tracker.having(Mask::PARENT).filter(|&index| is_lacking(index) || is_new(index)).collect()
}

/// The archetypes of roots that migrate as a whole, with the components that each row gets. Of
/// an archetype with 1,000 roots, at least 500 must be in `new_parents`; of one with 100, 64.
fn new_roots(
    columns: &Columns<'_>,
    tracker: &ChangeTracker,
    mut new_parents: Vec<Row>,
) -> Vec<(u32, Vec<Mask>)> {
    new_parents.retain(|parent| !tracker[parent.archetype].mask.has(Mask::PARENT));
    new_parents.sort_unstable();
    new_parents.dedup();
    let by_archetype = new_parents.chunk_by(|a, b| a.archetype == b.archetype);
    let by_archetype = by_archetype.map(|parents| {
        (parents[0].archetype, columns.entities(parents[0].archetype).len(), parents)
    });
    // A whole archetype takes about 150 ns a row, parents one by one at least 300 each.
    let migrating = by_archetype.filter(|&(archetype, rows, parents)| {
        parents.len() >= MANY && parents.len() * 2 >= rows && can_migrate(columns, archetype, 0)
    });
    let with_masks = migrating.map(|(archetype, rows, parents)| {
        let mut missing = vec![Mask::NONE; rows];
        for parent in parents {
            if let Some(missing) = missing.get_mut(parent.row as usize) {
                *missing = Mask::CHILDREN;
            }
        }
        (archetype, missing)
    });
    with_masks.collect()
}

/// An archetype whose entities may lack something.
struct Lacking {
    archetype: u32,
    /// The matrices that all of its entities lack and get.
    matrices: Mask,
    /// Whether its entities have all that a link needs, with these matrices, but `PreviousParent`.
    is_linked: bool,
    /// Whether it migrates as a whole.
    migrates: bool,
}

impl Lacking {
    fn new(archetype: u32, sheet: &ArchetypeSheet, inserts: bool, rows: usize) -> Self {
        let mask = sheet.mask;
        let matrices = if inserts { sheet.owned.missing } else { Mask::NONE };
        let is_linked = (mask | matrices).has(Mask::LINK) && !mask.has(Mask::PREVIOUS_PARENT);
        let migrates = if matrices == Mask::NONE { is_linked && rows >= MANY } else { rows > 0 };
        Self { archetype, matrices, is_linked, migrates }
    }
}
