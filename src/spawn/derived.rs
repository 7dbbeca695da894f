//! The components that a transform needs and a tuple lacks.

use std::sync::LazyLock;

use legion::{
    Entity,
    storage::{ArchetypeWriter, Component, ComponentTypeId, EntityLayout},
};

use super::{column::Types, tuple::ComponentTuple};
use crate::{
    components::{Children, LocalToParent, LocalToWorld, Parent, PreviousParent},
    engine::{AppendOrder, Appender},
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
pub struct DerivedColumns<'w, W: AppendOrder> {
    local_to_world: Option<Appender<'w, LocalToWorld>>,
    local_to_parent: Option<Appender<'w, LocalToParent>>,
    parent: Option<Appender<'w, Parent, W>>,
    previous_parent: Option<Appender<'w, PreviousParent, W>>,
    children: Option<Appender<'w, Children, W>>,
}

/// The most rows that are appended together. At 64 bytes a matrix, a block of a column takes 4 KiB.
pub const BLOCK: usize = 64;

/// The first values of the matrices, for a block of rows.
static IDENTITIES: LazyLock<([LocalToWorld; BLOCK], [LocalToParent; BLOCK])> =
    LazyLock::new(|| ([LocalToWorld::identity(); BLOCK], [LocalToParent::identity(); BLOCK]));

impl<'w, W: AppendOrder> DerivedColumns<'w, W> {
    /// Claims them, with room for `rows` rows, which come in blocks.
    pub fn claim(
        derived: Derived,
        writer: &mut ArchetypeWriter<'w>,
        rows: usize,
        block: usize,
    ) -> Self {
        let Derived { parent, previous_parent, children, .. } = derived;
        Self {
            local_to_world: derived.local_to_world.then(|| Appender::claim(writer, rows)),
            local_to_parent: derived.local_to_parent.then(|| Appender::claim(writer, rows)),
            parent: parent.then(|| Appender::claim_blocks(writer, rows, block)),
            previous_parent: previous_parent.then(|| Appender::claim_blocks(writer, rows, block)),
            children: children.then(|| Appender::claim_blocks(writer, rows, block)),
        }
    }

    /// Appends a row, but for its matrices.
    #[inline]
    pub fn append(
        &mut self,
        parent: Option<Entity>,
        is_listed: bool,
        children: &mut impl Iterator<Item = Children>,
    ) {
        if let (Some(column), Some(parent)) = (&mut self.parent, parent) {
            column.push(Parent(parent));
        }
        if let Some(column) = &mut self.previous_parent {
            column.push(PreviousParent(parent.filter(|_| is_listed)));
        }
        if let Some(column) = &mut self.children {
            column.push(children.next().unwrap_or_default());
        }
    }

    /// Ends a block of this many rows.
    #[inline]
    pub fn flush(&mut self, rows: usize) {
        if let Some(column) = &mut self.local_to_world {
            column.push_copies(&IDENTITIES.0[..rows]);
        }
        if let Some(column) = &mut self.local_to_parent {
            column.push_copies(&IDENTITIES.1[..rows]);
        }
        if let Some(column) = &mut self.parent {
            column.flush();
        }
        if let Some(column) = &mut self.previous_parent {
            column.flush();
        }
        if let Some(column) = &mut self.children {
            column.flush();
        }
    }
}
