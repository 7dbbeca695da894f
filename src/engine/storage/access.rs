//! What may be read of a user's world: the only door from there to Legion's columns.
//!
//! A system may read some components, of some archetypes, while Legion runs others beside it.
//! Legion's accessor checks the components alone, and hands out all columns of each:
//!
//! ```text
//!  system A   (&LocalToWorld, &Ship)       may read LocalToWorld, of archetypes 3 and 5
//!  system B   &mut LocalToWorld, no Ship   writes it in archetype 4 at that moment
//!
//!  Access of A    archetype(3)   Readable   column::<LocalToWorld>()   its rows
//!                                           column::<Parent>()         None
//!                 archetype(4)   None
//! ```
//!
//! Layouts and lists of entities may be read wherever they are: no system changes them.

use legion::{
    Entity, EntityStore, Read,
    storage::{Archetype, ArchetypeIndex, ComponentStorage, Components, EntityLayout},
    world::{StorageAccessor, WorldId},
};

use super::mask::{Mask, TransformComponent};
use crate::{components::*, findings::QueryError};

/// What a system may read of a world, or all of a whole world; see the [module](self). Whoever has
/// one borrows the world.
#[derive(Clone, Copy)]
pub(crate) struct Access<'a> {
    all: StorageAccessor<'a>,
    /// The components that may be read, of those that were asked for.
    components: Mask,
}

/// An archetype that may be read.
pub(crate) struct Readable<'a> {
    pub archetype: &'a Archetype,
    storages: &'a Components,
    components: Mask,
}

impl<'a> Readable<'a> {
    /// The column of a component that was asked for, empty if the archetype lacks it; `None` if it
    /// may not be read.
    pub fn column<T: TransformComponent>(&self) -> Option<&'a [T]> {
        let column = || self.storages.get_downcast::<T>()?.get(self.archetype.index());
        let column = || column().map_or(&[][..], |column| column.into_slice());
        self.components.has(T::MASK).then(column)
    }
}

impl<'a> Access<'a> {
    /// What may be read of a world, and of these components, which are among the nine below.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline)]
    pub fn of(store: &'a impl EntityStore, wanted: Mask) -> Self {
        let all = store.get_component_storage::<Entity>().expect("entities may always be read");
        let mut components = Mask::NONE;
        macro_rules! ask {
            ($($component:ident)*) => {$(
                if wanted.has($component::MASK)
                    && store.get_component_storage::<Read<$component>>().is_ok()
                {
                    components |= $component::MASK;
                }
            )*};
        }
        ask!(LocalToWorld Parent PreviousParent Children Inherits);
        ask!(Translation Rotation Scale NonUniformScale);
        Self { all, components }
    }

    /// The world's id.
    pub fn world(&self) -> WorldId {
        self.all.id()
    }

    /// All archetypes, whatever may be read.
    pub fn all(&self) -> impl Iterator<Item = ArchetypeIndex> + use<'a> {
        self.all.archetypes().iter().map(Archetype::index)
    }

    /// The layout of any archetype.
    pub fn layout(&self, index: ArchetypeIndex) -> &'a EntityLayout {
        self.all.archetypes()[index].layout()
    }

    /// An archetype; `None` if it may not be read.
    pub fn archetype(&self, index: ArchetypeIndex) -> Option<Readable<'a>> {
        let Self { all, components } = *self;
        let (archetype, storages) = (&all.archetypes()[index], all.components());
        all.can_access_archetype(index).then_some(Readable { archetype, storages, components })
    }

    /// # Errors
    /// [`QueryError::MissingAccess`] if one of these components may not be read, which were asked
    /// for; or if an archetype with entities may not be read that `concerns` a question.
    pub fn check(
        &self,
        components: Mask,
        concerns: impl Fn(ArchetypeIndex) -> bool,
    ) -> Result<(), QueryError> {
        if let Some(denied) = components.without(self.components).iter().next() {
            return Err(QueryError::MissingAccess { component: Some(denied.name()), entity: None });
        }
        let hidden = self.all.archetypes().iter().find_map(|archetype| {
            let (at, entity) = (archetype.index(), *archetype.entities().first()?);
            (!self.all.can_access_archetype(at) && concerns(at)).then_some(entity)
        });
        match hidden {
            None => Ok(()),
            entity => Err(QueryError::MissingAccess { component: None, entity }),
        }
    }
}
