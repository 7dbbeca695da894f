//! Raw access to Legion's storage.
//!
//! Legion bumps a component's version when a mutable slice is *yielded*, written or not, and hands
//! out one archetype's columns only through queries of at most eight types. The bundle must bump
//! exactly what it changed, and reads thirty-one types. So [`Columns`] takes the whole world
//! exclusively and hands out slices itself; what it hands out is bound to its own borrow, so that
//! safe code cannot alias them.
#![allow(unsafe_code)]

use std::{
    any::TypeId,
    hash::{Hash, Hasher},
    marker::PhantomData,
};

use legion::{
    Entity, EntityStore, World,
    query::{Fetch, Read, View},
    storage::{
        Archetype, ArchetypeIndex, ComponentStorage, ComponentTypeId, Components, PackedStorage,
        UnknownComponentStorage,
    },
};

use crate::{
    components::*,
    storage::mask::{COMPONENTS, Mask, TransformComponent, for_each_component},
};

/// Where an entity's components are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub archetype: u32,
    pub row: u32,
}

impl Row {
    /// No row of any archetype.
    pub const NOWHERE: Self = Self { archetype: u32::MAX, row: u32::MAX };
}

/// Why a world is refused.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Damage {
    /// A column of an archetype does not have a row for each of its entities.
    Column { archetype: u32, component: Mask },
    /// An entity stands in more than one row.
    Duplicate { entity: Entity },
}

/// All transform components of a world, exclusively.
pub(crate) struct Columns<'w> {
    archetypes: Archetypes<'w>,
    storages: [Option<&'w dyn Storage>; COMPONENTS],
    exclusive: PhantomData<&'w mut World>,
}

impl<'w> Columns<'w> {
    pub fn new(world: &'w mut World) -> Self {
        let world: &'w World = world;
        Self {
            archetypes: Archetypes::of(world),
            storages: storages(world.components()),
            exclusive: PhantomData,
        }
    }

    /// The world, to read.
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

    /// Whether an archetype has a row for each of its entities in all columns.
    pub fn is_whole(&self, archetype: u32) -> bool {
        self.archetypes.column_len(archetype) == Some(self.entities(archetype).len())
    }

    /// Where a live entity is.
    pub fn locate(&self, entity: Entity) -> Option<Row> {
        self.archetypes.locate(entity)
    }

    /// The version of one component in one archetype that has it, and how many rows its column has.
    #[inline]
    pub fn look(&self, component: Mask, archetype: u32) -> (u64, usize) {
        self.storages[component.index()]
            .map_or((0, 0), |storage| storage.look(ArchetypeIndex(archetype)))
    }

    /// The column of `T` in an archetype, empty if it has none.
    pub fn read<T: TransformComponent>(&self, archetype: u32) -> &[T] {
        let (pointer, len) = self.raw(archetype);
        // SAFETY: see `raw`; `&self` keeps anything from writing.
        unsafe { std::slice::from_raw_parts(pointer, len) }
    }

    /// The column of `T` in an archetype for writing, empty if it has none. Its version does not
    /// move: see [`Self::bump`].
    pub fn write<T: TransformComponent>(&mut self, archetype: u32) -> &mut [T] {
        // SAFETY: `&mut self` stands for the whole world, so no other slice of this column is
        // alive.
        unsafe { self.raw_mut(archetype) }
    }

    /// Moves the version of `T` in an archetype, once what was written there differs.
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
        assert_ne!(
            TypeId::of::<A>(),
            TypeId::of::<B>(),
            "one column cannot be both read and written"
        );
        // SAFETY: `&mut self` stands for the whole world, and columns of different types never
        // overlap.
        unsafe { (self.raw_mut(archetype), self.raw_mut(archetype)) }
    }

    /// All columns of one archetype that take part in local matrices: inputs to read, derived ones
    /// to write.
    pub fn local(&mut self, archetype: u32) -> LocalColumns<'_> {
        // SAFETY: `&mut self` stands for the whole world, and each component type is handed out
        // once: columns of different types never overlap.
        unsafe { LocalColumns::of(self, archetype) }
    }

    /// Where the column of `T` in an archetype is, and how long; dangling and 0 if there is none.
    ///
    /// Legion keeps that many initialised values of `T` there (the storage of `T` stands at its
    /// index), behind a pointer that stems from its own allocation and not from a reference. They
    /// stay where they are while the world is borrowed, as only structural changes move them.
    #[inline]
    fn raw<T: TransformComponent>(&self, archetype: u32) -> (*mut T, usize) {
        let raw = self.storages[T::MASK.index()]
            .and_then(|storage| storage.raw(ArchetypeIndex(archetype)));
        raw.map_or((std::ptr::dangling_mut(), 0), |(pointer, len)| {
            (pointer.cast_mut().cast::<T>(), len)
        })
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

/// The archetypes of a world, to read.
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

    /// Where a live entity is. Legion's table keeps the places of entities that are gone, where a
    /// component or a subscriber has panicked while they went.
    pub fn locate(self, entity: Entity) -> Option<Row> {
        let row = self.place(entity)?;
        let entities = self.list.get(row.archetype as usize)?.entities();
        (entities.get(row.row as usize) == Some(&entity)).then_some(row)
    }

    /// Where Legion's table has an entity.
    pub fn place(self, entity: Entity) -> Option<Row> {
        let location = self.world.entry_ref(entity).ok()?.location();
        let row = captured(&location.component()) as u32;
        Some(Row { archetype: location.archetype().0, row })
    }

    /// How many rows the columns of an archetype have, users' own among them; `None` if they
    /// differ, as those of damaged files may, or there are none.
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

/// The number inside one of Legion's ids, which it shows to hashers only.
pub(crate) fn captured<T: Hash>(id: &T) -> u64 {
    struct Capture(u64);
    impl Hasher for Capture {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, _: &[u8]) {
            unreachable!("ids hash as one integer");
        }
        fn write_u64(&mut self, id: u64) {
            self.0 = id;
        }
        fn write_usize(&mut self, id: usize) {
            self.0 = id as u64;
        }
    }
    let mut capture = Capture(0);
    id.hash(&mut capture);
    capture.finish()
}

/// A component's storage without its type.
trait Storage {
    /// The version of an archetype's column, and how long it is.
    fn look(&self, archetype: ArchetypeIndex) -> (u64, usize);

    /// Where an archetype's column is, and how long.
    fn raw(&self, archetype: ArchetypeIndex) -> Option<(*const u8, usize)>;

    /// Moves the version of an archetype's column.
    ///
    /// # Safety
    /// No slice of the column may be alive.
    unsafe fn bump(&self, archetype: ArchetypeIndex);
}

impl<T: Send + Sync + 'static> Storage for PackedStorage<T> {
    #[inline]
    fn look(&self, archetype: ArchetypeIndex) -> (u64, usize) {
        // Legion shows versions to filters, which see a fetch; a slice can be made into one.
        let look = |slice| {
            let fetch: <Read<T> as View<'_>>::Fetch = From::from(slice);
            (fetch.version::<T>().unwrap_or(0), fetch.find::<T>().map_or(0, <[T]>::len))
        };
        self.get(archetype).map_or((0, 0), look)
    }

    #[inline]
    fn raw(&self, archetype: ArchetypeIndex) -> Option<(*const u8, usize)> {
        self.get_raw(archetype)
    }

    unsafe fn bump(&self, archetype: ArchetypeIndex) {
        // SAFETY: the caller's promise; the slice is dropped at once.
        if let Some(slice) = unsafe { self.get_mut(archetype) } {
            slice.into_slice();
        }
    }
}

fn storages(components: &Components) -> [Option<&dyn Storage>; COMPONENTS] {
    macro_rules! all {
        ($($component:ident: $name:ident,)*) => {
            [$(components.get_downcast::<$component>().map(|storage| storage as &dyn Storage)),*]
        };
    }
    for_each_component!(all)
}

/// One archetype's columns: empty where it lacks the component.
pub(crate) struct LocalColumns<'a> {
    pub local_to_world: &'a mut [LocalToWorld],
    pub local_to_parent: &'a mut [LocalToParent],
    pub world_to_local: &'a mut [WorldToLocal],
    pub rotation: &'a mut [Rotation],
    pub post_rotation: &'a mut [PostRotation],
    pub composite_rotation: &'a mut [CompositeRotation],
    pub composite_scale: &'a mut [CompositeScale],
    pub parent_scale_inverse: &'a mut [ParentScaleInverse],
    pub translation: &'a [Translation],
    pub scale: &'a [Scale],
    pub non_uniform_scale: &'a [NonUniformScale],
    pub rotation_pivot: &'a [RotationPivot],
    pub rotation_pivot_translation: &'a [RotationPivotTranslation],
    pub scale_pivot: &'a [ScalePivot],
    pub scale_pivot_translation: &'a [ScalePivotTranslation],
    pub shear: &'a [Shear],
}

impl<'a> LocalColumns<'a> {
    /// # Safety
    /// No other slice of any column of this archetype may be alive during `'a`.
    unsafe fn of(columns: &Columns<'_>, archetype: u32) -> Self {
        // SAFETY: the caller's promise; every type is named once.
        unsafe {
            Self {
                local_to_world: columns.raw_mut(archetype),
                local_to_parent: columns.raw_mut(archetype),
                world_to_local: columns.raw_mut(archetype),
                rotation: columns.raw_mut(archetype),
                post_rotation: columns.raw_mut(archetype),
                composite_rotation: columns.raw_mut(archetype),
                composite_scale: columns.raw_mut(archetype),
                parent_scale_inverse: columns.raw_mut(archetype),
                translation: columns.raw_mut(archetype),
                scale: columns.raw_mut(archetype),
                non_uniform_scale: columns.raw_mut(archetype),
                rotation_pivot: columns.raw_mut(archetype),
                rotation_pivot_translation: columns.raw_mut(archetype),
                scale_pivot: columns.raw_mut(archetype),
                scale_pivot_translation: columns.raw_mut(archetype),
                shear: columns.raw_mut(archetype),
            }
        }
    }
}
