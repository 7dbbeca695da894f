//! Legion's memory: a fence for `unsafe`. Other rooms get slices, rows and sets of components.
//!
//! - `access`: columns of a user's world, as far as they may be read;
//! - `mask`: which of the crate's components an archetype has, as bits;
//! - `columns`: the world exclusively, column by column, without bumping versions;
//! - `factors`: the columns of local matrices of many archetypes at once, each once;
//! - `casts`: components as the numbers that they wrap;
//! - `appender`: new rows for Legion's `extend`, column by column;
//! - `row_writer`: components written in place by edits, row by row;
//! - `loose_column`: one column in a storage of its own, on its way between archetypes;
//! - `log`: the events of a world, with readings of the counter of versions;
//! - `closing`: which columns were bumped by insertions alone;
//! - `row_map`: who stands where, by replaying the events;
//! - `sheet`: one archetype's versions, and what has happened to it;
//! - `tracker`: what happened since the last run. Begin here: its head draws a tick.

mod access;
mod appender;
mod casts;
mod closing;
mod columns;
mod factors;
mod log;
mod loose_column;
mod mask;
mod row_map;
mod row_writer;
mod sheet;
#[cfg(test)]
mod tests;
mod tracker;

pub(crate) use access::{Access, ReadColumns};
pub(crate) use appender::{Append, Appender, NewValues, RowSource};
pub(crate) use casts::Wraps;
pub(crate) use columns::{Archetypes, Columns, Damage, Row};
pub(crate) use log::WorldCell;
pub(crate) use loose_column::LooseColumn;
#[cfg(test)]
pub(crate) use mask::COMPONENTS;
pub(crate) use mask::{Mask, TransformComponent, captured, for_each_component, for_each_euler};
pub(crate) use row_writer::RowWriter;
pub(crate) use sheet::{ArchetypeSheet, Meaning};
pub(crate) use tracker::{By, ChangeTracker, Follow, Kept, NewLinks};
