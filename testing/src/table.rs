//! What can be done with a component of any type.

use std::{cmp::Ordering, fmt, hash};

use legion::{
    IntoQuery, World,
    query::{Fetch, View},
    storage::{ArchetypeIndex, Component, ComponentStorage, ComponentTypeId},
    world::Entry,
};

use crate::numeric::{Numbers, Numeric, Shape, short};

/// What can be done with a component of one type.
pub(crate) struct Table {
    pub(crate) name: fn() -> &'static str,
    pub(crate) shape: Shape,
    pub(crate) type_id: fn() -> ComponentTypeId,
    pub(crate) add: fn(&mut Entry<'_>, &Numbers),
    pub(crate) remove: fn(&mut Entry<'_>),
    pub(crate) get: fn(&Entry<'_>) -> Option<Numbers>,
    pub(crate) set: fn(&mut Entry<'_>, &Numbers),
    pub(crate) write_each: fn(&mut World, usize, &Numbers),
    pub(crate) column: fn(&World, ArchetypeIndex) -> Option<Vec<Numbers>>,
    pub(crate) version: fn(&World, ArchetypeIndex) -> Option<u64>,
}

pub(crate) trait HasTable {
    const TABLE: Table;
}

impl<T: Numeric> HasTable for T {
    const TABLE: Table = Table {
        name: || short(std::any::type_name::<T>()),
        shape: T::SHAPE,
        type_id: ComponentTypeId::of::<T>,
        add: |entry, numbers| entry.add_component(T::from_numbers(numbers)),
        remove: |entry| entry.remove_component::<T>(),
        get: |entry| entry.get_component::<T>().ok().map(Numeric::numbers),
        set: |entry, numbers| {
            *entry.get_component_mut::<T>().expect("the component is there") =
                T::from_numbers(numbers);
        },
        write_each: |world, every, numbers| {
            write_each(world, every, || T::from_numbers(numbers));
        },
        column: |world, archetype| {
            let slice = column::<T>(world, archetype)?;
            Some(slice.iter().map(Numeric::numbers).collect())
        },
        version: version::<T>,
    };
}

/// Your own component that is nothing but numbers. See [`Kind::own`](crate::Kind::own).
#[derive(Clone, Copy)]
pub struct Own(pub(crate) &'static Table);

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str((self.0.name)())
    }
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        (self.0.type_id)() == (other.0.type_id)()
    }
}

impl Eq for Own {}

impl PartialOrd for Own {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Own {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.type_id)().cmp(&(other.0.type_id)())
    }
}

impl hash::Hash for Own {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        (self.0.type_id)().hash(state);
    }
}

/// Writes each component of a type, by a query: one in `every` gets another value.
pub(crate) fn write_each<T: Component>(world: &mut World, every: usize, value: impl Fn() -> T) {
    <&mut T>::query().iter_mut(world).step_by(every).for_each(|it| *it = value());
}

/// A component of all entities of an archetype.
#[must_use]
pub fn column<T: Component>(world: &World, archetype: ArchetypeIndex) -> Option<&[T]> {
    let storage = world.components().get_downcast::<T>()?;
    Some(storage.get(archetype)?.into_slice())
}

/// The version of a component in an archetype. Legion moves it at each access that could write.
#[must_use]
pub fn version<T: Component>(world: &World, archetype: ArchetypeIndex) -> Option<u64> {
    let storage = world.components().get_downcast::<T>()?;
    let slice = storage.get(archetype)?;
    let fetch: <legion::Read<T> as View<'_>>::Fetch = slice.into();
    fetch.version::<T>()
}
