//! The components that a transform needs and a tuple lacks.

use legion::{
    Entity,
    storage::{ArchetypeWriter, Component, ComponentTypeId, EntityLayout},
};

use super::{column::Types, tuple::ComponentTuple};
use crate::{
    components::{Children, LocalToParent, LocalToWorld, Parent, PreviousParent},
    storage::Appender,
};

/// The components that are added to a tuple.
#[derive(Clone, Copy)]
pub struct Derived {
    local_to_world: bool,
    local_to_parent: bool,
    parent: bool,
    previous_parent: bool,
    children: bool,
}

impl Derived {
    /// The components that these tuples lack.
    pub fn of<T: ComponentTuple>(is_child: bool, has_children: bool) -> Self {
        fn lacks<T: ComponentTuple, C: Component>() -> bool {
            !T::has(ComponentTypeId::of::<C>())
        }
        let is_linked = is_child || !lacks::<T, Parent>();
        Self {
            local_to_world: lacks::<T, LocalToWorld>(),
            local_to_parent: is_linked && lacks::<T, LocalToParent>(),
            parent: is_linked && lacks::<T, Parent>(),
            previous_parent: is_linked && lacks::<T, PreviousParent>(),
            children: has_children && lacks::<T, Children>(),
        }
    }

    /// Adds their types to a list.
    #[inline]
    pub fn list(self, types: &mut Types) {
        let mut add = |is_added, id| {
            if is_added {
                types.push(id);
            }
        };
        add(self.local_to_world, ComponentTypeId::of::<LocalToWorld>());
        add(self.local_to_parent, ComponentTypeId::of::<LocalToParent>());
        add(self.parent, ComponentTypeId::of::<Parent>());
        add(self.previous_parent, ComponentTypeId::of::<PreviousParent>());
        add(self.children, ComponentTypeId::of::<Children>());
    }

    /// Adds them to a layout.
    pub fn register(self, layout: &mut EntityLayout) {
        fn add<C: Component>(is_added: bool, layout: &mut EntityLayout) {
            if is_added {
                layout.register_component::<C>();
            }
        }
        add::<LocalToWorld>(self.local_to_world, layout);
        add::<LocalToParent>(self.local_to_parent, layout);
        add::<Parent>(self.parent, layout);
        add::<PreviousParent>(self.previous_parent, layout);
        add::<Children>(self.children, layout);
    }
}

/// The columns of the added components.
pub struct DerivedColumns<'w> {
    local_to_world: Option<Appender<'w, LocalToWorld>>,
    local_to_parent: Option<Appender<'w, LocalToParent>>,
    parent: Option<Appender<'w, Parent>>,
    previous_parent: Option<Appender<'w, PreviousParent>>,
    children: Option<Appender<'w, Children>>,
    /// The first value of the matrices.
    identities: (LocalToWorld, LocalToParent),
}

impl<'w> DerivedColumns<'w> {
    /// Claims them, with room for `rows` rows.
    pub fn claim(derived: Derived, writer: &mut ArchetypeWriter<'w>, rows: usize) -> Self {
        Self {
            local_to_world: derived.local_to_world.then(|| Appender::claim(writer, rows)),
            local_to_parent: derived.local_to_parent.then(|| Appender::claim(writer, rows)),
            parent: derived.parent.then(|| Appender::claim(writer, rows)),
            previous_parent: derived.previous_parent.then(|| Appender::claim(writer, rows)),
            children: derived.children.then(|| Appender::claim(writer, rows)),
            identities: (LocalToWorld::identity(), LocalToParent::identity()),
        }
    }

    /// Appends a row.
    #[inline]
    pub fn append(&mut self, parent: Option<Entity>, is_listed: bool, children: &mut Children) {
        if let Some(column) = &mut self.local_to_world {
            column.push_copy(&self.identities.0);
        }
        if let Some(column) = &mut self.local_to_parent {
            column.push_copy(&self.identities.1);
        }
        if let (Some(column), Some(parent)) = (&mut self.parent, parent) {
            column.push(Parent(parent));
        }
        if let Some(column) = &mut self.previous_parent {
            column.push(PreviousParent(parent.filter(|_| is_listed)));
        }
        if let Some(column) = &mut self.children {
            column.push(std::mem::take(children));
        }
    }
}
