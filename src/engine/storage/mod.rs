//! Legion's memory: a fence for `unsafe`. Other rooms get slices, rows and sets of components.
//!
//! Begin with `tracker`: its head draws a tick. It finds what happened since the last run, from
//! `log` (events), `closing` (which columns insertions alone bumped), `row_map` (who stands where)
//! and `sheet` (the versions of an archetype).

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
