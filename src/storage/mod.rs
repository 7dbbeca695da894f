//! All that knows Legion's memory: a fence for `unsafe`.
//!
//! - [`mask`]: which of the crate's components an archetype has, as bits;
//! - [`columns`]: the world exclusively, column by column, without moving versions;
//! - [`trs`]: the columns of plain `T R S` of many archetypes at once, each once;
//! - [`casts`]: components as what they wrap;
//! - [`appender`]: new rows, column by column;
//! - [`loose_column`]: one column in a storage of its own, on its way between archetypes;
//! - [`account`]: which columns were touched by insertions alone since the last look, and which
//!   entities came and went;
//! - [`archetype_snapshot`]: what has happened to one archetype since the last run;
//! - [`tracker`]: what was touched since the last run.

pub(crate) mod account;
pub(crate) mod appender;
pub(crate) mod archetype_snapshot;
pub(crate) mod casts;
pub(crate) mod columns;
pub(crate) mod loose_column;
pub(crate) mod mask;
pub(crate) mod tracker;
pub(crate) mod trs;
