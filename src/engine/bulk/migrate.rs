//! Giving all entities of an archetype more components at once, by two calls that handle many rows:
//! `extend`, which spawns entities, and `move_from`, which merges worlds. Here 100 entities get
//! `Children`, and move from archetype 7 to 9:
//!
//! ```text
//!             world                          aside, another world       loose columns
//!  make       archetype 9 is there
//!  move_from  archetype 7: no rows           archetype 0: 100 rows
//!  take                                      archetype 0: no columns    one a component
//!  extend     archetype 9: 100 rows more                                none
//! ```
//!
//! An archetype without rows takes over the memory of a column; others copy it. Subscribers see all
//! entities leave, then all come.
//!
//! # A subscriber that panics
//!
//! It costs no entity. Legion calls subscribers at three moments:
//!
//! 1. While archetypes are made: nothing is on its way yet.
//! 2. While entities leave (`move_from`). Their columns are aside by then. But Legion's table still
//!    has their old places: "archetype 7, row 3". `extend` sets the new places of all, then removes
//!    the rows at the old ones, and panics: archetype 7 has no rows. This second panic is too late
//!    to do harm, and is forgotten.
//! 3. While entities come. They are in by then, so each panic is caught and the next entity comes.
//!
//! The user's first panic goes on when all entities are back in the world.

use std::{cell::Cell, sync::LazyLock};

use legion::{
    Entity, EntityStore, World,
    query::{FilterResult, LayoutFilter},
    storage::{ArchetypeWriter, Component, ComponentIndex, ComponentTypeId, EntityLayout},
    world::Entry,
};

use crate::{
    components::*,
    engine::{
        parallel,
        storage::{
            Archetypes, Columns, LooseColumn, Mask, NewValues, RowSource, TransformComponent,
        },
    },
};

/// So many new values of a component.
type Values = fn(usize) -> Box<dyn NewValues>;

fn values<T: Component + Default + Clone>(count: usize) -> Box<dyn NewValues> {
    Box::new(vec![T::default(); count])
}

/// A component that a row may get, and its column.
type AddedComponent = (Mask, fn() -> NewColumn);

const fn added<T: TransformComponent + Default + Clone>() -> AddedComponent {
    (T::MASK, NewColumn::of::<T>)
}

/// The components that a row may get.
const ADDED: [AddedComponent; 8] = [
    added::<LocalToWorld>(),
    added::<LocalToParent>(),
    added::<PreviousParent>(),
    added::<Children>(),
    added::<Rotation>(),
    added::<PostRotation>(),
    added::<CompositeRotation>(),
    added::<CompositeScale>(),
];

/// A column that is new: each entity of an archetype gets the default value. `Effective` of a
/// property, or what [spawned inputs](crate::spawn) need.
#[derive(Clone, Copy)]
pub(crate) struct NewColumn {
    pub component: ComponentTypeId,
    pub register: fn(&mut EntityLayout),
    /// So many values.
    pub values: Values,
    give: fn(&mut Entry<'_>),
}

impl NewColumn {
    pub fn of<T: Component + Default + Clone>() -> Self {
        Self {
            component: ComponentTypeId::of::<T>(),
            register: EntityLayout::register_component::<T>,
            values: values::<T>,
            give: |entry| entry.add_component(T::default()),
        }
    }

    /// The columns of these components.
    pub fn all(components: Mask) -> impl Iterator<Item = Self> {
        ADDED.iter().filter(move |(it, _)| components.has(*it)).map(|(_, column)| column())
    }

    /// Those that new entities with these components lack. None where an archetype would have too
    /// many columns.
    pub fn lacking(all: &[Self], present: &[ComponentTypeId]) -> Vec<Self> {
        let lacking = all.iter().filter(|it| !present.contains(&it.component)).copied();
        let lacking: Vec<Self> = lacking.collect();
        if present.len() + lacking.len() > MOST_COLUMNS { Vec::new() } else { lacking }
    }

    /// Gives an entity the default value, if it has none.
    pub fn give(&self, entry: &mut Entry<'_>) {
        if self.lacks(entry.archetype().layout()) {
            (self.give)(entry);
        }
    }

    /// Whether entities of a layout do not have it.
    pub fn lacks(&self, layout: &EntityLayout) -> bool {
        !layout.has_component_by_id(self.component)
    }
}

/// How many columns one of Legion's writers can name.
const MOST_COLUMNS: usize = 128;

impl parallel::Panics {
    /// Names the entities of new rows. Legion sends an event for each, after it is in: behind a
    /// panic the next one follows.
    pub fn push_all(
        &mut self,
        writer: &mut ArchetypeWriter<'_>,
        entities: &mut dyn Iterator<Item = Entity>,
    ) {
        let mut is_done = false;
        while !is_done {
            self.catch(|| {
                (&mut *entities).for_each(|entity| writer.push(entity));
                is_done = true;
            });
        }
    }
}

/// Entities that migrate from one archetype to another: they get the same components.
#[derive(Default)]
pub(crate) struct Migration {
    pub added: Mask,
    /// Their rows, ascending.
    pub rows: Vec<u32>,
    pub entities: Vec<Entity>,
    /// Values of what they get; all else gets the default.
    pub values: Vec<Box<dyn NewValues>>,
    /// The layout that they come to.
    pub(super) layout: EntityLayout,
}

impl Migration {
    /// The migrations of all rows of an archetype by what they get: of `[C, none, C]`, rows 0 and
    /// 2, and row 1.
    pub fn all(entities: &[Entity], added: &[Mask]) -> Vec<Self> {
        let mut migrations: Vec<Self> = Vec::new();
        for ((row, &added), &entity) in (0..).zip(added).zip(entities) {
            let known = migrations.iter_mut().position(|migration| migration.added == added);
            let index = known.unwrap_or_else(|| {
                migrations.push(Self { added, ..Self::default() });
                migrations.len() - 1
            });
            migrations[index].rows.push(row);
            migrations[index].entities.push(entity);
        }
        migrations
    }

    /// Whether an archetype [can migrate](Self::carry_out), even with all of [`ADDED`] and this
    /// many values of properties added. Legion aborts if a writer names more than 128 columns, and
    /// columns must have equal lengths.
    pub fn is_possible(columns: &Columns<'_>, archetype: u32, effective: usize) -> bool {
        let layout = columns.archetypes()[archetype as usize].layout();
        layout.component_types().len() + ADDED.len() + effective <= MOST_COLUMNS
            && columns.is_whole(archetype)
    }

    /// Gives the entities of an archetype what their migrations say, which are of all of its rows;
    /// and those that have or get `LocalToWorld` the values of `effective` that they lack.
    ///
    /// # Panics
    /// - If an entity has a component already that it gets, if an entity stands in two rows, or if
    ///   the migration is not [possible](Self::is_possible).
    /// - If a user's subscriber panics. All entities are in the world then. Some that were to stay
    ///   as they are may have got components, too.
    pub fn carry_out(
        world: &mut World,
        archetype: u32,
        mut migrations: Vec<Self>,
        effective: &[NewColumn],
    ) {
        let layout = EntityLayout::clone(Archetypes::of(world).list[archetype as usize].layout());
        for migration in &mut migrations {
            // The user's code makes some of these values. If it panics, nothing is on its way yet.
            migration.complete(&layout, effective);
            // Makes sure that there is an archetype of this layout.
            let layout = &migration.layout;
            world.extend(RowSource::of(layout, |it| claim_all(it, layout.component_types())));
        }
        let mut panics = parallel::Panics::default();
        let mut aside = World::default();
        panics.catch(|| aside.move_from(world, &numbered(archetype)));
        let columns = take_columns(&mut aside, 0, &layout);
        if panics.any() {
            // Legion's table may still have all entities in this archetype. If some came back to
            // it, `extend` would find rows at their old places and remove those. So all have to
            // leave.
            let fallback = migrations.iter().map(|it| it.added).find(|&added| added != Mask::NONE);
            // Values of the user's are not made any more: those that have them have all.
            let effective =
                if Mask::of(&layout).has(Mask::LOCAL_TO_WORLD) { effective } else { &[] };
            for staying in migrations.iter_mut().filter(|it| it.added == Mask::NONE) {
                staying.added = fallback.unwrap_or(Mask::NONE);
                staying.complete(&layout, effective);
            }
        }
        let rows: Vec<&[u32]> = migrations.iter().map(|migration| &migration.rows[..]).collect();
        let columns = LooseColumn::split(columns, &rows);
        for (migration, columns) in migrations.into_iter().zip(columns) {
            give_rows(world, migration, columns, &mut panics);
        }
        panics.go_on();
    }

    /// Makes the layout and the values that it has not, from the layout that its entities leave.
    pub(super) fn complete(&mut self, layout: &EntityLayout, effective: &[NewColumn]) {
        let has_world = (Mask::of(layout) | self.added).has(Mask::LOCAL_TO_WORLD);
        let effective = effective.iter().filter(|it| has_world && it.lacks(layout));
        self.layout = layout.clone();
        for column in NewColumn::all(self.added).chain(effective.copied()) {
            (column.register)(&mut self.layout);
            if !self.values.iter().any(|it| it.component() == column.component) {
                self.values.push((column.values)(self.entities.len()));
            }
        }
    }
}

/// Takes the columns of an archetype with this layout. Its entities stay there without components.
pub(super) fn take_columns(
    world: &mut World,
    archetype: u32,
    layout: &EntityLayout,
) -> Vec<LooseColumn> {
    let (mut columns, first) = (Vec::new(), row_0());
    let write = |writer: &mut ArchetypeWriter<'_>| {
        let types = layout.component_types().iter();
        for (&component, &constructor) in types.zip(layout.component_constructors()) {
            columns.push(LooseColumn::take(writer, component, constructor, first));
        }
    };
    let (filter, layout) = (|| numbered(archetype), || layout.clone());
    world.extend(RowSource { filter, layout, write });
    columns
}

/// Inserts the entities of a complete migration, with their columns.
pub(super) fn give_rows(
    world: &mut World,
    Migration { entities, mut values, layout, .. }: Migration,
    mut columns: Vec<LooseColumn>,
    panics: &mut parallel::Panics,
) {
    let are_places_left = panics.any();
    let write = |writer: &mut ArchetypeWriter<'_>| {
        let has_rows = !writer.archetype().entities().is_empty();
        columns.drain(..).for_each(|column| column.give(writer, has_rows));
        let count = entities.len();
        values.drain(..).for_each(|values| values.claim(writer, count)(count));
        writer.reserve(count);
        panics.push_all(writer, &mut entities.iter().copied());
    };
    let source = RowSource::of(&layout, write);
    if are_places_left {
        // Panics when all entities are in: there is no row at their old places.
        parallel::Panics::default().catch(|| world.extend(source).len());
    } else {
        world.extend(source);
    }
}

/// Matches the archetype with a number. Legion asks about each archetype, in order, so it counts
/// how often it was asked.
pub(super) struct Numbered {
    number: u32,
    asked: Cell<u32>,
}

/// The archetype with a number.
pub(super) fn numbered(number: u32) -> Numbered {
    Numbered { number, asked: Cell::new(0) }
}

impl LayoutFilter for Numbered {
    fn matches_layout(&self, _: &[ComponentTypeId]) -> FilterResult {
        FilterResult::Match(self.asked.replace(self.asked.get() + 1) == self.number)
    }
}

/// The index of row 0: only Legion can make one, so an entity is pushed to read it, once.
pub(super) fn row_0() -> ComponentIndex {
    static ROW_0: LazyLock<ComponentIndex> = LazyLock::new(|| {
        let mut world = World::default();
        let entity = world.push((LocalToWorld::identity(),));
        world.entry_ref(entity).expect("it was just pushed").location().component()
    });
    *ROW_0
}

/// Claims columns without writing them: Legion aborts if a writer leaves one unclaimed.
pub(super) fn claim_all(writer: &mut ArchetypeWriter<'_>, types: &[ComponentTypeId]) {
    for &component in types {
        let _ = writer.claim_components_unknown(component);
    }
}
