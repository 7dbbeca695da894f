//! The components of one type, one for each of some rows: cloned out of a world, and moved into
//! one.

use std::{any::Any, collections::HashMap, mem, sync::Arc};

use legion::{
    Entity, World,
    storage::{
        ArchetypeIndex, ArchetypeWriter, Component, ComponentStorage, ComponentTypeId, EntityLayout,
    },
    world::{EntityHasher, EntryRef},
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

/// What is known of a type.
pub(super) trait Type: Send + Sync {
    fn register(&self, layout: &mut EntityLayout);

    /// Clones these rows of a column. `None` if it lacks some.
    fn of_world(
        &self,
        world: &World,
        at: ArchetypeIndex,
        rows: &[usize],
    ) -> Option<Box<dyn Column>>;

    /// The same of rows that are in no world.
    fn of_column(&self, column: &dyn Column, rows: &[usize]) -> Option<Box<dyn Column>>;

    /// Whether an entity has the component that stands in a row.
    fn is_same(&self, column: &dyn Column, row: usize, entry: &EntryRef<'_>) -> bool;
}

/// A type, and when two of its components are the same.
pub(super) struct TypeOf<T>(pub fn(&T, &T) -> bool);

impl<T: Component + Clone> Type for TypeOf<T> {
    fn register(&self, layout: &mut EntityLayout) {
        layout.register_component::<T>();
    }

    fn of_world(
        &self,
        world: &World,
        at: ArchetypeIndex,
        rows: &[usize],
    ) -> Option<Box<dyn Column>> {
        clones(world.components().get_downcast::<T>()?.get(at)?.into_slice(), rows)
    }

    fn of_column(&self, column: &dyn Column, rows: &[usize]) -> Option<Box<dyn Column>> {
        clones((column as &dyn Any).downcast_ref::<Vec<T>>()?, rows)
    }

    fn is_same(&self, column: &dyn Column, row: usize, entry: &EntryRef<'_>) -> bool {
        let values = (column as &dyn Any).downcast_ref::<Vec<T>>();
        let value = values.and_then(|values| values.get(row));
        value.zip(entry.get_component().ok()).is_some_and(|(a, b)| self.0(a, b))
    }
}

fn clones<T: Component + Clone>(column: &[T], rows: &[usize]) -> Option<Box<dyn Column>> {
    let mut clones = Vec::with_capacity(rows.len());
    for &row in rows {
        clones.push(column.get(row)?.clone());
    }
    Some(Box::new(clones))
}

/// What can be cloned.
pub(super) type Known = HashMap<ComponentTypeId, Arc<dyn Type>, EntityHasher>;

/// Entities with the same components: their rows, outside of any world.
///
/// ```text
///  entities                e7              e8
///  Translation             (1, 0, 0)       (2, 0, 0)
///  Parent                  e7's            e7
/// ```
pub(super) struct Rows {
    pub entities: Vec<Entity>,
    ids: Vec<ComponentTypeId>,
    types: Vec<Arc<dyn Type>>,
    columns: Vec<Box<dyn Column>>,
}

impl Rows {
    pub fn new(entities: Vec<Entity>) -> Self {
        Self { entities, ids: Vec::new(), types: Vec::new(), columns: Vec::new() }
    }

    pub fn add(&mut self, id: ComponentTypeId, component: &Arc<dyn Type>, column: Box<dyn Column>) {
        self.ids.push(id);
        self.types.push(component.clone());
        self.columns.push(column);
    }

    /// Whether an entity has what stands in a row, and nothing else.
    pub fn is_row(&self, row: usize, entry: &EntryRef<'_>) -> bool {
        let mut all = self.types.iter().zip(&self.columns);
        entry.archetype().layout().component_types().len() == self.ids.len()
            && all.all(|(component, column)| component.is_same(&**column, row, entry))
    }

    /// Clones of some of the rows.
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut selected = Self::new(rows.iter().map(|&row| self.entities[row]).collect());
        for ((&id, component), column) in self.ids.iter().zip(&self.types).zip(&self.columns) {
            let column = component.of_column(&**column, rows).expect("it has these rows");
            selected.add(id, component, column);
        }
        selected
    }

    fn position<T: Component>(&self) -> Option<usize> {
        self.ids.iter().position(|id| *id == ComponentTypeId::of::<T>())
    }

    /// The components of a type.
    pub fn get_mut<T: Component>(&mut self) -> Option<&mut Vec<T>> {
        let at = self.position::<T>()?;
        (&mut *self.columns[at] as &mut dyn Any).downcast_mut()
    }

    /// Gives all rows this component, in place of the one that they have.
    pub fn set<T: Component + Clone + PartialEq>(&mut self, component: T) {
        let column = vec![component; self.entities.len()];
        match self.get_mut::<T>() {
            Some(old) => *old = column,
            None => {
                let component: Arc<dyn Type> = Arc::new(TypeOf::<T>(T::eq));
                self.add(ComponentTypeId::of::<T>(), &component, Box::new(column));
            }
        }
    }

    pub fn remove<T: Component>(&mut self) {
        if let Some(at) = self.position::<T>() {
            self.ids.remove(at);
            self.types.remove(at);
            self.columns.remove(at);
        }
    }

    /// Moves the rows into a world, which has none of their entities.
    ///
    /// # Panics
    /// If a subscriber does. All rows are there then, unless it did so while their archetype was
    /// made: then none is.
    pub fn insert(self, world: &mut World) {
        let Self { entities, ids, types, mut columns } = self;
        let mut panics = Panics::default();
        let layout = || {
            let mut layout = EntityLayout::default();
            types.iter().for_each(|component| component.register(&mut layout));
            layout
        };
        let write = |writer: &mut ArchetypeWriter<'_>| {
            let room = room(writer.archetype().entities().len(), entities.len());
            panics.push_all(writer, &mut entities.iter().copied());
            columns.iter_mut().for_each(|column| column.append(writer, room));
        };
        let filter = || ExactComponents(&ids);
        world.extend(RowSource { filter, layout, write });
        panics.go_on();
    }
}
