//! Commands: components that have to be added or removed, which moves entities between archetypes.
//!
//! They are carried out after the pass, when no column is borrowed:
//!
//! ```text
//!  recorded    2:2 venus: GiveChildren([mars])     0:4 rock: TakeChildren
//!  sorted      0:4 rock                            2:2 venus
//! ```
//!
//! A command moves one entity, by Legion's `add_component` and `remove_component`: all its other
//! components are copied to another archetype. Where many entities lack a component, `bulk/` moves
//! whole archetypes before the pass, at a fraction of the cost.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use legion::{Entity, World, storage::Component, world::Entry};

use crate::{
    bulk::restore,
    components::{Children, LocalToParent, LocalToWorld, Parent, PreviousParent},
    storage::{Mask, Row},
};

/// The commands of a pass, each with the row that the entity had when it was recorded.
#[derive(Default)]
pub(in super::super) struct Commands(Vec<(Row, Entity, Command)>);

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
    /// Moves the entity. Removing a component that is not there does nothing.
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
                take::<Parent>(entry);
                take::<PreviousParent>(entry);
                take::<LocalToParent>(entry);
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
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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
    /// # Panics
    /// If a subscriber of the user's does. Before the panic goes on, the entity that was on its way
    /// between two archetypes is restored.
    pub fn flush(mut self, world: &mut World) {
        self.0.sort_by_key(|&(row, ..)| row);
        let moved: Vec<Entity> = self.0.iter().map(|&(_, entity, _)| entity).collect();
        let carry_out = AssertUnwindSafe(|| {
            for (_, entity, command) in self.0 {
                if let Some(mut entry) = world.entry(entity) {
                    command.carry_out(&mut entry);
                }
            }
        });
        if let Err(payload) = catch_unwind(carry_out) {
            restore(world, &moved);
            resume_unwind(payload);
        }
    }
}
