//! Nothing for nothing: a system that has nothing to do writes nothing, and what it writes shows.

use std::collections::HashSet;

use crate::snapshot::{Column, Snapshot};

/// Panics if a component of `legion_transform` was written between two moments: another value, an
/// entity that came, went or stands in another archetype, or a version that was bumped.
///
/// Legion moves a component's version in an archetype at each access that could write. What follows
/// changes by versions is woken by it, though no bit changed.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
/// use legion_transform_testing::{Snapshot, assert_nothing_rewritten};
///
/// let (mut world, mut resources) = (World::default(), Resources::default());
/// let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
/// world.push_transform((Translation::new(1.0, 0.0, 0.0),));
/// schedule.execute(&mut world, &mut resources);
///
/// let before = Snapshot::of(&world);
/// schedule.execute(&mut world, &mut resources);
/// assert_nothing_rewritten(&before, &Snapshot::of(&world));
/// ```
///
/// # Panics
///
/// If something was written.
#[track_caller]
pub fn assert_nothing_rewritten(before: &Snapshot, after: &Snapshot) {
    assert_eq!(before.rows.len(), after.rows.len(), "how many entities there are");
    for row in &after.rows {
        let entity = row.entity;
        let Some(old) = before.get(entity) else { panic!("{entity:?} came") };
        assert_eq!(old.archetype, row.archetype, "the archetype of {entity:?}");
        let other = after.columns().find(|column| !column.same(old, row));
        assert_eq!(other, None, "this component of {entity:?} is another one");
    }
    let mut moved = after.moved_since(before);
    moved.retain(|(archetype, _)| *archetype < before.versions.len());
    let first = moved.first().map(|(archetype, column)| {
        let entity = after.rows.iter().find(|row| row.archetype == *archetype);
        let example = entity.map_or_else(String::new, |row| format!(" (that of {:?})", row.entity));
        format!("the version of {column:?} moved in archetype {archetype}{example}")
    });
    assert_eq!(first, None, "nothing changed there");
}

/// Panics if a component of `legion_transform` has another value than before, and its version in
/// its archetype is the same: what follows changes by versions would not notice. Entities that came
/// to another archetype count for nothing.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
/// use legion_transform_testing::{Snapshot, assert_versions_moved};
///
/// let (mut world, mut resources) = (World::default(), Resources::default());
/// let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
/// world.push_transform((Translation::new(1.0, 0.0, 0.0),));
///
/// let before = Snapshot::of(&world);
/// schedule.execute(&mut world, &mut resources);
/// assert_versions_moved(&before, &Snapshot::of(&world));
/// ```
///
/// # Panics
///
/// If a value is another one under the same version.
#[track_caller]
pub fn assert_versions_moved(before: &Snapshot, after: &Snapshot) {
    let moved: HashSet<(usize, Column)> = after.moved_since(before).into_iter().collect();
    let pairs = after.rows.iter().filter_map(|row| Some((before.get(row.entity)?, row)));
    for (old, new) in pairs.filter(|(old, new)| old.archetype == new.archetype) {
        let (entity, archetype) = (new.entity, new.archetype);
        let is_unseen = |it: &Column| !it.same(old, new) && !moved.contains(&(archetype, *it));
        assert_eq!(
            after.columns().find(is_unseen),
            None,
            "this component of {entity:?} is another one under the version of before, in archetype \
             {archetype}"
        );
    }
}
