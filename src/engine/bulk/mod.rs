//! Accelerator: whole archetypes are given the components that their entities lack.
//!
//! Entities that are spawned without `PreviousParent` and `Children` get them in the next run. With
//! [`insert_missing`](crate::TransformSystemBundle::insert_missing) they get their matrices, too,
//! and what makes inputs count. If an archetype holds 64 of such entities or more, or any that lack
//! these, all of its rows migrate at once (`spawn_hum/unlinked` in docs/measurements.md). Without
//! it, [the hierarchy](super::hierarchy) does the same by commands, entity by entity.
//!
//! ```text
//!  missing     for each row of each such archetype: the components to add
//!  migrate     the rows of one archetype go to others, by what they get
//!  source      how Legion's `extend` finds an archetype by its number
//!  restore     guards edits: repairs a world after a subscriber's panic in Legion's own edit
//! ```

mod migrate;
mod missing;
mod restore;

pub(crate) use migrate::NewColumn;
#[cfg(test)]
pub(crate) use migrate::add_components;
pub(crate) use missing::add_missing;
pub(crate) use restore::{guard, remove};
