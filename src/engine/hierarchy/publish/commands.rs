//! Commands: components that have to be added or removed, which migrates entities.
//!
//! They are carried out after the pass, when no column is borrowed:
//!
//! ```text
//!  recorded    2:2 venus: GiveChildren([mars])     0:4 rock: TakeChildren
//!  sorted      0:4 rock                            2:2 venus
//! ```
//!
//! A command migrates one entity, by Legion's `add_component` and `remove_component`: all its other
//! components are copied to another archetype. Where many entities lack a component, `bulk/` has
//! whole archetypes migrate before the pass, at a fraction of the cost.

use legion::{Entity, World, storage::Component, world::Entry};

#[cfg(doc)]
use crate::engine::storage::ChangeTracker;
use crate::{
    components::{Children, LocalToParent, LocalToWorld, Parent, PreviousParent},
    engine::{
        bulk::guard,
        storage::{Mask, Row},
    },
};

/// The commands of a pass, each with the row that the entity had when it was recorded.
#[derive(Default)]
pub(crate) struct Commands(Vec<(Row, Entity, Command)>);

/// The components that an entity gets or loses.
pub(super) enum Command {
    GiveChildren(Children),
    GivePrevious(PreviousParent),
    GiveMatrices(Mask),
    TakeChildren,
    TakePrevious,
    /// `Parent`, `PreviousParent` and `LocalToParent` go: the entity is a root from now on.
    Unlink,
}

impl Command {
    /// Migrates the entity. Removing a component that is not there does nothing.
    fn carry_out(self, entry: &mut Entry<'_>) {
        match self {
            Self::GiveChildren(children) => entry.add_component(children),
            Self::GivePrevious(previous) => entry.add_component(previous),
            Self::GiveMatrices(missing) => {
                if missing.has(Mask::LOCAL_TO_WORLD) {
                    entry.add_component(LocalToWorld::identity());
                }
                if missing.has(Mask::LOCAL_TO_PARENT) {
                    entry.add_component(LocalToParent::identity());
                }
            }
            Self::TakeChildren => take::<Children>(entry),
            Self::TakePrevious => take::<PreviousParent>(entry),
            Self::Unlink => {
                // The record last: if a subscriber panics before that, the next run finds it again.
                take::<LocalToParent>(entry);
                take::<Parent>(entry);
                take::<PreviousParent>(entry);
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
    /// Whether entities get matrices, so that links to them are possible.
    pub fn give_any_matrices(&self) -> bool {
        self.0.iter().any(|(.., command)| matches!(command, Command::GiveMatrices(_)))
    }

    /// Records a command for the entity at a row.
    pub(super) fn record(&mut self, row: Row, entity: Entity, command: Command) {
        self.0.push((row, entity, command));
    }

    /// Records that an entity lacks these matrices.
    pub fn give_matrices(&mut self, row: Row, entity: Entity, missing: Mask) {
        self.record(row, entity, Command::GiveMatrices(missing));
    }

    /// Carries out all commands in the order of the rows: entities that come to one archetype stand
    /// there in this order. The order of recording would not do. It depends on the columns that
    /// count as written, and so on other worlds: all worlds share the counter of versions.
    ///
    /// The sort is stable, so two commands for one entity keep their order.
    ///
    /// A row that Legion does not find by its entity's id is [left alone](ChangeTracker::unplaced).
    /// Returns whether any entity has migrated: if none has, no look is needed.
    ///
    /// # Panics
    /// If a subscriber of the user's does. Before the panic goes on, the entity that was on its way
    /// between two archetypes is restored.
    pub fn flush(mut self, world: &mut World) -> bool {
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
                command.carry_out(&mut entry);
                any |= entry.location().archetype() != from;
            }
            any
        })
    }
}
