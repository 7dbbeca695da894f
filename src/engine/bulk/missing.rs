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
    let mut lacking: Vec<Lacking> = tracker
        .lacking_or(Mask::PARENT)
        .map(|index| Lacking::new(index, &tracker[index], inserts_missing, rows(index)))
        .filter(|lacking| !lacking.added.is_empty() && can_migrate(lacking.archetype))
        .collect();
    let mut migrations = Vec::new();
    if !lacking.is_empty() {
        let new_parents = missing(&columns, tracker, &mut lacking, inserts_missing);
        migrations = new_roots(&columns, tracker, new_parents);
        migrations.extend(lacking.into_iter().map(|lacking| (lacking.archetype, lacking.added)));
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

/// Finds the components that each row of the archetypes `lacking` gets. Returns the rows of other
/// archetypes that get children and lack `Children`.
fn missing(
    columns: &Columns<'_>,
    tracker: &ChangeTracker,
    lacking: &mut [Lacking],
    inserts_missing: bool,
) -> Vec<Row> {
    let mut new_parents = Vec::new();
    let numbers: Vec<u32> = lacking.iter().map(|lacking| lacking.archetype).collect();
    let number_of = |archetype: u32| numbers.binary_search(&archetype).ok();
    for archetype in tracker.having(Mask::PARENT) {
        let (number, sheet) = (number_of(archetype), &tracker[archetype]);
        if number.is_none() && !(inserts_missing && sheet.has_other_members()) {
            continue;
        }
        let (mut last, parents) = (None, columns.read::<Parent>(archetype));
        // Links may be new in all rows if the entities lack something, otherwise in those of
        // entities that have just come. The parents there may lack `Children`.
        let (all, come) = if number.is_some() { (parents.len(), 0) } else { (0, parents.len()) };
        for row in (0..all).chain(sheet.recent_arrivals(come).map(|row| row as usize)) {
            let parent = parents[row].0;
            // Siblings often follow each other.
            let is_known = last.is_some_and(|(entity, _)| entity == parent);
            if !is_known {
                let can_be_parent = |at: &Row| tracker[at.archetype].meaning.can_be_parent();
                let at = tracker.locate(parent).or_else(|| columns.locate(parent));
                last = Some((parent, at.filter(can_be_parent)));
            }
            let Some((_, Some(above))) = last else { continue };
            if let Some(number) = number.filter(|&number| lacking[number].is_linked) {
                lacking[number].added[row] |= Mask::PREVIOUS_PARENT;
            }
            if is_known || tracker[above.archetype].mask.has(Mask::CHILDREN) {
                continue;
            }
            let Some(number) = number_of(above.archetype) else {
                new_parents.push(above);
                continue;
            };
            // Legion loses a row if a component panics when it is dropped, so `get_mut`.
            if let Some(added) = lacking[number].added.get_mut(above.row as usize) {
                *added |= Mask::CHILDREN;
            }
        }
    }
    for Lacking { matrices, added, .. } in lacking.iter_mut().filter(|it| it.is_linked) {
        // Where the parent is none. The pass that follows removes the `Parent`, and adds `Children`
        // where they are needed.
        let unlinked = added.iter_mut().filter(|added| !added.has(Mask::PREVIOUS_PARENT));
        unlinked.for_each(|added| *added = *matrices);
    }
    new_parents
}

/// The archetypes of roots that migrate as a whole, with the components that each row gets. Of
/// an archetype with 1,000 roots, at least 500 must be in `new_parents`; of one with 100, 64.
fn new_roots(
    columns: &Columns<'_>,
    tracker: &ChangeTracker,
    mut new_parents: Vec<Row>,
) -> Vec<(u32, Vec<Mask>)> {
    let is_root = |mask: Mask| mask.has(Mask::LOCAL_TO_WORLD) && !mask.has(Mask::PARENT);
    new_parents.retain(|parent| is_root(tracker[parent.archetype].mask));
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
    /// What each row gets, if it migrates as a whole.
    added: Vec<Mask>,
}

impl Lacking {
    fn new(archetype: u32, sheet: &ArchetypeSheet, inserts: bool, rows: usize) -> Self {
        let mask = sheet.mask;
        let matrices = if inserts { sheet.meaning.missing } else { Mask::NONE };
        let is_linked = (mask | matrices).has(Mask::LINK) && !mask.has(Mask::PREVIOUS_PARENT);
        let migrates = if matrices == Mask::NONE { is_linked && rows >= MANY } else { rows > 0 };
        let added = vec![matrices; if migrates { rows } else { 0 }];
        Self { archetype, matrices, is_linked, added }
    }
}
