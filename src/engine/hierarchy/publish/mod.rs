//! Publishing the hierarchy: `Children` on parents, `PreviousParent` on children. Where an entity
//! has the component, it is written in place. Where it lacks the component or must not have it, a
//! command is recorded, and [carried out](give) after the pass, when no column is borrowed:
//!
//! ```text
//!                    has `Children`            has none
//!  has children      the list is edited        command: give `Children`
//!  has none          command: take them away   -
//! ```
//!
//! A version is bumped only where a value really changes, once an archetype.

mod children;
mod give;
mod lose;
mod previous;

use std::collections::BTreeSet;

use legion::Entity;

pub(crate) use give::Commands;

use super::{
    Hierarchy,
    change::{LinkChange, LinkChanges, LinkTarget},
    diff::Diff,
};
use crate::{
    components::{Children, PreviousParent},
    engine::{
        forest::NONE,
        machine::Machine,
        storage::{ChangeTracker, Columns, Mask, Row},
    },
};

/// What an entity loses whose parent is gone: it is a root from then on.
const UNLINKED: Mask = Mask::PARENT.union(Mask::PREVIOUS_PARENT).union(Mask::LOCAL_TO_PARENT);

impl Hierarchy {
    /// Writes what can be written in place, and records commands for the rest. The forest is up to
    /// date.
    pub(super) fn publish(
        &mut self,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        machine: &Machine,
        changes: &LinkChanges,
        diff: &Diff,
    ) -> Commands {
        let mut commands = Commands::default();
        let repaired = changes.list.iter().filter(|change| change.target == LinkTarget::Repair);
        repaired.for_each(|change| {
            // A root gets what the link held back.
            let sheet = &tracker[change.row.archetype];
            let given = sheet.meaning.unlinked().map_or(Mask::NONE, |it| it.mask);
            commands.give(change.row, given.without(sheet.mask));
            commands.take(change.row, UNLINKED);
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
        publisher.complete_parents(changes);
        publisher.publish_children(changes, diff);
        publisher.report_strays(changes);
        publisher.publish_previous(changes, diff);
        let Publisher { commands, children_written, previous_written, .. } = publisher;
        for archetype in children_written {
            tracker.bump::<Children>(columns, archetype);
        }
        for archetype in previous_written {
            tracker.bump::<PreviousParent>(columns, archetype);
        }
        commands
    }
}

/// The state of publishing in one pass.
struct Publisher<'a, 'w> {
    hierarchy: &'a mut Hierarchy,
    columns: &'a mut Columns<'w>,
    tracker: &'a ChangeTracker,
    machine: &'a Machine,
    commands: Commands,
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

    /// Parents get the `Children` that they lack, and with `insert_missing` the `LocalToWorld`: new
    /// ones, and those that a user took it from, which came to another archetype.
    fn complete_parents(&mut self, changes: &LinkChanges) {
        let Self { hierarchy: Hierarchy { forest, options, .. }, tracker, commands, .. } = self;
        let world = if options.inserts_missing { Mask::LOCAL_TO_WORLD } else { Mask::NONE };
        let known = changes.known().map(|known| known.row);
        for row in changes.list.iter().filter_map(LinkChange::new_parent).chain(known) {
            let lacking = (Mask::CHILDREN | world).without(tracker[row.archetype].mask);
            let slot = forest.slot(row);
            if lacking != Mask::NONE && slot != NONE && forest.has_children(slot) {
                commands.give(row, lacking);
            }
        }
    }
}
