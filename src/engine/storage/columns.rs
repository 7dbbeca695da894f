//! Raw access to Legion's columns.
//!
//! Legion bumps a column's version when it *yields* a mutable slice, written or not, and its
//! queries name at most eight types. The bundle must bump only the versions of changed columns, and
//! reads thirty-two types. So [`Columns`] borrows the whole world exclusively, and each slice that
//! it hands out borrows `Columns`:
//!
//! ```text
//!  world ── borrowed by ── Columns ── write::<Rotation>(4) ──► &mut [Rotation]   version 17
//!                                     bump::<Rotation>(4)                        version 18
//! ```
#![allow(unsafe_code)]

use std::{any::TypeId, marker::PhantomData};

use legion::{
    Entity, EntityStore, World,
    query::{Fetch, Read, View},
    storage::{
        Archetype, ArchetypeIndex, Component, ComponentStorage, ComponentTypeId, Components,
        PackedStorage, UnknownComponentStorage,
    },
    world::EntityLocation,
};

use super::mask::{COMPONENTS, Mask, TransformComponent, captured, for_each_component};
use crate::components::{LocalToWorld, *};

/// Where an entity's components are: at index `row` of each column of the archetype.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub archetype: u32,
    pub row: u32,
}

impl Row {
    /// No row of any archetype.
    pub const NOWHERE: Self = Self { archetype: u32::MAX, row: u32::MAX };

    /// Where Legion's table says that an entity is.
    #[inline]
    pub fn of(location: EntityLocation) -> Self {
        let row = captured(&location.component()) as u32;
        Self { archetype: location.archetype().0, row }
    }
}

/// Why a world is refused.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Damage {
    /// A column of an archetype does not have a row for each of its entities.
    Column { archetype: u32, component: &'static str },
    /// An entity stands in more than one row.
    Duplicate { entity: Entity },
}

/// All transform components of a world, exclusively.
pub(crate) struct Columns<'w> {
    archetypes: Archetypes<'w>,
    storages: [Option<&'w dyn AnyStorage>; COMPONENTS],
    exclusive: PhantomData<&'w mut World>,
}

impl<'w> Columns<'w> {
    pub fn new(world: &'w mut World) -> Self {
        Self::of(world, Mask::ALL)
    }

    /// These components alone.
    pub fn of(world: &'w mut World, components: Mask) -> Self {
        let world: &'w World = world;
        Self {
            archetypes: Archetypes::of(world),
            storages: storages(world.components(), components),
            exclusive: PhantomData,
        }
    }

    /// The world, for reading.
    pub fn world(&self) -> &World {
        self.archetypes.world
    }

    pub fn archetypes(&self) -> &'w [Archetype] {
        self.archetypes.list
    }

    pub fn entities(&self, archetype: u32) -> &'w [Entity] {
        self.archetypes()[archetype as usize].entities()
    }

    /// The entity at a row.
    pub fn entity(&self, row: Row) -> Entity {
        self.entities(row.archetype)[row.row as usize]
    }

    /// Whether Legion finds the entity of a row there. No other one can migrate.
    pub fn is_placed(&self, row: Row) -> bool {
        self.locate(self.entity(row)) == Some(row)
    }

    /// Whether each column of an archetype, users' own included, has a row for each entity.
    pub fn is_whole(&self, archetype: u32) -> bool {
        self.archetypes.column_len(archetype) == Some(self.entities(archetype).len())
    }

    /// Where a live entity is.
    pub fn locate(&self, entity: Entity) -> Option<Row> {
        self.archetypes.locate(entity)
    }

    /// The version of the only component of a set in an archetype, and how many rows its column
    /// has; zeros if the archetype lacks it.
    #[inline]
    pub fn version_and_len(&self, component: Mask, archetype: u32) -> (u64, usize) {
        self.storages[component.index()]
            .map_or((0, 0), |storage| storage.version_and_len(ArchetypeIndex(archetype)))
    }

    /// The column of `T` in an archetype, empty if it has none.
    pub fn read<T: TransformComponent>(&self, archetype: u32) -> &[T] {
        // SAFETY: `&self` keeps anything from writing.
        unsafe { self.raw_ref(archetype) }
    }

    /// Finds the columns of a component that is not among the transform components, by archetype.
    /// They may be read while transform components are written.
    ///
    /// # Panics
    /// If it is one of them.
    pub fn others<T: Component>(&self) -> impl Fn(u32) -> Option<&'w [T]> + use<'w, T> {
        assert_eq!(Mask::of_types(&[ComponentTypeId::of::<T>()]), Mask::NONE);
        let storage = self.archetypes.world.components().get_downcast::<T>();
        move |archetype| {
            let column = storage?.get(ArchetypeIndex(archetype))?;
            Some(<Read<T> as View<'w>>::Fetch::from(column).into_components())
        }
    }

    /// Finds where the columns of such a component are, by archetype, and how long. The values stay
    /// there while the world is borrowed.
    pub fn others_raw<T: Send + Sync + 'static>(
        &mut self,
    ) -> impl Fn(u32) -> Option<(*mut T, usize)> + use<'w, T> {
        let storage = self.archetypes.world.components().get_downcast::<T>();
        move |archetype| {
            storage?.get_raw(ArchetypeIndex(archetype)).map(|(at, len)| (at.cast_mut().cast(), len))
        }
    }

    /// The column of the only component of a set as bytes, none if the archetype lacks it, with the
    /// component, and how many bytes a row has.
    ///
    /// # Panics
    /// If it is not one of the components that are numbers and nothing else.
    pub fn numbers(&self, component: Mask, archetype: u32) -> (Mask, usize, &[u8]) {
        assert!(!component.has_any(Mask::RELATIONS), "relations have padding, and pointers");
        let raw = self.raw_of(component, archetype).zip(self.storages[component.index()]);
        let Some(((pointer, len), storage)) = raw else {
            return (component, 0, &[]);
        };
        let size = storage.element_vtable().size();
        // SAFETY: Legion keeps `len` values there, `&self` keeps anything from writing, and all of
        // the crate's components but relations are `f32` throughout, without padding.
        let bytes = unsafe { std::slice::from_raw_parts(pointer, len * size) };
        (component, size, bytes)
    }

    /// The column of `T` in an archetype for writing, empty if it has none. Its version is not
    /// bumped: see [`Self::bump`].
    pub fn write<T: TransformComponent>(&mut self, archetype: u32) -> &mut [T] {
        // SAFETY: `&mut self` stands for the whole world, so no other slice of this column is
        // alive.
        unsafe { self.raw_mut(archetype) }
    }

    /// Bumps the version of `T` in an archetype. Call when the column holds other values than
    /// before.
    pub fn bump<T: TransformComponent>(&mut self, archetype: u32) {
        if let Some(storage) = self.storages[T::MASK.index()] {
            // SAFETY: as in `write`.
            unsafe { storage.bump(ArchetypeIndex(archetype)) };
        }
    }

    /// A column to read and another to write, of one archetype.
    ///
    /// # Panics
    /// If both are of the same type.
    pub fn read_write<A: TransformComponent, B: TransformComponent>(
        &mut self,
        archetype: u32,
    ) -> (&[A], &mut [B]) {
        let (written, beside) = self.write_beside(archetype);
        (beside.read(), written)
    }

    /// A column to write, and the others of the archetype to read.
    pub fn write_beside<T: TransformComponent>(
        &mut self,
        archetype: u32,
    ) -> (&mut [T], Beside<'_, T>) {
        let columns = &*self;
        // SAFETY: `&mut self` stands for the whole world. `Beside` reads no column of `T`.
        let written = unsafe { columns.raw_mut(archetype) };
        (written, Beside { columns, archetype, written: PhantomData })
    }

    /// Where the column of `T` in an archetype is, and how long; dangling and 0 if there is none.
    ///
    /// Legion keeps `len` initialised values of `T` there: `storages` has the storage of `T` at the
    /// index of its bit. The pointer stems from Legion's own allocation, not from a reference. The
    /// values stay where they are while the world is borrowed: only structural changes move them.
    #[inline]
    fn raw<T: TransformComponent>(&self, archetype: u32) -> (*mut T, usize) {
        let raw = self.raw_of(T::MASK, archetype);
        raw.map_or((std::ptr::dangling_mut(), 0), |(pointer, len)| (pointer.cast::<T>(), len))
    }

    /// The same of the only component of a set.
    #[inline]
    pub(super) fn raw_of(&self, component: Mask, archetype: u32) -> Option<(*mut u8, usize)> {
        let storage = self.storages[component.index()]?;
        storage.get_raw(ArchetypeIndex(archetype)).map(|(at, len)| (at.cast_mut(), len))
    }

    /// # Safety
    /// No slice of `T` in this archetype for writing may be alive during `'a`.
    #[inline]
    pub(super) unsafe fn raw_ref<'a, T: TransformComponent>(&self, archetype: u32) -> &'a [T] {
        let (pointer, len) = self.raw(archetype);
        // SAFETY: see `raw`, and the caller's promise.
        unsafe { std::slice::from_raw_parts(pointer, len) }
    }

    /// # Safety
    /// No other slice of `T` in this archetype may be alive during `'a`.
    #[inline]
    pub(super) unsafe fn raw_mut<'a, T: TransformComponent>(&self, archetype: u32) -> &'a mut [T] {
        let (pointer, len) = self.raw(archetype);
        // SAFETY: see `raw`, and the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(pointer, len) }
    }
}

/// All columns of an archetype but that of `T`, which is lent for writing.
pub(crate) struct Beside<'a, T> {
    columns: &'a Columns<'a>,
    archetype: u32,
    written: PhantomData<&'a mut [T]>,
}

impl<'a, T: TransformComponent> Beside<'a, T> {
    /// The column of `A`, empty if there is none.
    ///
    /// # Panics
    /// If it is that of `T`.
    pub fn read<A: TransformComponent>(&self) -> &'a [A] {
        assert_ne!(TypeId::of::<A>(), TypeId::of::<T>(), "a column is either read or written");
        // SAFETY: the world is borrowed exclusively during `'a`, and only `T` is written.
        unsafe { self.columns.raw_ref(self.archetype) }
    }
}

/// The archetypes of a world, for reading.
#[derive(Clone, Copy)]
pub(crate) struct Archetypes<'w> {
    world: &'w World,
    pub list: &'w [Archetype],
}

impl<'w> Archetypes<'w> {
    pub fn of(world: &'w World) -> Self {
        let storage = world.get_component_storage::<Read<LocalToWorld>>();
        Self { world, list: storage.expect("a world grants access to itself").archetypes() }
    }

    /// Where a live entity is. Legion's table is checked: it still has the place of an entity that
    /// is gone if a component or a subscriber panicked while the entity went.
    pub fn locate(self, entity: Entity) -> Option<Row> {
        let row = self.place(entity)?;
        let entities = self.list.get(row.archetype as usize)?.entities();
        (entities.get(row.row as usize) == Some(&entity)).then_some(row)
    }

    /// Where an entity is by Legion's table, unchecked.
    pub fn place(self, entity: Entity) -> Option<Row> {
        Some(Row::of(self.world.entry_ref(entity).ok()?.location()))
    }

    /// How many rows the columns of an archetype have, users' own included. `None` if it has no
    /// columns, or if their lengths differ: damaged files can bring such an archetype.
    pub fn column_len(self, archetype: u32) -> Option<usize> {
        let known = &self.list[archetype as usize];
        let len = |component: &ComponentTypeId| {
            let storage = self.world.components().get(*component)?;
            storage.get_raw(known.index()).map(|(_, len)| len)
        };
        let mut lens = known.layout().component_types().iter().map(len);
        let first = lens.next()??;
        lens.all(|len| len == Some(first)).then_some(first)
    }
}

/// Legion's storage of one component: a column for each archetype that has the component.
pub(super) trait AnyStorage: UnknownComponentStorage {
    /// The version of an archetype's column, and how long it is; zeros if it has no such column.
    fn version_and_len(&self, archetype: ArchetypeIndex) -> (u64, usize);

    /// Bumps the version of an archetype's column.
    ///
    /// # Safety
    /// No slice of the column may be alive.
    unsafe fn bump(&self, archetype: ArchetypeIndex);
}

impl<T: Send + Sync + 'static> AnyStorage for PackedStorage<T> {
    #[inline]
    fn version_and_len(&self, archetype: ArchetypeIndex) -> (u64, usize) {
        let Some(slice) = self.get(archetype) else { return (0, 0) };
        let rows = slice.len();
        // Legion shows versions to query filters only, and filters see a fetch. Any slice of a
        // column can be made into a fetch.
        let fetch: <Read<T> as View<'_>>::Fetch = From::from(slice);
        (fetch.version::<T>().unwrap_or(0), rows)
    }

    unsafe fn bump(&self, archetype: ArchetypeIndex) {
        // SAFETY: the caller's promise; the slice is dropped at once.
        if let Some(slice) = unsafe { self.get_mut(archetype) } {
            slice.into_slice();
        }
    }
}

/// The storage of each component of a set, by bit; `None` where no archetype has the component.
pub(super) fn storages(all: &Components, among: Mask) -> [Option<&dyn AnyStorage>; COMPONENTS] {
    macro_rules! all {
        ($($component:ident: $name:ident,)*) => {
            [$(match among.has(Mask::$name).then(|| all.get_downcast::<$component>()) {
                Some(Some(storage)) => Some(storage as &dyn AnyStorage),
                _ => None,
            }),*]
        };
    }
    for_each_component!(all)
}
