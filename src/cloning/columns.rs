//! The components of one type, one for each of some rows: cloned out of a world, and moved into
//! one.

use std::{any::Any, collections::HashMap, mem};

use legion::{
    Entity, World,
    storage::{
        ArchetypeIndex, ArchetypeWriter, Component, ComponentStorage, ComponentTypeId, EntityLayout,
    },
    world::EntityHasher,
};

use crate::{
    engine::{Appender, Panics, RowSource},
    spawn::{ExactComponents, room},
};

/// Components of one type.
pub(super) trait Column: Any + Send + Sync {
    /// Moves them behind the components of the archetype that rows are inserted into, as a block.
    fn append(&mut self, to: &mut ArchetypeWriter<'_>, room: usize);
}

impl<T: Component> Column for Vec<T> {
    fn append(&mut self, to: &mut ArchetypeWriter<'_>, room: usize) {
        Appender::claim(to, room).append(mem::take(self));
    }
}

/// Clones these rows of a column. `None` if the column lacks some.
pub(super) type CloneRows = fn(&World, ArchetypeIndex, &[usize]) -> Option<Box<dyn Column>>;

pub(super) fn clone_rows<T: Component + Clone>(
    world: &World,
    archetype: ArchetypeIndex,
    rows: &[usize],
) -> Option<Box<dyn Column>> {
    let column = world.components().get_downcast::<T>()?.get(archetype)?.into_slice();
    let mut clones = Vec::with_capacity(rows.len());
    for &row in rows {
        clones.push(column.get(row)?.clone());
    }
    Some(Box::new(clones))
}

/// Adds a type to a layout.
type Register = fn(&mut EntityLayout);

/// What can be cloned, by type.
pub(super) type Known = HashMap<ComponentTypeId, (CloneRows, Register), EntityHasher>;

/// Entities with the same components: their rows, outside of any world.
///
/// ```text
///  entities                e7              e8
///  Translation             (1, 0, 0)       (2, 0, 0)
///  Parent                  e7's            e7
/// ```
pub(super) struct Rows {
    pub entities: Vec<Entity>,
    types: Vec<ComponentTypeId>,
    registers: Vec<Register>,
    columns: Vec<Box<dyn Column>>,
}

impl Rows {
    /// With room for so many components.
    pub fn new(entities: Vec<Entity>, components: usize) -> Self {
        let types = Vec::with_capacity(components);
        let (registers, columns) = (Vec::with_capacity(components), Vec::with_capacity(components));
        Self { entities, types, registers, columns }
    }

    pub fn add(&mut self, component: ComponentTypeId, register: Register, column: Box<dyn Column>) {
        self.types.push(component);
        self.registers.push(register);
        self.columns.push(column);
    }

    fn position<T: Component>(&self) -> Option<usize> {
        let id = ComponentTypeId::of::<T>();
        self.types.iter().position(|component| *component == id)
    }

    /// The components of a type.
    pub fn get_mut<T: Component>(&mut self) -> Option<&mut Vec<T>> {
        let at = self.position::<T>()?;
        (&mut *self.columns[at] as &mut dyn Any).downcast_mut()
    }

    /// Gives all rows this component, in place of the one that they have.
    pub fn set<T: Component + Clone>(&mut self, component: T) {
        self.remove::<T>();
        let column = vec![component; self.entities.len()];
        let register = EntityLayout::register_component::<T>;
        self.add(ComponentTypeId::of::<T>(), register, Box::new(column));
    }

    pub fn remove<T: Component>(&mut self) {
        if let Some(at) = self.position::<T>() {
            self.types.remove(at);
            self.registers.remove(at);
            self.columns.remove(at);
        }
    }

    /// Moves the rows into a world, which has none of their entities.
    ///
    /// # Panics
    /// If a subscriber does. All rows are there then, unless it did so while their archetype was
    /// made: then none is.
    pub fn insert(self, world: &mut World) {
        let Self { entities, types, registers, mut columns } = self;
        let mut panics = Panics::default();
        let layout = || {
            let mut layout = EntityLayout::default();
            registers.iter().for_each(|register| register(&mut layout));
            layout
        };
        let write = |writer: &mut ArchetypeWriter<'_>| {
            let room = room(writer.archetype().entities().len(), entities.len());
            panics.push_all(writer, &mut entities.iter().copied());
            columns.iter_mut().for_each(|column| column.append(writer, room));
        };
        let filter = || ExactComponents(&types);
        world.extend(RowSource { filter, layout, write });
        panics.go_on();
    }
}
