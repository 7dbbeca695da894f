//! Gives entities what they lack, and takes away what they must not have, behind a pass.
//!
//! The phases only record it, without values. These are made from the forest when all is recorded,
//! before anything moves. 1,000 skeletons were spawned with `Parent`, `LocalToParent` and
//! `LocalToWorld`, 60 bones each, in archetype 4, below 1,000 roots in archetype 2:
//!
//! ```text
//!  recorded    4:0 gets PreviousParent, Children     4:1 gets PreviousParent     2:7 gets Children
//!
//!  archetype   rows      get something    they go
//!  4           60,000    60,000           at once: the whole archetype, to archetypes 5 and 6
//!  2           3,000     1,000            one by one, to archetype 3
//! ```
//!
//! With `insert_missing`, all rows of an archetype get what is [missing]. Archetypes with many
//! components go first, as others may come to them.
//!
//! [missing]: crate::engine::storage::Meaning::missing

use std::cmp::Reverse;

use legion::{Entity, World, world::Entry};

use super::super::{Hierarchy, diff::ForestLists};
use crate::{
    components::{Children, LocalToParent, LocalToWorld, Parent, PreviousParent},
    engine::{
        bulk::{Migration, NewColumn, guard},
        forest::NONE,
        machine::{Accelerator, Machine},
        storage::{ChangeTracker, Columns, Mask, Row, TransformComponent},
    },
};

/// An archetype migrates as a whole if at least so many of its entities get something, and half of
/// them; or if all get matrices or values of properties.
const MANY: usize = 64;

/// What one entity gets and loses.
#[derive(Clone, Copy)]
struct Command {
    row: Row,
    gives: Mask,
    takes: Mask,
}

/// The commands of a pass.
#[derive(Default)]
pub(crate) struct Commands(Vec<Command>);

impl Commands {
    /// The entity at a row gets these components, as far as it loses none of them.
    pub fn give(&mut self, row: Row, gives: Mask) {
        self.0.push(Command { row, gives, takes: Mask::NONE });
    }

    /// The entity at a row loses these, as far as it has them.
    pub fn take(&mut self, row: Row, takes: Mask) {
        self.0.push(Command { row, gives: Mask::NONE, takes });
    }

    /// One command for each row, in the order of the rows: entities that come to one archetype
    /// stand there in this order. The order of recording would not do. It depends on the columns
    /// that count as written, and so on other worlds: all worlds share the counter of versions.
    fn by_row(mut self) -> Vec<Command> {
        self.0.sort_by_key(|command| command.row);
        self.0.dedup_by(|next, last| {
            let is_same = next.row == last.row;
            if is_same {
                (last.gives, last.takes) = (last.gives | next.gives, last.takes | next.takes);
            }
            is_same
        });
        self.0.iter_mut().for_each(|it| it.gives = it.gives.without(it.takes));
        self.0
    }
}

/// An entity that migrates alone, with values for what it gets.
struct Single {
    entity: Entity,
    /// Where it is, unless it has come to another archetype with all others.
    archetype: Option<u32>,
    gives: Mask,
    takes: Mask,
    previous: PreviousParent,
    children: Children,
}

/// All that is to be done, with values.
#[derive(Default)]
struct Plan {
    /// Archetypes that migrate as a whole: they come first, those with most components before.
    wholes: Vec<(u32, Vec<Migration>)>,
    /// Entities that migrate one by one, in the order of their rows.
    singles: Vec<Single>,
    /// Archetypes whose rows the look that follows will not follow, or not as cheaply.
    unseen: Vec<u32>,
}

impl Hierarchy {
    /// Carries out the commands of a pass, and gives all entities what they lack besides. Returns
    /// whether any has migrated: then a look follows, and [`place_nodes`](Self::place_nodes).
    ///
    /// # Panics
    /// If a subscriber of the user's does. Before the panic goes on, all entities that were on
    /// their way between two archetypes are back.
    pub fn give(
        &mut self,
        world: &mut World,
        tracker: &ChangeTracker,
        machine: &Machine,
        mut commands: Commands,
    ) -> bool {
        let columns = &Columns::new(world);
        let giver = Giver { hierarchy: self, columns, tracker, machine };
        giver.add_lacking(&mut commands);
        let Plan { wholes, singles, unseen } = giver.plan(commands);
        self.lift_nodes(columns, &unseen);
        let effective = &self.options.effective;
        let mut any = !wholes.is_empty();
        for (archetype, migrations) in wholes {
            Migration::carry_out(world, archetype, migrations, effective);
        }
        let entities: Vec<Entity> = singles.iter().map(|single| single.entity).collect();
        guard(world, &entities, |world| {
            for single in singles {
                let Some(mut entry) = world.entry(single.entity) else { continue };
                let from = entry.location().archetype();
                // A row that Legion does not find by its entity's id is left alone.
                if single.archetype.is_none_or(|archetype| archetype == from.0) {
                    single.carry_out(&mut entry, effective);
                    any |= entry.location().archetype() != from;
                }
            }
        });
        any
    }

    /// The nodes of these archetypes lose their rows.
    fn lift_nodes(&mut self, columns: &Columns<'_>, archetypes: &[u32]) {
        for &archetype in archetypes {
            let has_nodes = !self.forest.slots(archetype).is_empty();
            let entities = columns.entities(archetype).iter().take_while(|_| has_nodes);
            for (row, &entity) in (0..).zip(entities) {
                let slot = self.forest.take_row(Row { archetype, row });
                self.lifted.extend((slot != NONE).then_some((entity, slot)));
            }
        }
    }

    /// Call after the look that follows: nodes that have lost their rows get those of now.
    pub fn place_nodes(&mut self, tracker: &ChangeTracker) {
        let mut locate = tracker.locator();
        for (entity, slot) in self.lifted.drain(..) {
            let is_free = locate(entity).is_some_and(|row| self.forest.set_row(slot, row));
            debug_assert!(is_free, "an entity that migrated is in a row of its own");
        }
    }
}

/// Decides who gets what, before anything moves.
struct Giver<'a, 'w> {
    hierarchy: &'a Hierarchy,
    columns: &'a Columns<'w>,
    tracker: &'a ChangeTracker,
    machine: &'a Machine,
}

impl Giver<'_, '_> {
    /// Whether all entities of an archetype lack something: matrices or what makes their inputs
    /// count; or values of properties, beside `LocalToWorld`.
    fn all_lack(&self, archetype: u32) -> bool {
        let (sheet, options) = (&self.tracker[archetype], &self.hierarchy.options);
        let layout = self.columns.archetypes()[archetype as usize].layout();
        options.inserts_missing && sheet.meaning.missing != Mask::NONE
            || sheet.mask.has(Mask::LOCAL_TO_WORLD)
                && options.effective.iter().any(|it| it.lacks(layout))
    }

    /// Adds what all entities of archetypes get. Those that stood there at the end of the last run
    /// have their values.
    fn add_lacking(&self, commands: &mut Commands) {
        let inserts = self.hierarchy.options.inserts_missing;
        for archetype in self.tracker.touched().filter(|at| self.all_lack(*at)) {
            let missing = self.tracker[archetype].meaning.missing;
            let gives = if inserts { missing } else { Mask::NONE };
            let rows = 0..self.columns.entities(archetype).len() as u32;
            rows.for_each(|row| commands.give(Row { archetype, row }, gives));
        }
    }

    /// Decides who migrates alone, and makes all values.
    fn plan(&self, commands: Commands) -> Plan {
        let mut plan = Plan::default();
        for commands in commands.by_row().chunk_by(|a, b| a.row.archetype == b.row.archetype) {
            let archetype = commands[0].row.archetype;
            let is_whole = self.is_whole(archetype, commands);
            if is_whole {
                plan.wholes.push((archetype, self.migrations(archetype, commands)));
            }
            let alone = commands.iter().filter(|it| !is_whole || it.takes != Mask::NONE);
            plan.singles.extend(alone.map(|command| self.single(*command, is_whole)));
            let is_unseen = is_whole || self.tracker[archetype].mask == Mask::NONE;
            plan.unseen.extend(is_unseen.then_some(archetype));
        }
        let layout = |at: u32| self.columns.archetypes()[at as usize].layout();
        plan.wholes.sort_by_key(|it| Reverse(layout(it.0).component_types().len()));
        plan
    }

    /// Whether an archetype migrates as a whole, with these commands.
    fn is_whole(&self, archetype: u32, commands: &[Command]) -> bool {
        let count = commands.iter().filter(|it| it.gives != Mask::NONE).count();
        let are_many = count >= MANY && count * 2 >= self.columns.entities(archetype).len();
        // Rows that Legion's table lacks are found again only where a whole archetype migrates.
        (self.machine.uses(Accelerator::Bulk) || self.tracker.has_unplaced())
            && (are_many || self.all_lack(archetype))
            && Migration::is_possible(
                self.columns,
                archetype,
                self.hierarchy.options.effective.len(),
            )
    }

    /// What an entity gets and loses alone, perhaps behind its archetype.
    fn single(&self, Command { row, gives, takes }: Command, is_behind: bool) -> Single {
        let can_get = match is_behind {
            true => Mask::NONE,
            false if self.columns.is_placed(row) => gives,
            // In the pass it did not count as if it had matrices.
            false => gives & Mask::RELATIONS,
        };
        let children = can_get.has(Mask::CHILDREN).then(|| self.children(row));
        Single {
            entity: self.columns.entity(row),
            archetype: (!is_behind).then_some(row.archetype),
            gives: can_get,
            takes,
            previous: self.previous(row),
            children: children.unwrap_or_default(),
        }
    }

    /// The migrations of a whole archetype.
    fn migrations(&self, archetype: u32, commands: &[Command]) -> Vec<Migration> {
        let entities = self.columns.entities(archetype);
        let mut added = vec![Mask::NONE; entities.len()];
        commands.iter().for_each(|it| added[it.row.row as usize] = it.gives);
        let mut migrations = Migration::all(entities, &added);
        for Migration { added, rows, values, .. } in &mut migrations {
            let rows = || rows.iter().map(|&row| Row { archetype, row });
            if added.has(Mask::PREVIOUS_PARENT) {
                let previous = rows().map(|row| self.previous(row));
                values.push(Box::new(previous.collect::<Vec<PreviousParent>>()));
            }
            if added.has(Mask::CHILDREN) {
                let children = rows().map(|row| self.children(row));
                values.push(Box::new(children.collect::<Vec<Children>>()));
            }
        }
        migrations
    }

    /// The forest's lists, and the slot of the node at a row.
    fn node(&self, row: Row) -> Option<(ForestLists<'_>, u32)> {
        let (forest, archetypes) = (&self.hierarchy.forest, self.columns.archetypes());
        let slot = forest.slot(row);
        (slot != NONE).then_some((ForestLists { forest, archetypes }, slot))
    }

    /// The record of the entity at a row.
    fn previous(&self, row: Row) -> PreviousParent {
        let parent = |(lists, slot): (ForestLists<'_>, u32)| {
            lists.entity(lists.forest.row(lists.forest.parent(slot)?))
        };
        PreviousParent(self.node(row).and_then(parent))
    }

    /// The children of the entity at a row.
    fn children(&self, row: Row) -> Children {
        self.node(row).map(|(lists, slot)| lists.children(slot).collect()).unwrap_or_default()
    }
}

impl Single {
    /// Migrates the entity. Removing a component that is not there does nothing.
    fn carry_out(self, entry: &mut Entry<'_>, effective: &[NewColumn]) {
        if self.gives.has(Mask::PREVIOUS_PARENT) {
            entry.add_component(self.previous);
        }
        if self.gives.has(Mask::CHILDREN) {
            entry.add_component(self.children);
        }
        NewColumn::all(self.gives).for_each(|it| it.give(entry));
        if entry.archetype().layout().has_component::<LocalToWorld>() {
            effective.iter().for_each(|it| it.give(entry));
        }
        take::<LocalToParent>(entry, self.takes);
        take::<Parent>(entry, self.takes);
        // The record last: if a subscriber panics before that, the next run finds it again.
        take::<PreviousParent>(entry, self.takes);
        take::<Children>(entry, self.takes);
    }
}

/// Removes a component where it is one of these and is there.
fn take<T: TransformComponent>(entry: &mut Entry<'_>, takes: Mask) {
    if takes.has(T::MASK) && entry.archetype().layout().has_component::<T>() {
        entry.remove_component::<T>();
    }
}
