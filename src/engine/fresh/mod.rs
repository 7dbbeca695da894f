//! Matrices and links *now*, between two runs, for one entity at a time: for queries and edits. A
//! run computes all matrices, column by column; a question climbs to the root, and composes on the
//! way down:
//!
//! ```text
//!  path(gun)       gun ─► ship ─► (root)       rows.rs finds rows, path.rs ends on cycles
//!  world(path)     ship: T R S  *  gun: T      inputs.rs: local matrices; worlds.rs: the product
//! ```
//!
//! The result has the bits that the next run will write: both ask [`rules`](super::rules), and
//! compose by [`math::compose`](crate::math::compose), in the same order. All but `store.rs` is
//! compiled with this crate.

mod inputs;
mod met;
mod path;
mod rows;
mod store;
mod worlds;

pub(crate) use inputs::LocalInputs;
pub(crate) use path::Path;
pub(crate) use rows::{FreshRow, FreshRows, WayUp};
pub(crate) use store::Store;
