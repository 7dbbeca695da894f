//! The hierarchy is right after one run, whatever was done to it.

mod all_below_follows;
#[cfg(feature = "parallel")]
mod any_number_of_threads;
mod bare_scenes;
mod changing_parents;
mod cycles;
mod findings;
mod generations;
mod inherited;
mod late_parents;
mod many_columns;
mod many_siblings;
mod missing_matrices;
mod order_of_siblings;

use legion::Entity;
use legion_transform::{components::PreviousParent, prelude::*};

fn linked_to(parent: Entity) -> Option<PreviousParent> {
    Some(PreviousParent::from(Some(parent)))
}

fn linkable() -> (LocalToWorld, Translation, LocalToParent) {
    (LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), LocalToParent::identity())
}
