//! Accelerator: whole archetypes are given the components that their entities lack, such as
//! `Children`. Who gets what is decided in `publish/give.rs`. Without it, entities go one by one.
//!
//! ```text
//!  migrate     the rows of one archetype go to others, by what they get
//!  restore     guards edits: repairs a world after a subscriber's panic in Legion's own edit
//! ```

mod migrate;
mod restore;

pub(crate) use migrate::{Migration, NewColumn};
pub(crate) use restore::{guard, remove};
