//! What many entities lack at once: `PreviousParent` and `Children` in scenes that are spawned
//! without, and with [`insert_missing`](crate::TransformSystemBundle::insert_missing) the matrices
//! as well.

use legion::World;

use super::moves::{add_components, can_move};
use crate::{
    components::Parent,
    rules,
    storage::{ArchetypeSheet, ChangeTracker, Columns, Mask, Row},
};

/// Entities from which on an archetype is moved as a whole, and not one by one.
const MANY: usize = 64;

/// Gives `PreviousParent`, and `Children` to those of them that are parents, to all entities of
/// archetypes in which linked entities lack it, and the matrices that are missing, if that
/// option is set. A run leaves no entity in such an archetype, so all that are there have come
/// since the last one. Where this adds too much, as where a link closes a cycle, the pass that
/// follows removes it. Returns the rows that the entities have now, in the order of those they
/// had.
pub(crate) fn add_missing(
    world: &mut World,
    tracker: &ChangeTracker,
    inserts_matrices: bool,
) -> Vec<Row> {
    let columns = Columns::new(world);
    let lacking: Vec<Lacking> = tracker
        .having(Mask::PARENT | rules::WANT_LOCAL_TO_WORLD)
        .map(|index| {
            Lacking::new(
                index,
                tracker[index].mask,
                inserts_matrices,
                columns.entities(index).len(),
            )
        })
        .filter(|lacking| lacking.is_moved && can_move(&columns, lacking.archetype))
        .collect();
    if lacking.is_empty() {
        return Vec::new();
    }
    let (added, new_parents) = missing(&columns, tracker, &lacking, inserts_matrices);
    let roots = new_roots(&columns, tracker, new_parents);
    let mut arrived = Vec::new();
    for (archetype, added) in
        roots.into_iter().chain(lacking.iter().map(|lacking| lacking.archetype).zip(added))
    {
        if added.iter().any(|added| *added != Mask::NONE) {
            arrived.extend(add_components(world, archetype, &added));
        }
    }
    arrived
}

/// What the rows of archetypes lack, and the rows of other archetypes that get children and
/// lack `Children`.
fn missing(
    columns: &Columns<'_>,
    tracker: &ChangeTracker,
    lacking: &[Lacking],
    inserts_matrices: bool,
) -> (Vec<Vec<Mask>>, Vec<Row>) {
    let rows =
        |lacking: &Lacking| vec![lacking.matrices; columns.entities(lacking.archetype).len()];
    let mut missing: Vec<Vec<Mask>> = lacking.iter().map(rows).collect();
    let mut new_parents = Vec::new();
    let number_of =
        |archetype: u32| lacking.binary_search_by_key(&archetype, |lacking| lacking.archetype);
    for archetype in with_new_links(tracker, lacking, inserts_matrices) {
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
            // What cannot be a parent is none.
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
            // A component that panics when it is dropped makes Legion lose a row.
            if let Some(missing) = missing[number].get_mut(above.row as usize) {
                *missing |= Mask::CHILDREN;
            }
        }
    }
    for (lacking, missing) in
        lacking.iter().zip(&mut missing).filter(|(lacking, _)| lacking.is_linked)
    {
        for missing in missing.iter_mut().filter(|missing| !missing.has(Mask::PREVIOUS_PARENT)) {
            *missing = lacking.matrices; // It is about to lose its `Parent`, and gets the rest then.
        }
    }
    (missing, new_parents)
}

/// The rows of an archetype whose links may be new: all of one whose entities lack something, those
/// that have just come to another one.
fn new_rows(
    sheet: &ArchetypeSheet,
    is_lacking: bool,
    rows: usize,
) -> impl Iterator<Item = usize> + '_ {
    let (all, arrivals) = if is_lacking { (rows, 0) } else { (0, rows) };
    (0..all).chain(sheet.recent_arrivals(arrivals).map(|row| row as usize))
}

/// The archetypes in which the children of those that lack something can be.
fn with_new_links(
    tracker: &ChangeTracker,
    lacking: &[Lacking],
    inserts_matrices: bool,
) -> Vec<u32> {
    let is_lacking =
        |index: u32| lacking.binary_search_by_key(&index, |lacking| lacking.archetype).is_ok();
    let is_new = |index: u32| inserts_matrices && tracker[index].has_other_members();
    tracker.having(Mask::PARENT).filter(|&index| is_lacking(index) || is_new(index)).collect()
}

/// The archetypes of roots that are moved together, as enough of their entities get children and
/// lack `Children`, with what the rows lack.
fn new_roots(
    columns: &Columns<'_>,
    tracker: &ChangeTracker,
    mut new_parents: Vec<Row>,
) -> Vec<(u32, Vec<Mask>)> {
    new_parents.retain(|parent| !tracker[parent.archetype].mask.has(Mask::PARENT));
    new_parents.sort_unstable();
    new_parents.dedup();
    let groups = new_parents.chunk_by(|a, b| a.archetype == b.archetype);
    let groups = groups.map(|parents| {
        (parents[0].archetype, columns.entities(parents[0].archetype).len(), parents)
    });
    // A whole archetype takes about 150 ns a row, one by one the parents 300 at least.
    let moved = groups.filter(|&(archetype, rows, parents)| {
        parents.len() >= MANY && parents.len() * 2 >= rows && can_move(columns, archetype)
    });
    let with_masks = moved.map(|(archetype, rows, parents)| {
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

/// An archetype in which entities may lack something.
struct Lacking {
    archetype: u32,
    /// The matrices that all of them lack.
    matrices: Mask,
    /// Whether they are linked as soon as they have these, and lack `PreviousParent`.
    is_linked: bool,
    /// Whether they are moved together.
    is_moved: bool,
}

impl Lacking {
    fn new(archetype: u32, mask: Mask, inserts: bool, rows: usize) -> Self {
        let matrices = if inserts { rules::missing_matrices(mask) } else { Mask::NONE };
        let is_linked = (mask | matrices).has(Mask::LINK) && !mask.has(Mask::PREVIOUS_PARENT);
        let is_moved = if matrices == Mask::NONE { is_linked && rows >= MANY } else { rows > 0 };
        Self { archetype, matrices, is_linked, is_moved }
    }
}
