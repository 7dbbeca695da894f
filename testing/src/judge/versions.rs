//! Which component versions a run may move, and which it must.
//!
//! Where a value's bits changed, the version of its column must move. Where no value's bits changed
//! and no entity entered the archetype, it must not.

use std::collections::{HashMap, HashSet};

use crate::{
    judge::idle::assert_versions_moved,
    reference::setup::OwnSystem,
    snapshot::{Column, Row, Snapshot},
};

/// Checks the versions that a run moved: those of archetypes in which a value's bits changed or
/// which an entity entered, in the run or since the one before it (after which the world was
/// `last`), and those that `systems` of the user's write in every run, changed or not.
pub(crate) fn check_versions(
    systems: &[OwnSystem],
    last: &Snapshot,
    before: &Snapshot,
    after: &Snapshot,
) {
    let moved: HashSet<_> = after.moved_since(before).into_iter().collect();
    let mut rows: HashMap<usize, Vec<(&Row, &Row)>> = HashMap::new();
    for row in &after.rows {
        rows.entry(row.archetype)
            .or_default()
            .push((before.get(row.entity).expect("a run does not spawn"), row));
    }
    let travellers: Vec<_> = rows
        .values()
        .flatten()
        .filter(|(old, new)| old.archetype != new.archetype)
        .map(|(old, new)| (*old, *new))
        .collect();
    let is_written = |archetype: usize, column| {
        let has = |kind| after.versions[archetype].contains_key(&Column::Numeric(kind));
        let writes = |it: &OwnSystem| column == Column::Numeric(it.writes) && has(it.reads);
        systems.iter().any(writes)
    };
    let mut passed = HashMap::new();
    for &(archetype, column) in &moved {
        let inside = rows.get(&archetype).map_or(&[][..], Vec::as_slice);
        let entered = |old: &Row| {
            old.archetype != archetype
                || last.get(old.entity).is_none_or(|last| last.archetype != archetype)
        };
        let justified = inside.iter().any(|(old, new)| entered(old) || !column.same(old, new))
            || is_written(archetype, column)
            || *passed
                .entry(archetype)
                .or_insert_with(|| passed_through(after, archetype, &travellers));
        assert!(
            justified,
            "the version of {column:?} moved in archetype {archetype} ({:?}), where nothing \
             changed and no entity entered",
            layout(after, archetype)
        );
    }
    assert_versions_moved(before, after);
}

fn layout(world: &Snapshot, archetype: usize) -> HashSet<Column> {
    world.versions[archetype].keys().copied().collect()
}

/// Adding or removing several components takes an entity through archetypes that it does not stay
/// in. One on a cycle, which has a record of no parent, may have come with many others, and have
/// got `Children` with them before the cycle was found.
fn passed_through(after: &Snapshot, archetype: usize, travellers: &[(&Row, &Row)]) -> bool {
    let own = layout(after, archetype);
    travellers.iter().any(|(old, new)| {
        let (from, to) = (layout(after, old.archetype), layout(after, new.archetype));
        let mut own = own.clone();
        if new.previous == Some(None) && !to.contains(&Column::Children) {
            own.remove(&Column::Children);
        }
        from.intersection(&to).all(|column| own.contains(column))
            && own.iter().all(|column| from.contains(column) || to.contains(column))
    })
}
