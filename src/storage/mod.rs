//! All that knows Legion's memory: a fence for `unsafe`.
//!
//! - [`mask`]: which of the crate's components an archetype has, as bits;
//! - [`columns`]: the world exclusively, column by column, without moving versions;
//! - [`trs`]: the columns of plain `T R S` of many archetypes at once, each once;
//! - [`casts`]: components as what they wrap;
//! - [`appender`]: new rows, column by column;
//! - [`loose_column`]: one column in a storage of its own, on its way between archetypes;
//! - [`log`]: the events of a world, with readings of the counter of versions;
//! - [`closing`]: which columns insertions alone have moved;
//! - [`roster`]: who stands where, by replaying the events;
//! - [`sheet`]: what is remembered of one archetype;
//! - [`tracker`]: what was touched since the last run.

pub(crate) mod appender;
pub(crate) mod casts;
mod closing;
pub(crate) mod columns;
mod log;
pub(crate) mod loose_column;
pub(crate) mod mask;
mod roster;
mod sheet;
#[cfg(test)]
mod tests;
mod tracker;
pub(crate) mod trs;

pub(crate) use log::WorldLife;
pub(crate) use roster::NOWHERE;
pub(crate) use sheet::ArchetypeSheet;
pub(crate) use tracker::{ChangeTracker, Writable};
