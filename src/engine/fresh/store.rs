//! A world of any type.
//!
//! `World` and `SubWorld` are two types. What is generic over them is compiled in the user's crate,
//! in a debug build without optimisation: 20 times slower. So these questions are all that is
//! generic; the rest asks by `&dyn Store`, and is compiled with this crate.
//!
//! What is called from generic code, and is short, may be compiled in the user's crate in a release
//! build alone. Debug assertions tell which build it is:
//!
//! ```ignore
//! #[cfg_attr(debug_assertions, inline(never))]
//! #[cfg_attr(not(debug_assertions), inline)]
//! ```

use legion::{
    Entity, EntityStore, Read,
    world::{EntityAccessError, EntryRef, StorageAccessor},
};

use crate::{
    components::*,
    engine::storage::{Mask, TransformComponent},
};

/// A world of any type, borrowed for `'a`.
pub(crate) trait Store<'a> {
    fn entry_of(&self, entity: Entity) -> Result<EntryRef<'a>, EntityAccessError>;

    /// All archetypes and all storages, whatever access there is.
    fn all(&self) -> StorageAccessor<'a>;

    /// Those of the components that most questions read to which there is read access.
    fn readable(&self) -> Mask;
}

impl<'a, S: EntityStore> Store<'a> for &'a S {
    fn entry_of(&self, entity: Entity) -> Result<EntryRef<'a>, EntityAccessError> {
        self.entry_ref(entity)
    }

    fn all(&self) -> StorageAccessor<'a> {
        self.get_component_storage::<Entity>().expect("entities may always be read")
    }

    fn readable(&self) -> Mask {
        let read = |is_granted, component| if is_granted { component } else { Mask::NONE };
        macro_rules! all {
            ($($component:ident)*) => {
                $(read(self.get_component_storage::<Read<$component>>().is_ok(), $component::MASK))|*
            };
        }
        all!(Parent Children Inherits Translation Rotation Scale NonUniformScale)
    }
}
