//! Tuples of components, each a row.

use legion::storage::{ArchetypeWriter, Component, ComponentTypeId, EntityLayout};
use smallvec::SmallVec;

use crate::storage::Appender;

/// The types of a row: 16 of a tuple, and five that are derived.
pub type Types = SmallVec<[ComponentTypeId; 21]>;

/// A tuple of up to 16 components of different types, with which an entity is spawned. (Legion's
/// own `push` and `extend` take 8, or 26 with its feature `extended-tuple-impls`.) Spawning a tuple
/// that has a type twice panics, before anything is inserted.
pub trait ComponentTuple: Row {}

/// How a tuple becomes a row.
pub trait Row: Send + Sync + Sized + 'static {
    /// The columns of an archetype that it goes into.
    type Columns<'w>;

    /// Whether one of them is of this type.
    fn has(id: ComponentTypeId) -> bool;

    /// Adds their types to a list.
    fn list(types: &mut Types);

    /// Adds the tuple's components to a layout.
    fn register(layout: &mut EntityLayout);

    /// Claims the tuple's columns.
    fn claim<'w>(writer: &mut ArchetypeWriter<'w>, rows: usize) -> Self::Columns<'w>;

    /// Makes room for this number of further rows.
    fn reserve(columns: &mut Self::Columns<'_>, rows: usize);

    /// Appends the components to their columns.
    fn append(self, columns: &mut Self::Columns<'_>);
}

macro_rules! component_tuple {
    ($($component:ident $column:ident),*) => {
        impl<$($component: Component),*> ComponentTuple for ($($component,)*) {}

        #[allow(unused_variables, non_snake_case, clippy::unused_unit)]
        impl<$($component: Component),*> Row for ($($component,)*) {
            type Columns<'w> = ($(Appender<'w, $component>,)*);

            #[inline]
            fn has(id: ComponentTypeId) -> bool {
                false $(|| ComponentTypeId::of::<$component>() == id)*
            }

            #[inline]
            fn list(types: &mut Types) {
                $(types.push(ComponentTypeId::of::<$component>());)*
            }

            fn register(layout: &mut EntityLayout) {
                $(layout.register_component::<$component>();)*
            }

            fn claim<'w>(writer: &mut ArchetypeWriter<'w>, rows: usize) -> Self::Columns<'w> {
                ($(Appender::<'w, $component>::claim(writer, rows),)*)
            }

            fn reserve(columns: &mut Self::Columns<'_>, rows: usize) {
                let ($($column,)*) = columns;
                $($column.reserve(rows);)*
            }

            #[inline]
            fn append(self, columns: &mut Self::Columns<'_>) {
                let ($($component,)*) = self;
                let ($($column,)*) = columns;
                $($column.push($component);)*
            }
        }
    };
}

/// All tuples from this one down to the empty one.
macro_rules! component_tuples {
    () => { component_tuple!(); };
    ($component:ident $column:ident $(, $more:ident $columns:ident)*) => {
        component_tuple!($component $column $(, $more $columns)*);
        component_tuples!($($more $columns),*);
    };
}

component_tuples!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l, M m, N n, O o, P p);
