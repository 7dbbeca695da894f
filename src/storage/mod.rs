//! All that knows Legion's memory: a fence for `unsafe`. What is re-exported below is its door.
//!
//! - `mask`: which of the crate's components an archetype has, as bits;
//! - `columns`: the world exclusively, column by column, without moving versions;
//! - `trs`: the columns of plain `T R S` of many archetypes at once, each once;
//! - `casts`: components as what they wrap;
//! - `appender`: new rows, column by column;
//! - `loose_column`: one column in a storage of its own, on its way between archetypes;
//! - `log`: the events of a world, with readings of the counter of versions;
//! - `closing`: which columns insertions alone have moved;
//! - `roster`: who stands where, by replaying the events;
//! - `sheet`: what is remembered of one archetype;
//! - `tracker`: what was touched since the last run.

mod appender;
mod casts;
mod closing;
mod columns;
mod log;
mod loose_column;
mod mask;
mod roster;
mod sheet;
#[cfg(test)]
mod tests;
mod tracker;
mod trs;

pub(crate) use appender::Appender;
pub(crate) use casts::bytes;
pub(crate) use columns::{Archetypes, Columns, Damage, LocalColumns, Row, captured};
pub(crate) use log::WorldLife;
pub(crate) use loose_column::LooseColumn;
#[cfg(test)]
pub(crate) use mask::COMPONENTS;
pub(crate) use mask::{Mask, TransformComponent, for_each_component, for_each_euler};
pub(crate) use sheet::ArchetypeSheet;
pub(crate) use tracker::ChangeTracker;
