//! Tuples of components, each a row.

use legion::storage::{ArchetypeWriter, Component, ComponentTypeId, EntityLayout};

use super::column::{Column, Types, list, register};
use crate::transform::Transform;

/// A tuple of up to 16 components of different types, with which an entity is spawned. (Legion's
/// own `push` and `extend` take 8, or 26 with its feature `extended-tuple-impls`.)
///
/// A [`Transform`], in the tuple or instead of it, stands for its three
/// [`components`](Transform::components): `Translation`, `Rotation` and `NonUniformScale`.
///
/// Spawning a tuple that has a type twice [panics](super::SpawnTransforms#panics).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of components",
    label = "expected a tuple of up to 16 components, or a `Transform`",
    note = "a single component is a tuple with a comma: `(Translation::new(1.0, 0.0, 0.0),)`",
    note = "more than 16 components: add the others by `world.entry(entity)`, or put several that \
            belong together into one struct"
)]
pub trait ComponentTuple: Row {}

impl ComponentTuple for Transform {}

/// How a tuple becomes a row.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a tuple of components")]
pub trait Row: Send + Sync + Sized + 'static {
    /// The columns of an archetype that it goes into.
    type Columns<'w>;

    /// Adds their types to a list.
    fn list(types: &mut Types);

    /// Adds the tuple's components to a layout.
    fn register(layout: &mut EntityLayout);

    /// Claims the tuple's columns, with room for `rows` rows, which come in blocks.
    fn claim<'w>(writer: &mut ArchetypeWriter<'w>, rows: usize, block: usize) -> Self::Columns<'w>;

    /// Appends the components to their columns.
    fn append(self, columns: &mut Self::Columns<'_>);

    /// Ends a block in all columns.
    fn flush(columns: &mut Self::Columns<'_>);
}

/// A transform alone is the row of a tuple of it.
impl Row for Transform {
    type Columns<'w> = <(Self,) as Row>::Columns<'w>;

    fn list(types: &mut Types) {
        <(Self,)>::list(types);
    }

    fn register(layout: &mut EntityLayout) {
        <(Self,)>::register(layout);
    }

    fn claim<'w>(writer: &mut ArchetypeWriter<'w>, rows: usize, block: usize) -> Self::Columns<'w> {
        <(Self,)>::claim(writer, rows, block)
    }

    fn append(self, columns: &mut Self::Columns<'_>) {
        (self,).append(columns);
    }

    fn flush(columns: &mut Self::Columns<'_>) {
        <(Self,)>::flush(columns);
    }
}

macro_rules! component_tuple {
    ($($component:ident $column:ident),*) => {
        impl<$($component: Component),*> ComponentTuple for ($($component,)*) {}

        #[allow(unused_variables, non_snake_case, clippy::unused_unit)]
        impl<$($component: Component),*> Row for ($($component,)*) {
            type Columns<'w> = ($(Column<'w, $component>,)*);

            #[inline]
            fn list(types: &mut Types) {
                $(list(ComponentTypeId::of::<$component>(), types);)*
            }

            fn register(layout: &mut EntityLayout) {
                $(register::<$component>(layout);)*
            }

            fn claim<'w>(
                writer: &mut ArchetypeWriter<'w>,
                rows: usize,
                block: usize,
            ) -> Self::Columns<'w> {
                ($(Column::<'w, $component>::claim(writer, rows, block),)*)
            }

            #[inline]
            fn append(self, columns: &mut Self::Columns<'_>) {
                let ($($component,)*) = self;
                let ($($column,)*) = columns;
                $($column.push($component);)*
            }

            #[inline]
            fn flush(columns: &mut Self::Columns<'_>) {
                let ($($column,)*) = columns;
                $($column.flush();)*
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
