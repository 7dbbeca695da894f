//! What may be read of a user's world: the only door from there to Legion's columns.
//!
//! Legion runs systems side by side by the archetypes that they read and write. But its accessor
//! checks the components alone, and hands out all columns of each:
//!
//! ```text
//!  system A   (&LocalToWorld, &Ship)       may read LocalToWorld, of archetypes 3 and 5
//!  system B   &mut LocalToWorld, no Ship   writes it in archetype 4 at that moment
//!
//!  Access of A    columns(3)   ReadColumns   local_to_world   its rows
//!                                            parent           None
//!                 columns(4)   None
//! ```
//!
//! Layouts and lists of entities may be read wherever they are.

use legion::{
    Entity, EntityStore, Read,
    storage::{Archetype, ArchetypeIndex, ComponentStorage, EntityLayout, PackedStorage},
    world::StorageAccessor,
};

use super::mask::{Mask, TransformComponent};
use crate::{components::*, findings::QueryError};

/// Defines both types, for these components.
macro_rules! access {
    ($($name:ident: $component:ident,)*) => {
        /// What a system may read of a world, or all of a whole world; see the [module](self).
        /// It borrows the world.
        #[derive(Clone, Copy)]
        pub(crate) struct Access<'a> {
            pub(super) all: StorageAccessor<'a>,
            /// The wanted components that may be read.
            components: Mask,
            $($name: Option<Option<&'a PackedStorage<$component>>>,)*
        }

        /// Columns of an archetype that may be read, each `None` if the component may not be.
        #[derive(Clone, Copy)]
        pub(crate) struct ReadColumns<'a> {
            pub entities: &'a [Entity],
            $(pub $name: Option<&'a [$component]>,)*
        }

        impl<'a> Access<'a> {
            /// What may be read of a world, and of the components that are wanted: some of these,
            /// and `PreviousParent`, which is read by entity.
            #[cfg_attr(debug_assertions, inline(never))]
            #[cfg_attr(not(debug_assertions), inline)]
            pub fn of(store: &'a impl EntityStore, wanted: Mask) -> Self {
                let all = store.get_component_storage::<Entity>().expect("always granted");
                let components = granted::<PreviousParent>(store, wanted)
                    $(| granted::<$component>(store, wanted))*;
                let of = |component: Mask| components.has(component).then(|| all.components());
                Self { all, components, $(
                    $name: of($component::MASK).map(|all| all.get_downcast::<$component>()),
                )* }
            }

            /// The columns of an archetype with these components, those that it lacks empty. `None`
            /// if nothing of the archetype may be read.
            #[inline]
            pub fn columns(&self, at: ArchetypeIndex, present: Mask) -> Option<ReadColumns<'a>> {
                self.all.can_access_archetype(at).then(|| ReadColumns {
                    entities: self.all.archetypes()[at].entities(),
                    $($name: match present.has($component::MASK) {
                        true => self.$name.map(|all| all.and_then(|storage| storage.get(at)))
                            .map(|column| column.map_or(&[][..], |column| column.into_slice())),
                        false => Some(&[]),
                    },)*
                })
            }
        }
    };
}
access! {
    local_to_world: LocalToWorld,
    parent: Parent,
    children: Children,
    inherited: Inherits,
    translation: Translation,
    rotation: Rotation,
    scale: Scale,
    axes: NonUniformScale,
}

impl<'a> Access<'a> {
    /// All archetypes, whatever may be read.
    pub fn all(&self) -> impl Iterator<Item = ArchetypeIndex> + use<'a> {
        self.all.archetypes().iter().map(Archetype::index)
    }

    /// The layout of any archetype.
    pub fn layout(&self, index: ArchetypeIndex) -> &'a EntityLayout {
        self.all.archetypes()[index].layout()
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
        let hidden = self.all().filter(|at| !self.all.can_access_archetype(*at) && concerns(*at));
        let entity = hidden.flat_map(|at| self.all.archetypes()[at].entities()).next().copied();
        entity.map_or(Ok(()), |_| Err(QueryError::MissingAccess { component: None, entity }))
    }
}

/// The set of a component, if it is wanted and may be read.
fn granted<C: TransformComponent>(store: &impl EntityStore, wanted: Mask) -> Mask {
    let is_granted = wanted.has(C::MASK) && store.get_component_storage::<Read<C>>().is_ok();
    if is_granted { C::MASK } else { Mask::NONE }
}
