//! Writing components of one entity in place, for edits.
//!
//! A writer looks a storage up once, bumps the version only if the value differs, and keeps the
//! versions before and after, for [the tracker](super::tracker):
//!
//! ```text
//!  RowWriter { archetype 4, row 7 }    rewrite(Translation)   differs   version 17 -> 23
//!                                      rewrite(Rotation)      same      version 9
//!                                      bumps: Translation, 17, 23
//! ```
//!
//! In one call with many edits, the columns of an archetype are looked up once, and a version is
//! bumped once a column. A row begins to be loaded 16 rows ahead:
//!
//! ```text
//!  TransformWriter    rows 7, 2 of 5, 9    Written { archetype 4, rows 7, 9, Translation, 17, 23 }
//!                                          Written { archetype 5, rows 2, ... }
//! ```
#![allow(unsafe_code)]

use std::ptr::null_mut;

use legion::{
    Entity, EntityStore, World, Write,
    query::{Fetch, View},
    storage::{ArchetypeIndex, ComponentStorage},
};
use smallvec::SmallVec;

use super::{
    columns::{Columns, Row},
    mask::{Mask, TransformComponent},
    tracker::ChangeTracker,
};
use crate::{
    components::{Rotation, Scale, Translation},
    engine::simd::prefetch,
};

/// Writes components of one row; see the [module](self).
pub(crate) struct RowWriter<'w> {
    /// Borrowed exclusively, as long as the writer lives.
    world: &'w World,
    at: Row,
    bumps: &'w mut Bumps,
}

/// The columns that a writer has bumped, with their versions before and after.
pub(crate) type Bumps = SmallVec<[(Mask, u64, u64); 4]>;

impl<'w> RowWriter<'w> {
    pub fn new(world: &'w mut World, at: Row, bumps: &'w mut Bumps) -> Self {
        Self { world, at, bumps }
    }

    /// Writes a component where the entity has one that differs. Returns whether it has one.
    #[inline(always)] // three calls by an edit of 43 ns
    pub fn rewrite<T: TransformComponent + PartialEq>(&mut self, component: T) -> bool {
        let (at, row) = (ArchetypeIndex(self.at.archetype), self.at.row as usize);
        let Some(storage) = self.world.components().get_downcast::<T>() else { return false };
        // SAFETY: the world is borrowed exclusively, and the only slice of the column is this one.
        let Some(slice) = (unsafe { storage.get_mut(at) }) else { return false };
        let Some(stored) = slice.get(row) else { return false };
        if *stored == component {
            return true;
        }
        // A fetch takes a version from the counter, and the column has it once that is accepted.
        let mut fetch: <Write<T> as View<'_>>::Fetch = From::from(slice);
        let before = fetch.version::<T>().unwrap_or(0);
        fetch.find_mut::<T>().expect("its own type")[row] = component;
        fetch.accepted();
        self.bumps.push((T::MASK, before, fetch.version::<T>().unwrap_or(0)));
        true
    }
}

/// What was written in place in an archetype: rows in which a value differs, and the columns.
struct Written {
    archetype: u32,
    components: Mask,
    rows: Vec<u32>,
    bumps: Bumps,
    /// Where the columns of `LOCAL` are, and how long; 0 where there is none. Looked up once.
    columns: [(*mut u8, usize); 4],
}

/// The components of a transform, in the order of their bits.
const LOCAL: [Mask; 4] = [Mask::TRANSLATION, Mask::ROTATION, Mask::SCALE, Mask::NON_UNIFORM_SCALE];

/// Among so many archetypes a writer looks for one that it has been to. One that it does not find
/// is there twice.
const SEARCHED: usize = 16;

/// Reads and writes transforms of a world, which it borrows, one row at a time.
pub(crate) struct TransformWriter<'w> {
    columns: Columns<'w>,
    writes: Writes,
    /// Of each archetype that it came to.
    written: Vec<Written>,
}

/// The components of an archetype, or `None` where rows are not written.
type Writes = fn(&World, ArchetypeIndex) -> Option<Mask>;

impl RowWriter<'_> {
    /// Writes the transforms of many entities.
    pub fn of_many(world: &mut World, writes: Writes) -> TransformWriter<'_> {
        let columns = Columns::of(world, LOCAL.into_iter().fold(Mask::NONE, Mask::union));
        TransformWriter { columns, writes, written: Vec::new() }
    }
}

impl TransformWriter<'_> {
    /// Finds the row of an entity, if it is to be written, and begins to load it. Returns what the
    /// archetype has, its number among those that the writer came to, and the row.
    pub fn find(&mut self, entity: Entity) -> Option<(Mask, (usize, u32))> {
        let world = self.columns.world();
        let Row { archetype, row } = Row::of(world.entry_ref(entity).ok()?.location());
        let first = self.written.len().saturating_sub(SEARCHED);
        let known = self.written[first..].iter().rposition(|it| it.archetype == archetype);
        if known.is_none() {
            let components = (self.writes)(world, ArchetypeIndex(archetype))?;
            let (rows, bumps) = Default::default();
            let raw = |it| self.columns.raw_of(it, archetype).unwrap_or((null_mut(), 0));
            let columns = LOCAL.map(raw);
            self.written.push(Written { archetype, components, rows, bumps, columns });
        }
        let at = (known.map_or(self.written.len() - 1, |known| first + known), row);
        prefetch(self.at::<Translation>(at).0);
        prefetch(self.at::<Rotation>(at).0);
        prefetch(self.at::<Scale>(at).0);
        Some((self.written[at.0].components, at))
    }

    /// Where a component of a row would be, and whether it is there.
    #[inline]
    fn at<T: TransformComponent>(&self, (number, row): (usize, u32)) -> (*mut T, bool) {
        let column = const { T::MASK.index() - LOCAL[0].index() };
        let (pointer, len) = self.written[number].columns[column];
        (pointer.cast::<T>().wrapping_add(row as usize), (row as usize) < len)
    }

    /// The component of a row, if it has one.
    #[inline]
    pub fn read<T: TransformComponent>(&self, at: (usize, u32)) -> Option<&T> {
        let (pointer, is_there) = self.at(at);
        // SAFETY: the row is in the column, whose values stay where they are: the writer borrows
        // the world exclusively. The reference borrows the writer, which writes by `&mut self`
        // alone; `bump` drops its slice at once, and the pointer stems from no reference.
        is_there.then(|| unsafe { &*pointer })
    }

    /// Writes a component where the row has one that differs.
    #[inline]
    pub fn rewrite<T: TransformComponent + PartialEq>(&mut self, at: (usize, u32), component: T) {
        let (pointer, is_there) = self.at::<T>(at);
        // SAFETY: as in `read`, and `self` is borrowed exclusively. `bump` comes behind the write.
        let stored = is_there.then(|| unsafe { &mut *pointer });
        let Some(stored) = stored.filter(|stored| **stored != component) else { return };
        *stored = component;
        let Written { archetype, rows, bumps, .. } = &mut self.written[at.0];
        if rows.last() != Some(&at.1) {
            rows.push(at.1);
        }
        if bumps.iter().all(|bump| bump.0 != T::MASK) {
            let version = |columns: &Columns<'_>| columns.version_and_len(T::MASK, *archetype).0;
            let before = version(&self.columns);
            self.columns.bump::<T>(*archetype);
            bumps.push((T::MASK, before, version(&self.columns)));
        }
    }

    /// Tells a tracker what was written.
    pub fn finish(self) -> impl FnOnce(&mut ChangeTracker, &mut World) + use<> {
        let written = self.written.into_iter();
        |tracker, world| {
            written.for_each(|it| tracker.note_edits(world, it.archetype, &it.rows, &it.bumps));
        }
    }
}
