//! The list of changed world matrices: what users read of it, [how a run makes it](follow), and
//! [three bits a row](rows).

use std::sync::{Arc, OnceLock};
use std::{any::TypeId, collections::HashMap};

use legion::{Entity, EntityStore, storage::ArchetypeIndex, world::WorldId};

mod follow;
mod rows;

use rows::SeenRows;

use crate::components::Inherited;

/// The changes of the last run in each world, which a bundle with
/// [`track_changes`](crate::TransformSystemBundle::track_changes) lists: a resource, empty without
/// that option.
#[derive(Debug, Default)]
pub struct TransformChanges {
    worlds: HashMap<WorldId, WorldChanges>,
    /// Of worlds whose bundles list nothing: whether their list was asked for.
    asked: HashMap<WorldId, Arc<OnceLock<()>>>,
    none: WorldChanges,
}

impl TransformChanges {
    /// The changes of the last run in `world` (a `World`, or the `SubWorld` of a system, which
    /// needs no access); none if no bundle with
    /// [`track_changes`](crate::TransformSystemBundle::track_changes) has run on it. If one without
    /// has, the next run finds
    /// [`ChangesNotTracked`](crate::findings::FindingKind::ChangesNotTracked).
    #[must_use]
    pub fn of(&self, world: &impl EntityStore) -> &WorldChanges {
        self.tracked(world).unwrap_or_else(|| {
            self.asked.get(&world.id()).map(|asked| asked.set(()));
            &self.none
        })
    }

    /// Notes in `asked` whether the list of a world is asked for, which nothing fills.
    pub(crate) fn watch(&mut self, world: WorldId, asked: Arc<OnceLock<()>>) {
        self.asked.insert(world, asked);
    }

    /// The same; `None`, and no finding, if no bundle with `track_changes` has run on the world:
    /// for code that serves both.
    pub fn tracked(&self, world: &impl EntityStore) -> Option<&WorldChanges> {
        self.worlds.get(&world.id())
    }

    /// Takes the list of a world out for a run. A run that panics leaves an empty one.
    pub(crate) fn take(&mut self, world: WorldId) -> WorldChanges {
        std::mem::take(self.worlds.entry(world).or_default())
    }

    pub(crate) fn set(&mut self, world: WorldId, changes: WorldChanges) {
        self.worlds.insert(world, changes);
    }

    pub(crate) fn forget(&mut self, world: WorldId) {
        self.worlds.remove(&world);
        self.asked.remove(&world);
    }
}

/// The changes of the last run in one world.
///
/// An entity is *changed* if its `LocalToWorld` has other bits than after the run before, or if the
/// entity is new to the component or to its archetype. Every change is listed.
///
/// Legion does not say which row was written. So the whole archetype counts as changed, once, where
/// a `LocalToWorld` may have been written by users:
///
/// - they wrote a `LocalToWorld` of the archetype;
/// - its matrices have no inputs, and since the last run they wrote something in this world and
///   then inserted entities into the archetype: an insertion hides the writes before it.
///
/// From then on the bits are remembered and compared, which costs 64 bytes an entity of that
/// archetype.
///
/// A matrix that the bundle computes, and that users overwrote before an insertion in that way, is
/// listed when it is [repaired](crate::guide::fast_worlds); not if they wrote the right one.
#[derive(Debug, Default)]
pub struct WorldChanges {
    /// By archetype.
    archetypes: Vec<SeenRows>,
    /// The archetypes with changes; ascending when a run has ended.
    listed: Vec<u32>,
    /// See [`removed`](Self::removed).
    removed: Vec<Entity>,
    /// See [`effective`](Self::effective).
    effective: HashMap<TypeId, Vec<Entity>>,
    /// Whether a run has made a list of this world.
    is_begun: bool,
    /// See [`stamps`](Self::stamps).
    stamps: (u64, u64),
}

impl WorldChanges {
    /// Whether the last run changed nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let same_values = self.effective.values().all(Vec::is_empty);
        self.listed.is_empty() && self.removed.is_empty() && same_values
    }

    /// Whether the list does not go on from the one before: it is the first of its world, or the
    /// first after a run that panicked or was refused. Every entity counts as changed then and none
    /// as removed; copies kept from earlier lists are to be dropped.
    #[must_use]
    pub fn begins_anew(&self) -> bool {
        self.is_begun && self.stamps.0 == 0
    }

    /// By archetype, the entities of all rows, and a bit a row: set where the entity changed.
    pub(crate) fn changed_rows(&self) -> impl Iterator<Item = (&[Entity], &[u64])> + '_ {
        self.seen().map(|(_, seen)| (&seen.entities[..], seen.changed.words()))
    }

    /// The entities that are gone or have lost their `LocalToWorld`, ascending.
    #[must_use]
    pub fn removed(&self) -> &[Entity] {
        &self.removed
    }

    /// The entities that have another value of [`Effective<P>`](crate::components::Effective) than
    /// after the run before, or are new to the component or to their archetype, by id. Where users
    /// may have written values, all entities of that archetype are listed. Two things count: a
    /// write of values there; and any write in the world that was followed, before the next run, by
    /// an insertion into that archetype, because an insertion hides the writes before it.
    #[must_use]
    pub fn effective<P: Inherited>(&self) -> &[Entity] {
        self.effective.get(&TypeId::of::<P>()).map_or(&[], |entities| entities)
    }

    /// The archetypes in which rows have other contents than after the run before, ascending.
    /// Archetypes that only lost rows at the end are among them.
    pub fn archetypes(&self) -> impl Iterator<Item = ChangedRows<'_>> + '_ {
        self.seen()
            .map(|(archetype, seen)| ChangedRows { archetype: ArchetypeIndex(archetype), seen })
    }

    /// The changed rows of one archetype, if any changed.
    #[must_use]
    pub fn archetype(&self, archetype: ArchetypeIndex) -> Option<ChangedRows<'_>> {
        self.listed.binary_search(&archetype.0).ok()?;
        Some(ChangedRows { archetype, seen: self.archetypes.get(archetype.0 as usize)? })
    }

    /// Stamps of the list before and of this one, which no other list of any world has; 0 where
    /// there is none. A copy goes on from this list only if it has followed the one before.
    pub(crate) fn stamps(&self) -> (u64, u64) {
        self.stamps
    }

    /// All entities with a matrix, by archetype and row as of the end of the run.
    pub(crate) fn entities_by_row(&self) -> impl Iterator<Item = (u32, &[Entity])> + '_ {
        (0..).zip(&self.archetypes).map(|(archetype, seen)| (archetype, &seen.entities[..]))
    }

    fn seen(&self) -> impl Iterator<Item = (u32, &SeenRows)> + '_ {
        self.listed.iter().map(|&index| (index, &self.archetypes[index as usize]))
    }
}

/// The rows of one archetype whose contents changed: they have another matrix, or another entity.
///
/// Rows are those of the end of the run. They are the rows of Legion's columns until something is
/// inserted or removed.
#[derive(Clone, Copy, Debug)]
pub struct ChangedRows<'a> {
    archetype: ArchetypeIndex,
    seen: &'a SeenRows,
}

impl<'a> ChangedRows<'a> {
    /// The archetype's index: the same as `ChunkView::archetype().index()`.
    #[must_use]
    pub fn archetype(&self) -> ArchetypeIndex {
        self.archetype
    }

    /// How many rows the archetype has now; rows from there on are gone.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seen.entities.len()
    }

    /// Whether the archetype has no rows any more.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.entities.is_empty()
    }

    /// One bit a row, 64 rows a word: set where the contents changed.
    #[must_use]
    pub fn words(&self) -> &'a [u64] {
        self.seen.rows.words()
    }

    /// The rows whose contents changed, ascending.
    pub fn rows(&self) -> impl Iterator<Item = usize> + 'a {
        self.seen.rows.iter()
    }

    /// Brings a copy of a column of the archetype up to date: gives it the length of the column,
    /// and copies the rows that changed. Returns how many these are.
    ///
    /// A copy that has missed a run misses what changed in it.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::prelude::*;
    /// # let (mut world, mut resources) = (World::default(), Resources::default());
    /// # let bundle = TransformSystemBundle::default().track_changes();
    /// # let mut schedule = Schedule::builder().add_transforms(bundle).build();
    /// # world.extend_transforms((0..100).map(|i| (Translation::new(i as f32, 0.0, 0.0),)));
    /// let mut buffer = Vec::new();
    /// # schedule.execute(&mut world, &mut resources);
    /// # let changes = resources.get::<TransformChanges>().unwrap();
    /// for chunk in <&LocalToWorld>::query().iter_chunks(&world) {
    ///     if let Some(rows) = changes.of(&world).archetype(chunk.archetype().index()) {
    ///         let matrices = chunk.component_slice::<LocalToWorld>().unwrap();
    ///         assert_eq!(rows.copy(matrices, &mut buffer), 100);
    ///         assert_eq!(buffer, matrices);
    ///     }
    /// }
    /// ```
    pub fn copy<T: Copy>(&self, column: &[T], copy: &mut Vec<T>) -> usize {
        let Some(&filler) = column.first() else {
            copy.clear();
            return 0;
        };
        copy.resize(column.len(), filler);
        let mut copied = 0;
        for row in self.rows().filter(|row| *row < column.len()) {
            copy[row] = column[row];
            copied += 1;
        }
        copied
    }

    /// The entities of all rows.
    #[must_use]
    pub fn entities(&self) -> &'a [Entity] {
        &self.seen.entities
    }
}
