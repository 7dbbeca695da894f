//! A world of any type.
//!
//! What is generic over `World` and `SubWorld` is compiled in the user's crate, in a debug build
//! without optimisation: 20 times slower. So only these questions are generic; the rest asks by
//! `&dyn Store`. Short functions that generic code calls may be inlined in a release build alone:
//!
//! ```ignore
//! #[cfg_attr(debug_assertions, inline(never))]
//! #[cfg_attr(not(debug_assertions), inline)]
//! ```

use legion::{
    Entity, EntityStore,
    world::{EntityAccessError, EntryRef, WorldId},
};

use crate::engine::storage::{Access, Mask};

/// A world of any type, borrowed for `'a`.
pub(crate) trait Store<'a> {
    /// An entity, of which Legion checks the access.
    fn entry_of(&self, entity: Entity) -> Result<EntryRef<'a>, EntityAccessError>;
    /// What may be read, of these components.
    fn access(&self, wanted: Mask) -> Access<'a>;
    fn world(&self) -> WorldId;
}

impl<'a, S: EntityStore> Store<'a> for &'a S {
    fn entry_of(&self, entity: Entity) -> Result<EntryRef<'a>, EntityAccessError> {
        self.entry_ref(entity)
    }

    fn access(&self, wanted: Mask) -> Access<'a> {
        Access::of(*self, wanted)
    }

    fn world(&self) -> WorldId {
        self.id()
    }
}
