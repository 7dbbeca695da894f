//! A component with its value, the crate's or your own.

use std::{fmt, sync::Arc};

use legion::{
    World,
    storage::{Component, ComponentTypeId},
    world::Entry,
};

use crate::{
    kind::{Kind, Numbers},
    numeric::short,
    table::write_each,
    world::source::source,
};

/// A component with its value.
#[derive(Clone)]
pub enum Value {
    /// One of `legion_transform`'s.
    Numbers(Kind, Numbers),
    /// Your own component.
    Own(Arc<dyn OwnValue>),
}

/// Your own component with its value. Every component that is `Clone` and `Debug` is one.
pub trait OwnValue: fmt::Debug + Send + Sync {
    /// Adds it, or overwrites it.
    fn add_to(&self, entry: &mut Entry<'_>);
    /// Overwrites it in place, if it is there.
    fn write_to(&self, entry: &mut Entry<'_>);
    /// Writes each component of the type: one in `every` gets this value.
    fn write_each_in(&self, world: &mut World, every: usize);
    /// Takes it away.
    fn remove_from(&self, entry: &mut Entry<'_>);
    /// The type's name, with its path.
    fn type_name(&self) -> &'static str;
    /// The type.
    fn type_id(&self) -> ComponentTypeId;
}

impl<T: Component + Clone + fmt::Debug> OwnValue for T {
    fn add_to(&self, entry: &mut Entry<'_>) {
        entry.add_component(self.clone());
    }
    fn write_to(&self, entry: &mut Entry<'_>) {
        if let Ok(there) = entry.get_component_mut::<T>() {
            *there = self.clone();
        }
    }
    fn write_each_in(&self, world: &mut World, every: usize) {
        write_each(world, every, || self.clone());
    }
    fn remove_from(&self, entry: &mut Entry<'_>) {
        entry.remove_component::<T>();
    }
    fn type_name(&self) -> &'static str {
        std::any::type_name::<T>()
    }
    fn type_id(&self) -> ComponentTypeId {
        ComponentTypeId::of::<T>()
    }
}

impl Value {
    /// Adds the component, or overwrites it.
    pub(crate) fn add(&self, entry: &mut Entry<'_>) {
        match self {
            Self::Numbers(kind, numbers) => kind.add(entry, numbers),
            // Of the value, and not of the `Arc`, which is a component, too.
            Self::Own(own) => (**own).add_to(entry),
        }
    }

    /// Overwrites the component in place, if it is there.
    pub(crate) fn write(&self, entry: &mut Entry<'_>) {
        match self {
            Self::Numbers(kind, numbers) if kind.get(entry).is_some() => kind.set(entry, numbers),
            Self::Numbers(..) => {}
            Self::Own(own) => (**own).write_to(entry),
        }
    }

    /// Writes each component of the type: one in `every` gets this value.
    pub(crate) fn write_each(&self, world: &mut World, every: usize) {
        match self {
            Self::Numbers(kind, numbers) => kind.write_each(world, every, numbers),
            Self::Own(own) => (**own).write_each_in(world, every),
        }
    }

    pub(crate) fn remove(&self, entry: &mut Entry<'_>) {
        match self {
            Self::Numbers(kind, _) => kind.remove(entry),
            Self::Own(own) => (**own).remove_from(entry),
        }
    }

    /// The component's type.
    #[must_use]
    pub fn type_id(&self) -> ComponentTypeId {
        match self {
            // Of the kind, and not of the type `Kind`, which may be a component, too.
            Self::Numbers(kind, _) => Kind::type_id(*kind),
            Self::Own(own) => (**own).type_id(),
        }
    }

    /// The component's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Numbers(kind, _) => kind.name(),
            Self::Own(own) => short((**own).type_name()),
        }
    }

    /// What tells the component's type from others, in the same order in every program.
    pub(crate) fn component(&self) -> Type {
        match self {
            Self::Numbers(kind, _) => Type::Kind(*kind),
            Self::Own(own) => Type::Own((**own).type_name()),
        }
    }
}

/// The type of a [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Type {
    Kind(Kind),
    /// By its name with its path.
    Own(&'static str),
}

/// The Rust that makes the component.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numbers(kind, numbers) => f.write_str(&source(*kind, numbers)),
            Self::Own(own) => own.fmt(f),
        }
    }
}
