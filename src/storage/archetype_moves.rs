//! Giving all entities of an archetype more components at once.
//!
//! Legion moves entities one by one, 300 to 2,000 ns each, as every column of the archetype that
//! they come to grows by exactly one row each time. It handles many rows at once only where
//! entities are spawned and where worlds are merged, and these calls suffice:
//!
//! ```text
//! move_from    takes the archetype into a world of its own: columns change owners, nothing is copied
//! extend       of nothing, into that world: a source of rows is lent the columns, and takes what is in them
//! extend       of the same entities, into the first world: a source of rows gives the columns to the other archetype
//! ```
//!
//! An archetype without rows takes a column over as it is; behind the rows of any other it is
//! copied. Subscribers see what they see of any move, but first that all entities leave, and then
//! that all come. A subscriber that panics costs those that are on the way.
#![allow(unsafe_code)]

mod column;

use std::cell::Cell;

use legion::{
    Entity, EntityStore, World,
    query::{FilterResult, LayoutFilter},
    storage::{
        ArchetypeSource, ArchetypeWriter, Component, ComponentIndex, ComponentSource,
        ComponentTypeId, EntityLayout, IntoComponentSource,
    },
};

use self::column::Column;
use super::{
    columns::{Columns, Row, archetypes, captured, locate},
    mask::Mask,
};
use crate::components::{Children, LocalToParent, LocalToWorld, PreviousParent};

/// How many columns Legion's writers can name.
const MOST_COLUMNS: usize = 128;

/// Whether [`add_components`] can move an archetype, whatever it adds. Legion aborts where a writer
/// names too many columns, and from columns of different lengths no rows can be taken.
pub(crate) fn can_move(columns: &Columns<'_>, archetype: u32) -> bool {
    let layout = columns.archetypes()[archetype as usize].layout();
    layout.component_types().len() + 4 <= MOST_COLUMNS && columns.is_whole(archetype)
}

/// Gives each entity of an archetype what is added for its row: `LocalToWorld`, `LocalToParent`,
/// `PreviousParent` and `Children`, or some of them, as they are by default. Returns where each is
/// then.
///
/// # Panics
/// If an entity of the archetype has what it gets or stands in a second row, or if the archetype
/// [cannot be moved](can_move).
pub(crate) fn add_components(world: &mut World, archetype: u32, added: &[Mask]) -> Vec<Row> {
    let source = &archetypes(world)[archetype as usize];
    let layout = EntityLayout::clone(source.layout());
    let mut entities: Vec<Entity> = Vec::with_capacity(source.entities().len());
    entities.extend(source.entities().iter().copied());
    assert_eq!(added.len(), entities.len(), "each row is told of");
    let Some(&first) = entities.first() else { return Vec::new() };
    let mut aside = World::default();
    aside.move_from(world, &Nth { number: archetype, seen: Cell::new(0) });
    // Asked there, as a component that panics when it is dropped makes Legion lose rows: they are
    // all set anew by the move.
    let first = aside.entry_ref(first).expect("it was moved there").location().component();
    assert_eq!(captured(&first), 0, "each entity stands in one row");
    let mut columns = Vec::new();
    aside.extend(Taking { layout: &layout, columns: &mut columns, first });
    drop(aside);
    let mut arrived = vec![Row { archetype, row: 0 }; added.len()];
    for Part { added, rows, columns } in split(columns, added) {
        let entities: Vec<Entity> = rows.iter().map(|&row| entities[row as usize]).collect();
        let first = entities[0];
        world.extend(Giving { layout: &layout, added, columns, entities });
        let first = locate(world, archetypes(world), first).expect("it was just inserted");
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
            // SAFETY: every row is in one part, and the column is forgotten below. No code of
            // others runs in between.
            part.columns.push(unsafe { column.part(&part.rows) });
        }
        column.forget();
    }
    parts
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

/// Runs an expression with the type of every component that is added.
macro_rules! for_each_added {
    ($added:expr, $type:ident => $run:expr) => {
        for_each_added!(@ $added, $type => $run; LOCAL_TO_WORLD LocalToWorld, LOCAL_TO_PARENT LocalToParent,
            PREVIOUS_PARENT PreviousParent, CHILDREN Children)
    };
    (@ $added:expr, $type:ident => $run:expr; $($bit:ident $component:ident),*) => {$(
        if $added.has(Mask::$bit) {
            type $type = $component;
            $run;
        }
    )*};
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
    fn push_components<'a>(
        &mut self,
        writer: &mut ArchetypeWriter<'a>,
        _: impl Iterator<Item = Entity>,
    ) {
        for (&component, &constructor) in
            self.layout.component_types().iter().zip(self.layout.component_constructors())
        {
            self.columns.push(Column::take(writer, component, constructor, self.first));
        }
    }
}

impl Giving<'_> {
    fn target(&self) -> EntityLayout {
        let mut layout = self.layout.clone();
        for_each_added!(self.added, T => layout.register_component::<T>());
        layout
    }
}

impl ComponentSource for Giving<'_> {
    fn push_components<'a>(
        &mut self,
        writer: &mut ArchetypeWriter<'a>,
        _: impl Iterator<Item = Entity>,
    ) {
        let has_rows = !writer.archetype().entities().is_empty();
        self.columns.drain(..).for_each(|column| column.give(writer, has_rows));
        for_each_added!(self.added, T => push_default::<T>(writer, self.entities.len()));
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
