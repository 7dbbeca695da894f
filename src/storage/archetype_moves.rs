//! Giving all entities of an archetype more components at once.
//!
//! Legion moves entities one by one, 300 to 2,000 ns each, as every column of the archetype that they come to grows by exactly one row
//! each time. What it offers for more, it offers to what spawns and to what merges worlds, and that suffices:
//!
//! ```text
//! move_from    takes the archetype into a world of its own: columns change owners, nothing is copied
//! extend       of nothing, into that world: a source of rows is lent the columns, and takes what is in them
//! extend       of the same entities, into the first world: a source of rows gives the columns to the other archetype
//! ```
//!
//! An archetype without rows takes a column over as it is; behind the rows of any other it is copied. Subscribers see what they see of any
//! move, but first that all entities leave, and then that all come. A subscriber that panics costs those that are on the way.
#![allow(unsafe_code)]

use std::cell::Cell;

use legion::{
    Entity, EntityStore, World,
    query::{FilterResult, LayoutFilter},
    storage::{
        ArchetypeIndex, ArchetypeSource, ArchetypeWriter, Component, ComponentIndex, ComponentMeta, ComponentSource,
        ComponentTypeId, EntityLayout, IntoComponentSource, UnknownComponentStorage,
    },
};

use super::{
    columns::{Row, archetypes, locate},
    mask::Mask,
};
use crate::components::{Children, PreviousParent};

/// Gives each entity of an archetype what is added for its row: [`PREVIOUS_PARENT`](Mask::PREVIOUS_PARENT) or
/// [`CHILDREN`](Mask::CHILDREN), as they are without parent and children, both, or neither. Returns where each is then.
///
/// # Panics
/// If an entity of the archetype has what it gets, or stands in a second row.
pub(crate) fn add_components(world: &mut World, archetype: u32, added: &[Mask]) -> Vec<Row> {
    let source = &archetypes(world)[archetype as usize];
    let layout = EntityLayout::clone(source.layout());
    let mut entities: Vec<Entity> = Vec::with_capacity(source.entities().len());
    entities.extend(source.entities().iter().copied());
    assert_eq!(added.len(), entities.len(), "each row is told of");
    let Some(&first) = entities.first() else { return Vec::new() };
    let first = world.entry_ref(first).expect("it is in the archetype").location().component();
    let mut aside = World::default();
    aside.move_from(world, &Nth { number: archetype, seen: Cell::new(0) });
    let mut columns = Vec::new();
    aside.extend(Taking { layout: &layout, columns: &mut columns, first });
    drop(aside);
    let mut arrived = vec![Row { archetype, row: 0 }; added.len()];
    for Part { added, rows, columns } in split(columns, added) {
        let entities: Vec<Entity> = rows.iter().map(|&row| entities[row as usize]).collect();
        let first = entities[0];
        world.extend(Giving { layout: &layout, added, columns, entities });
        let first = locate(world, first).expect("it was just inserted");
        for (&row, to) in rows.iter().zip(first.row..) {
            arrived[row as usize] = Row { archetype: first.archetype, row: to };
        }
    }
    arrived
}

/// The entities that get the same.
struct Part {
    added: Mask,
    /// Ascending.
    rows: Vec<u32>,
    columns: Vec<Column>,
}

/// Passes the archetype with a number. Legion asks about each, in order.
struct Nth {
    number: u32,
    seen: Cell<u32>,
}

impl LayoutFilter for Nth {
    fn matches_layout(&self, _: &[ComponentTypeId]) -> FilterResult {
        FilterResult::Match(self.seen.replace(self.seen.get() + 1) == self.number)
    }
}

/// One column, in a storage of its own.
struct Column {
    component: ComponentTypeId,
    constructor: fn() -> Box<dyn UnknownComponentStorage>,
    storage: Box<dyn UnknownComponentStorage>,
    /// Row 0, which cannot be made.
    first: ComponentIndex,
}

/// Where the storage of a column keeps it.
const HERE: ArchetypeIndex = ArchetypeIndex(0);

impl Column {
    fn new(
        component: ComponentTypeId,
        constructor: fn() -> Box<dyn UnknownComponentStorage>,
        first: ComponentIndex,
    ) -> Self {
        let mut storage = constructor();
        storage.insert_archetype(HERE, None);
        Self { component, constructor, storage, first }
    }

    /// Where it begins, and how many rows it has.
    fn raw(&self) -> (*const u8, usize) {
        self.storage.get_raw(HERE).expect("made with it")
    }

    /// Some rows of it.
    ///
    /// # Safety
    /// Each row may be taken once, and the rest must be [forgotten](Self::forget).
    unsafe fn part(&self, rows: &[u32]) -> Self {
        let (start, len) = self.raw();
        assert!(rows.iter().all(|&row| (row as usize) < len), "rows of the archetype");
        let size = self.storage.element_vtable().size();
        let mut part = Self::new(self.component, self.constructor, self.first);
        part.storage.ensure_capacity(HERE, rows.len());
        for run in rows.chunk_by(|a, b| a + 1 == *b) {
            // SAFETY: both storages come from one constructor; the rows are there, and moved, as nothing drops them here.
            unsafe { part.storage.extend_memcopy_raw(HERE, start.add(run[0] as usize * size), run.len()) };
        }
        part
    }

    /// Frees the memory of a column whose components are elsewhere by now.
    fn forget(mut self) {
        let has_drop = Mask::of_component(self.component).is_none_or(|component| component == Mask::CHILDREN);
        let rows = if has_drop { self.raw().1 } else { 0 };
        for _ in 0..rows {
            self.storage.transfer_component(HERE, self.first, HERE, &mut Carrier(None));
        }
    }
}

/// Columns by what their rows get.
fn split(columns: Vec<Column>, added: &[Mask]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (row, &added) in (0..).zip(added) {
        match parts.iter_mut().find(|part| part.added == added) {
            Some(part) => part.rows.push(row),
            None => parts.push(Part { added, rows: vec![row], columns: Vec::new() }),
        }
    }
    if let [whole] = &mut parts[..] {
        whole.columns = columns;
        return parts;
    }
    for column in columns {
        for part in &mut parts {
            // SAFETY: every row is in one part, and the column is forgotten below. No code of others runs in between.
            part.columns.push(unsafe { column.part(&part.rows) });
        }
        column.forget();
    }
    parts
}

/// Stands in for a storage where Legion moves components from one to another.
struct Carrier(Option<Box<dyn UnknownComponentStorage>>);

impl UnknownComponentStorage for Carrier {
    /// Called with the storage of a world that is to give to this one: takes what is there.
    fn transfer_archetype(&mut self, _: ArchetypeIndex, from: ArchetypeIndex, world: &mut dyn UnknownComponentStorage) {
        let storage = self.0.as_mut().expect("it is to take something");
        world.transfer_archetype(from, HERE, &mut **storage);
    }

    /// Called with a component that is given to this one: it is elsewhere already.
    unsafe fn extend_memcopy_raw(&mut self, _: ArchetypeIndex, _: *const u8, _: usize) {}

    fn increment_epoch(&mut self) {}

    fn insert_archetype(&mut self, _: ArchetypeIndex, _: Option<usize>) {}

    fn transfer_component(
        &mut self,
        _: ArchetypeIndex,
        _: ComponentIndex,
        _: ArchetypeIndex,
        _: &mut dyn UnknownComponentStorage,
    ) {
        unreachable!("it has no components")
    }

    fn move_component(&mut self, _: ArchetypeIndex, _: ComponentIndex, _: ArchetypeIndex) {
        unreachable!("it has no components")
    }

    fn swap_remove(&mut self, _: ArchetypeIndex, _: ComponentIndex) {
        unreachable!("it has no components")
    }

    fn pack(&mut self, _: u64) -> usize {
        0
    }

    fn fragmentation(&self) -> f32 {
        0.0
    }

    fn element_vtable(&self) -> ComponentMeta {
        ComponentMeta::of::<()>()
    }

    fn get_raw(&self, _: ArchetypeIndex) -> Option<(*const u8, usize)> {
        None
    }

    unsafe fn get_mut_raw(&self, _: ArchetypeIndex) -> Option<(*mut u8, usize)> {
        None
    }

    fn ensure_capacity(&mut self, _: ArchetypeIndex, _: usize) {}
}

/// Takes the columns of the archetype with a layout out of a world, which is good for nothing then.
struct Taking<'a> {
    layout: &'a EntityLayout,
    columns: &'a mut Vec<Column>,
    first: ComponentIndex,
}

/// Gives columns to the archetype of a layout with what is added.
struct Giving<'a> {
    layout: &'a EntityLayout,
    added: Mask,
    columns: Vec<Column>,
    entities: Vec<Entity>,
}

macro_rules! source {
    ($source:ident) => {
        impl IntoComponentSource for $source<'_> {
            type Source = Self;
            fn into(self) -> Self {
                self
            }
        }

        impl ArchetypeSource for $source<'_> {
            type Filter = EntityLayout;
            fn filter(&self) -> EntityLayout {
                self.target()
            }
            fn layout(&mut self) -> EntityLayout {
                self.target()
            }
        }
    };
}

source!(Taking);
source!(Giving);

impl Taking<'_> {
    fn target(&self) -> EntityLayout {
        self.layout.clone()
    }
}

impl ComponentSource for Taking<'_> {
    fn push_components<'a>(&mut self, writer: &mut ArchetypeWriter<'a>, _: impl Iterator<Item = Entity>) {
        for (&component, &constructor) in self.layout.component_types().iter().zip(self.layout.component_constructors()) {
            let mut column = Column::new(component, constructor, self.first);
            let mut carrier = Carrier(Some(column.storage));
            writer.claim_components_unknown(component).move_archetype_from(HERE, &mut carrier);
            column.storage = carrier.0.take().expect("it was put there");
            self.columns.push(column);
        }
    }
}

impl Giving<'_> {
    fn target(&self) -> EntityLayout {
        let mut layout = self.layout.clone();
        if self.added.has(Mask::PREVIOUS_PARENT) {
            layout.register_component::<PreviousParent>();
        }
        if self.added.has(Mask::CHILDREN) {
            layout.register_component::<Children>();
        }
        layout
    }
}

impl ComponentSource for Giving<'_> {
    fn push_components<'a>(&mut self, writer: &mut ArchetypeWriter<'a>, _: impl Iterator<Item = Entity>) {
        let is_empty = writer.archetype().entities().is_empty();
        for mut column in self.columns.drain(..) {
            let mut target = writer.claim_components_unknown(column.component);
            if is_empty {
                target.move_archetype_from(HERE, &mut *column.storage);
            } else {
                let (start, len) = column.raw();
                // SAFETY: the column is of this component; its rows are moved, as it is forgotten.
                unsafe { target.extend_memcopy_raw(start, len) };
                column.forget();
            }
        }
        if self.added.has(Mask::PREVIOUS_PARENT) {
            push_default::<PreviousParent>(writer, self.entities.len());
        }
        if self.added.has(Mask::CHILDREN) {
            push_default::<Children>(writer, self.entities.len());
        }
        writer.reserve(self.entities.len());
        self.entities.iter().for_each(|&entity| writer.push(entity));
    }
}

fn push_default<T: Component + Default + Clone>(writer: &mut ArchetypeWriter<'_>, count: usize) {
    let mut column = vec![T::default(); count];
    // SAFETY: so many are there, and the vector forgets them.
    unsafe {
        writer.claim_components::<T>().extend_memcopy(column.as_ptr(), count);
        column.set_len(0);
    }
}
