//! The room for `unsafe`: everything outside is safe code.
//!
//! - [`slices`]: Legion's columns, for reading and for writing without moving a version;
//! - [`plain`]: the columns of many archetypes at once, each once;
//! - [`matrices`]: the matrices of all archetypes at once, shared by threads;
//! - [`sweep`]: the hot loop over the forest (`ground`), shared among threads by `spread`, with `visit` for a position, `stretch` for
//!   rows that follow one another, and `scout` ahead;
//! - [`bytes`]: components as what they wrap;
//! - `crew`: threads that help with what another one has begun;
//! - [`kernel`]: the formulas for the instruction sets of the machine at hand.

pub(crate) mod bytes;
#[cfg(feature = "parallel")]
pub(crate) mod crew;
mod ground;
pub(crate) mod kernel;
pub(crate) mod matrices;
pub(crate) mod plain;
mod scout;
pub(crate) mod slices;
#[cfg(feature = "parallel")]
mod spread;
mod stretch;
pub(crate) mod sweep;
mod visit;
