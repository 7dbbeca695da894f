//! Accelerator: whole archetypes are given the components that their entities lack.
//!
//! Entities that are spawned without `PreviousParent` and `Children` get them in the next run. With
//! [`insert_missing`](crate::TransformSystemBundle::insert_missing) they get their matrices, too,
//! and what makes inputs count. Who gets what is decided by [the hierarchy](super::hierarchy), in
//! `publish/give.rs`; here is *how* all rows of an archetype migrate at once
//! (`spawn_hum/unlinked` in docs/performance.md). Without it, they go entity by entity.
//!
//! ```text
//!  migrate     the rows of one archetype go to others, by what they get
//!  restore     guards edits: repairs a world after a subscriber's panic in Legion's own edit
//! ```

mod migrate;
mod restore;

pub(crate) use migrate::{Migration, NewColumn};
pub(crate) use restore::{guard, remove};
