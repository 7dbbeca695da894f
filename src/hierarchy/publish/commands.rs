//! Components that have to be added or removed, which moves entities to another archetype.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use legion::{Entity, World, storage::Component, world::Entry};

use crate::{
    bulk::restore,
    components::{Children, LocalToParent, LocalToWorld, Parent, PreviousParent},
    storage::{Mask, Row},
};

/// The commands of a pass.
#[derive(Default)]
pub(in super::super) struct Commands(Vec<(Row, Entity, Command)>);

/// What an entity gets or loses.
pub(super) enum Command {
    GiveChildren(Children),
    GivePrevious(PreviousParent),
    GiveMatrices(Mask),
    TakeChildren,
    TakePrevious,
    /// `Parent`, `PreviousParent` and `LocalToParent` go.
    Unlink,
}

impl Command {
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

    /// Does all that was recorded, in the order of the rows, so that entities that come to one
    /// archetype stand there in this order. The order of recording depends on which columns count
    /// as written, and so on other worlds, which share the counter of versions.
    ///
    /// # Panics
    /// If a subscriber of the user's does. The entity that was on its way is back then.
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
