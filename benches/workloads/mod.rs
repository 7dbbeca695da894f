//! The workloads that the benches measure, as plain data: which nodes there are, who hangs off whom, and what changes
//! each tick. Every competitor builds its own world from the same [`Scene`] and is checked against the same reference.

// Two programs share this module (the crate's benches and the comparison with its peers); neither uses all of it.
#![allow(dead_code, unused_imports)]

mod catalogue;
mod legion_world;
mod markers;
mod poses;
mod reference;
mod scene;
mod skeleton;

pub use catalogue::{CATALOGUE, Change, Layout, Shape, Workload};
pub use legion_world::LegionWorld;
pub use poses::Trs;
pub use reference::check;
pub use scene::{Edit, NO_PARENT, Scene};
