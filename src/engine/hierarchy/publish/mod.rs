//! Publishing the hierarchy: `Children` on parents, `PreviousParent` on children.
//!
//! Where an entity has the component, it is written in place. Where it lacks the component or must
//! not have it, a [command](Commands) is recorded:
//!
//! ```text
//!                    has `Children`            has none
//!  has children      the list is edited        command: give `Children`
//!  has none          command: take them away   -
//! ```
//!
//! A version is bumped only where a value really changes, once an archetype: a tick that edits
//! 1,000 lists of one archetype bumps one version, and one that finds all lists right bumps none.
//!
//! # Commands
//!
//! They add and remove components, which migrates entities. They are carried out after the pass,
//! when no column is borrowed:
//!
//! ```text
//!  recorded    2:2 venus: GiveChildren([mars])     0:4 rock: TakeChildren
//!  sorted      0:4 rock                            2:2 venus
//! ```
//!
//! A command migrates one entity, by Legion's `add_component` and `remove_component`: all its other
//! components are copied to another archetype. Where many entities lack a component, `bulk/` has
//! whole archetypes migrate before the pass, at a fraction of the cost.

mod children;
mod lose;
mod previous;

use std::collections::BTreeSet;

use legion::{Entity, World, storage::Component, world::Entry};

use super::{
    Hierarchy,
    change::{LinkChange, LinkChanges, LinkTarget},
    diff::Diff,
};
use crate::{
    components::{Children, LocalToParent, Parent, PreviousParent},
    engine::{
        bulk::{NewColumn, guard},
        forest::NONE,
        machine::Machine,
        storage::{ChangeTracker, Columns, Mask, Row},
    },
};

impl Hierarchy {
    /// Writes what can be written in place, and records commands for the rest. The forest is up to
    /// date.
    pub(super) fn publish(
        &mut self,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        machine: &Machine,
        commands: &mut Commands,
        (changes, diff): (&LinkChanges, &Diff),
    ) {
        let repaired = changes.list.iter().filter(|change| change.target == LinkTarget::Repair);
        repaired.for_each(|change| {
            let sheet = &tracker[change.row.archetype];
            let given = sheet.meaning.unlinked().map_or(Mask::NONE, |it| it.mask);
            let given = given.without(sheet.mask | Mask::LINK);
            commands.record(change.row, columns.entity(change.row), Command::Unlink(given));
        });
        let mut publisher = Publisher {
            hierarchy: self,
            columns,
            tracker,
            machine,
            commands,
            children_written: BTreeSet::new(),
            previous_written: BTreeSet::new(),
            strays: Vec::new(),
        };
        publisher.give_matrices(changes);
        publisher.publish_children(changes, diff);
        publisher.report_strays(changes);
        publisher.publish_previous(changes, diff);
        let Publisher { children_written, previous_written, .. } = publisher;
        for archetype in children_written {
            tracker.bump::<Children>(columns, archetype);
        }
        for archetype in previous_written {
            tracker.bump::<PreviousParent>(columns, archetype);
        }
    }
}

/// The state of publishing in one pass.
struct Publisher<'a, 'w> {
    hierarchy: &'a mut Hierarchy,
    columns: &'a mut Columns<'w>,
    tracker: &'a ChangeTracker,
    machine: &'a Machine,
    commands: &'a mut Commands,
    /// Archetypes in which a value of the component has changed: their versions are bumped at the
    /// end.
    children_written: BTreeSet<u32>,
    previous_written: BTreeSet<u32>,
    /// The parents of lists into which users put entities that have no `Parent`, with these.
    strays: Vec<(Entity, Entity)>,
}

impl Publisher<'_, '_> {
    fn entity(&self, row: Row) -> Entity {
        self.columns.entity(row)
    }

    /// Records commands for parents that have no `LocalToWorld`, with `insert_missing`: new ones,
    /// and those that a user took it from.
    fn give_matrices(&mut self, changes: &LinkChanges) {
        if !self.hierarchy.options.inserts_missing {
            return;
        }
        let forest = &self.hierarchy.forest;
        let is_parent = |row| forest.slot(row) != NONE && forest.has_children(forest.slot(row));
        let lacks = |row: &Row| !self.tracker[row.archetype].mask.has(Mask::LOCAL_TO_WORLD);
        let known = changes.known().map(|known| known.row);
        let rows = changes.list.iter().filter_map(LinkChange::new_parent).chain(known);
        let rows: BTreeSet<Row> = rows.filter(lacks).filter(|&row| is_parent(row)).collect();
        for row in rows {
            let command = Command::GiveMissing(Mask::LOCAL_TO_WORLD);
            self.commands.record(row, self.entity(row), command);
        }
    }
}

/// The commands of a pass, each with the row that the entity had when it was recorded.
#[derive(Default)]
pub(crate) struct Commands(Vec<(Row, Entity, Command)>);

/// The components that an entity gets or loses.
pub(super) enum Command {
    GiveChildren(Children),
    GivePrevious(PreviousParent),
    GiveMissing(Mask),
    TakeChildren,
    TakePrevious,
    /// `Parent`, `PreviousParent` and `LocalToParent` go: the entity is a root from now on. It gets
    /// what the link held back.
    Unlink(Mask),
}

impl Command {
    /// Migrates the entity. Removing a component that is not there does nothing.
    fn carry_out(self, entry: &mut Entry<'_>, effective: &[NewColumn]) {
        match self {
            Self::GiveChildren(children) => entry.add_component(children),
            Self::GivePrevious(previous) => entry.add_component(previous),
            Self::GiveMissing(missing) => {
                missing.give(entry);
                if missing.has(Mask::LOCAL_TO_WORLD) {
                    effective.iter().for_each(|it| it.give(entry));
                }
            }
            Self::TakeChildren => take::<Children>(entry),
            Self::TakePrevious => take::<PreviousParent>(entry),
            Self::Unlink(missing) => {
                // The record last: if a subscriber panics before that, the next run finds it again.
                take::<LocalToParent>(entry);
                take::<Parent>(entry);
                take::<PreviousParent>(entry);
                missing.give(entry);
            }
        }
    }
}

/// Removes a component where it is there.
fn take<T: Component>(entry: &mut Entry<'_>) {
    if entry.archetype().layout().has_component::<T>() {
        entry.remove_component::<T>();
    }
}

impl Commands {
    /// The rows of the commands.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.0.iter().map(|&(row, ..)| row)
    }

    /// Records a command for the entity at a row.
    pub(super) fn record(&mut self, row: Row, entity: Entity, command: Command) {
        self.0.push((row, entity, command));
    }

    /// Carries out all commands in the order of the rows: entities that come to one archetype stand
    /// there in this order. The order of recording would not do. It depends on the columns that
    /// count as written, and so on other worlds: all worlds share the counter of versions.
    ///
    /// What gets `LocalToWorld` gets values of `effective`, too.
    ///
    /// The sort is stable, so two commands for one entity keep their order.
    ///
    /// A row that Legion does not find by its entity's id is [left alone](ChangeTracker::unplaced).
    /// Returns whether any entity has migrated: if none has, no look is needed.
    ///
    /// # Panics
    /// If a subscriber of the user's does. Before the panic goes on, the entity that was on its way
    /// between two archetypes is restored.
    pub fn flush(mut self, world: &mut World, effective: &[NewColumn]) -> bool {
        if self.0.is_empty() {
            return false;
        }
        self.0.sort_by_key(|&(row, ..)| row);
        let entities: Vec<Entity> = self.0.iter().map(|&(_, entity, _)| entity).collect();
        guard(world, &entities, |world| {
            let (mut any, mut last) = (false, None);
            for (row, entity, command) in self.0 {
                let Some(mut entry) = world.entry(entity) else { continue };
                let from = entry.location().archetype();
                // An earlier command has migrated the entity, or Legion finds another row of this
                // id.
                if from.0 != row.archetype && last != Some(entity) {
                    continue;
                }
                last = Some(entity);
                command.carry_out(&mut entry, effective);
                any |= entry.location().archetype() != from;
            }
            any
        })
    }
}
