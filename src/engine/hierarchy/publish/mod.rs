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

mod children;
mod commands;
mod edits;
mod lose;
mod previous;
mod strays;

use std::collections::BTreeSet;

use legion::Entity;

use commands::Command;
pub(crate) use commands::Commands;
use strays::Strays;

use super::{
    Hierarchy,
    change::{LinkChanges, LinkTarget},
    diff::Diff,
};
use crate::{
    components::{Children, PreviousParent},
    engine::{
        machine::Machine,
        storage::{ChangeTracker, Columns, Row},
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
            commands.record(change.row, columns.entity(change.row), Command::Unlink);
        });
        let mut publisher = Publisher {
            hierarchy: self,
            columns,
            tracker,
            machine,
            commands,
            children_written: BTreeSet::new(),
            previous_written: BTreeSet::new(),
            strays: Strays::default(),
        };
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
    /// Entities that users put into lists and that have no `Parent`.
    strays: Strays,
}

impl Publisher<'_, '_> {
    fn entity(&self, row: Row) -> Entity {
        self.columns.entity(row)
    }
}
