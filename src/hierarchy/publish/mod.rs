//! Publishing the hierarchy: `Children` on parents, `PreviousParent` on children, and neither
//! anywhere else.

mod children;
mod commands;
mod edits;
mod lists;
mod lose;
mod previous;

use legion::Entity;

use commands::Command;
pub(super) use commands::Commands;

use super::{
    Hierarchy,
    change::{LinkChanges, LinkTarget},
    diff::Diff,
};
use crate::{
    components::{Children, PreviousParent},
    storage::{ChangeTracker, Columns, Row},
};

impl Hierarchy {
    /// Writes what can be written in place, and records the rest.
    pub(super) fn publish(
        &mut self,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        commands: &mut Commands,
        changes: &LinkChanges,
        diff: &Diff,
    ) {
        let repaired = changes.list.iter().filter(|change| change.target == LinkTarget::Repair);
        repaired.for_each(|change| {
            commands.record(change.row, columns.entity(change.row), Command::Unlink);
        });
        let mut publisher = Publisher {
            hierarchy: self,
            columns,
            tracker,
            commands,
            children_written: WrittenArchetypes::default(),
            previous_written: WrittenArchetypes::default(),
        };
        publisher.publish_children(changes, diff);
        publisher.publish_previous(changes, diff);
        let Publisher { children_written, previous_written, .. } = publisher;
        for archetype in children_written.into_each_once() {
            tracker.bump::<Children>(columns, archetype);
        }
        for archetype in previous_written.into_each_once() {
            tracker.bump::<PreviousParent>(columns, archetype);
        }
    }
}

/// One pass' worth of publishing.
struct Publisher<'a, 'w> {
    hierarchy: &'a mut Hierarchy,
    columns: &'a mut Columns<'w>,
    tracker: &'a ChangeTracker,
    commands: &'a mut Commands,
    /// Archetypes in which a component was really changed.
    children_written: WrittenArchetypes,
    previous_written: WrittenArchetypes,
}

impl Publisher<'_, '_> {
    fn entity(&self, row: Row) -> Entity {
        self.columns.entity(row)
    }
}

/// Archetypes, some perhaps several times.
#[derive(Default)]
struct WrittenArchetypes(Vec<u32>);

impl WrittenArchetypes {
    fn add(&mut self, archetype: u32) {
        if self.0.last() != Some(&archetype) {
            self.0.push(archetype);
        }
    }

    fn into_each_once(mut self) -> Vec<u32> {
        self.0.sort_unstable();
        self.0.dedup();
        self.0
    }
}
