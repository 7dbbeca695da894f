//! A component's storage without its type, so that all of them stand in one array by bit of the
//! [mask](super::mask).
#![allow(unsafe_code)]

use legion::{
    query::{Fetch, Read, View},
    storage::{
        ArchetypeIndex, ComponentStorage, Components, PackedStorage, UnknownComponentStorage,
    },
};

use super::mask::{COMPONENTS, for_each_component};
use crate::components::*;

/// Legion's storage of one component: a column for each archetype that has the component.
pub(super) trait AnyStorage {
    /// The version of an archetype's column, and how long it is; zeros if it has no such column.
    fn version_and_len(&self, archetype: ArchetypeIndex) -> (u64, usize);

    /// Where an archetype's column is, and how long; `None` if it has no such column.
    fn raw(&self, archetype: ArchetypeIndex) -> Option<(*const u8, usize)>;

    /// How many bytes a component has.
    fn size(&self) -> usize;

    /// Bumps the version of an archetype's column.
    ///
    /// # Safety
    /// No slice of the column may be alive.
    unsafe fn bump(&self, archetype: ArchetypeIndex);
}

impl<T: Send + Sync + 'static> AnyStorage for PackedStorage<T> {
    #[inline]
    fn version_and_len(&self, archetype: ArchetypeIndex) -> (u64, usize) {
        let Some((_, rows)) = self.get_raw(archetype) else { return (0, 0) };
        let Some(slice) = self.get(archetype) else { return (0, 0) };
        // Legion shows versions to query filters only, and filters see a fetch. Any slice of a
        // column can be made into a fetch.
        let fetch: <Read<T> as View<'_>>::Fetch = From::from(slice);
        match fetch.version::<T>() {
            Some(version) => (version, rows),
            None => (0, rows),
        }
    }

    #[inline]
    fn raw(&self, archetype: ArchetypeIndex) -> Option<(*const u8, usize)> {
        self.get_raw(archetype)
    }

    fn size(&self) -> usize {
        size_of::<T>()
    }

    unsafe fn bump(&self, archetype: ArchetypeIndex) {
        // SAFETY: the caller's promise; the slice is dropped at once.
        if let Some(slice) = unsafe { self.get_mut(archetype) } {
            slice.into_slice();
        }
    }
}

/// The storage of each component, by bit; `None` where no archetype has the component.
pub(super) fn storages(components: &Components) -> [Option<&dyn AnyStorage>; COMPONENTS] {
    macro_rules! all {
        ($($component:ident: $name:ident,)*) => {
            [$(match components.get_downcast::<$component>() {
                Some(storage) => Some(storage as &dyn AnyStorage),
                None => None,
            }),*]
        };
    }
    for_each_component!(all)
}
