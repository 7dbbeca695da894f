//! Giving all entities of an archetype more components at once.
//!
//! Legion moves entities one by one, 300 to 2,000 ns each, as every column of the archetype that
//! they come to grows by exactly one row each time. It handles many rows at once only where
//! entities are spawned and where worlds are merged, and these calls suffice:
//!
//! ```text
//!            world                         aside                      loose columns
//!  make      archetype 7 + Children, empty
//!  move_from archetype 7: no rows          archetype 0: 100 rows
//!  take                                    archetype 0: no columns    one storage a column
//!  give      archetype 9: 100 rows more                               none
//! ```
//!
//! An archetype without rows takes a column over as it is; behind the rows of any other it is
//! copied. Subscribers see what they see of any move, but first that all entities leave, and then
//! that all come.
//!
//! **A subscriber that panics** costs no entity. Legion calls subscribers at three places:
//!
//! - while archetypes are made: nothing is on its way yet;
//! - while entities leave (`move_from`): their columns are aside by then, and the panic is kept
//!   until they are back. Legion's table still has their old places, in an archetype without rows.
//!   `extend` overwrites these places and panics when it looks for the old rows; that panic says
//!   nothing new and is dropped;
//! - while entities come: each panic is caught, as Legion tells of an entity after it is in.
//!
//! The first panic goes on when all entities are back in the world.

use std::{
    any::Any,
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use legion::{
    Entity, EntityStore, World,
    query::{FilterResult, LayoutFilter},
    storage::{
        ArchetypeSource, ArchetypeWriter, ComponentIndex, ComponentSource, ComponentTypeId,
        EntityLayout, IntoComponentSource,
    },
};

use crate::{
    components::{Children, LocalToParent, LocalToWorld, PreviousParent},
    storage::{Archetypes, Columns, LooseColumn, Mask, Row},
};

/// Runs an expression with the type of every component that is added.
macro_rules! for_each_added {
    ($added:expr, $type:ident => $run:expr) => {
        for_each_added!(@ $added, $type => $run;
            LOCAL_TO_WORLD LocalToWorld, LOCAL_TO_PARENT LocalToParent,
            PREVIOUS_PARENT PreviousParent, CHILDREN Children)
    };
    (@ $added:expr, $type:ident => $run:expr; $($bit:ident $component:ident),*) => {$(
        if $added.has(Mask::$bit) {
            type $type = $component;
            $run;
        }
    )*};
}

/// How many columns Legion's writers can name.
const MOST_COLUMNS: usize = 128;

/// Whether [`add_components`] can move an archetype, whatever it adds. Legion aborts where a writer
/// names too many columns, and from columns of different lengths no rows can be taken.
pub(super) fn can_move(columns: &Columns<'_>, archetype: u32) -> bool {
    let layout = columns.archetypes()[archetype as usize].layout();
    layout.component_types().len() + 4 <= MOST_COLUMNS && columns.is_whole(archetype)
}

/// Gives each entity of an archetype what is added for its row, with default values:
/// `LocalToWorld`, `LocalToParent`, `PreviousParent` and `Children`, or some of them. Returns where
/// each is then.
///
/// # Panics
/// If an entity of the archetype has what it gets, if an entity stands in two rows, or if the
/// archetype [cannot be moved](can_move). If a subscriber of the user's panics; all entities are in
/// the world then, and some may have got more than was asked.
pub(crate) fn add_components(world: &mut World, archetype: u32, added: &[Mask]) -> Vec<Row> {
    let source = &Archetypes::of(world).list[archetype as usize];
    let layout = EntityLayout::clone(source.layout());
    let mut entities: Vec<Entity> = Vec::with_capacity(source.entities().len());
    entities.extend(source.entities().iter().copied());
    assert_eq!(added.len(), entities.len(), "each row is told of");
    let mut parts = parts(&entities, added);
    for part in &parts {
        make_archetype(world, part.layout(&layout));
    }
    let mut panics = Panics::default();
    let columns = take_rows(world, archetype, &layout, &mut panics);
    if panics.any() {
        // No row may go back to where Legion's table still has it.
        let fallback = parts.iter().map(|part| part.added).find(|&added| added != Mask::NONE);
        parts.iter_mut().for_each(|part| part.fall_back(fallback.expect("something is added")));
    }
    let rows: Vec<&[u32]> = parts.iter().map(|part| &part.rows[..]).collect();
    let columns = LooseColumn::split(columns, &rows);
    let mut arrived = vec![Row { archetype, row: 0 }; added.len()];
    for (part, columns) in parts.iter().zip(columns) {
        let first = give_rows(world, part, columns, &layout, &mut panics);
        for (&row, to) in part.rows.iter().zip(first.row..) {
            arrived[row as usize] = Row { archetype: first.archetype, row: to };
        }
    }
    panics.go_on();
    arrived
}

/// The first panic of a subscriber.
#[derive(Default)]
pub(super) struct Panics(Option<Box<dyn Any + Send>>);

impl Panics {
    pub fn catch(&mut self, call: impl FnOnce()) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(call)) {
            self.0.get_or_insert(payload);
        }
    }

    pub fn any(&self) -> bool {
        self.0.is_some()
    }

    fn go_on(self) {
        if let Some(payload) = self.0 {
            resume_unwind(payload);
        }
    }
}

/// The entities that get the same.
pub(super) struct Part {
    pub added: Mask,
    /// Ascending.
    pub rows: Vec<u32>,
    pub entities: Vec<Entity>,
}

impl Part {
    /// The layout that its entities get.
    fn layout(&self, layout: &EntityLayout) -> EntityLayout {
        let mut layout = layout.clone();
        for_each_added!(self.added, T => layout.register_component::<T>());
        layout
    }

    fn fall_back(&mut self, added: Mask) {
        if self.added == Mask::NONE {
            self.added = added;
        }
    }
}

/// Rows by what they get.
fn parts(entities: &[Entity], added: &[Mask]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for ((row, &added), &entity) in (0..).zip(added).zip(entities) {
        let known = parts.iter_mut().position(|part| part.added == added);
        let index = known.unwrap_or_else(|| {
            parts.push(Part { added, rows: Vec::new(), entities: Vec::new() });
            parts.len() - 1
        });
        parts[index].rows.push(row);
        parts[index].entities.push(entity);
    }
    parts
}

/// Makes an archetype without rows, if there is none of this layout.
fn make_archetype(world: &mut World, layout: EntityLayout) {
    let types = layout.component_types().to_vec();
    let claim = |writer: &mut ArchetypeWriter<'_>| claim_all(writer, &types);
    world.extend(Source::new(Target::OfLayout(layout), claim));
}

/// Legion aborts where a writer leaves a column unclaimed.
pub(super) fn claim_all(writer: &mut ArchetypeWriter<'_>, types: &[ComponentTypeId]) {
    for &component in types {
        let _ = writer.claim_components_unknown(component);
    }
}

/// Takes all entities out of an archetype. Returns its columns.
fn take_rows(
    world: &mut World,
    archetype: u32,
    layout: &EntityLayout,
    panics: &mut Panics,
) -> Vec<LooseColumn> {
    let mut aside = World::default();
    panics.catch(|| aside.move_from(world, &Target::numbered(archetype)));
    take_columns(&mut aside, Target::OfLayout(layout.clone()), layout)
}

/// Takes the columns of an archetype. Its entities stay there without components.
pub(super) fn take_columns(
    world: &mut World,
    target: Target,
    layout: &EntityLayout,
) -> Vec<LooseColumn> {
    let (mut columns, first) = (Vec::new(), row_0());
    world.extend(Source::new(target, |writer: &mut ArchetypeWriter<'_>| {
        let types = layout.component_types().iter();
        for (&component, &constructor) in types.zip(layout.component_constructors()) {
            columns.push(LooseColumn::take(writer, component, constructor, first));
        }
    }));
    columns
}

/// Inserts the entities of a part with their columns and what is added. Returns where the first is;
/// the others follow.
pub(super) fn give_rows(
    world: &mut World,
    part: &Part,
    mut columns: Vec<LooseColumn>,
    layout: &EntityLayout,
    panics: &mut Panics,
) -> Row {
    let are_places_left = panics.any();
    let write = |writer: &mut ArchetypeWriter<'_>| {
        let has_rows = !writer.archetype().entities().is_empty();
        columns.drain(..).for_each(|column| column.give(writer, has_rows));
        let count = part.entities.len();
        for_each_added!(part.added, T => LooseColumn::push_default::<T>(writer, count));
        writer.reserve(count);
        part.entities.iter().for_each(|&entity| panics.catch(|| writer.push(entity)));
    };
    let source = Source::new(Target::OfLayout(part.layout(layout)), write);
    if are_places_left {
        // Panics after all are in, as no row is left at the places that Legion's table had.
        let _ = catch_unwind(AssertUnwindSafe(|| world.extend(source).len()));
    } else {
        world.extend(source);
    }
    Archetypes::of(world).locate(part.entities[0]).expect("it was just inserted")
}

/// Which archetype a source of rows is for.
pub(super) enum Target {
    /// The first of a layout, or a new one.
    OfLayout(EntityLayout),
    /// The one with a number. Legion asks about each, in order.
    Numbered { number: u32, seen: Cell<u32> },
}

impl Target {
    pub fn numbered(number: u32) -> Self {
        Self::Numbered { number, seen: Cell::new(0) }
    }
}

impl LayoutFilter for Target {
    fn matches_layout(&self, components: &[ComponentTypeId]) -> FilterResult {
        match self {
            Self::OfLayout(layout) => layout.matches_layout(components),
            Self::Numbered { number, seen } => {
                FilterResult::Match(seen.replace(seen.get() + 1) == *number)
            }
        }
    }
}

/// The index of a row 0, which only Legion can make.
fn row_0() -> ComponentIndex {
    let mut world = World::default();
    let entity = world.push(((),));
    world.entry_ref(entity).expect("it was just pushed").location().component()
}

/// A source of rows for one archetype, which `write` fills.
pub(super) struct Source<F> {
    target: Target,
    write: F,
}

impl<F: FnMut(&mut ArchetypeWriter<'_>)> Source<F> {
    pub fn new(target: Target, write: F) -> Self {
        Self { target, write }
    }
}

impl<F: FnMut(&mut ArchetypeWriter<'_>)> ArchetypeSource for Source<F> {
    type Filter = Target;
    fn filter(&self) -> Target {
        match &self.target {
            Target::OfLayout(layout) => Target::OfLayout(layout.clone()),
            Target::Numbered { number, .. } => Target::numbered(*number),
        }
    }
    fn layout(&mut self) -> EntityLayout {
        match &self.target {
            Target::OfLayout(layout) => layout.clone(),
            Target::Numbered { .. } => unreachable!("an archetype with this number is there"),
        }
    }
}

impl<F: FnMut(&mut ArchetypeWriter<'_>)> ComponentSource for Source<F> {
    fn push_components<'a>(
        &mut self,
        writer: &mut ArchetypeWriter<'a>,
        _: impl Iterator<Item = Entity>,
    ) {
        (self.write)(writer);
    }
}

impl<F: FnMut(&mut ArchetypeWriter<'_>)> IntoComponentSource for Source<F> {
    type Source = Self;
    fn into(self) -> Self {
        self
    }
}
