//! The workloads that the benches measure, as plain data: the nodes, their parents, and the changes
//! of each tick. Every competitor builds its own world from the same [`Scene`]
//! and is checked against the same reference.

// The crate's benches and the comparison with its peers share this module; none uses all of it.
#![allow(dead_code, unused_imports)]

mod archetypes;
mod catalogue;
mod changes;
mod kind;
mod legion_world;
mod movers;
mod poses;
mod reference;
mod scene;
mod shape;
mod skeleton;
mod spawning;
mod workload;

pub use catalogue::CATALOGUE;
pub use kind::{Batch, Extra, Kind};
pub use legion_world::{LegionWorld, Means, bundle};
pub use poses::{Random, Trs};
pub use reference::check;
pub use scene::{Edit, Respawn, Scene};
pub use shape::NO_PARENT;
pub use skeleton::BONES;
pub use workload::{Change, Layout, Shape, Workload};
