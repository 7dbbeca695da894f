//! Hierarchical transforms for the Legion ECS.

mod archetypes;
mod bits;
pub mod bundle;
pub mod components;
mod engine;
pub mod findings;
mod hierarchy;
mod layout;
mod local;
pub mod math;
mod parallel;
pub mod prelude;
mod standing;
pub mod stats;
mod world;
pub mod write_group;

pub use bundle::{TransformBuilderExt, TransformSystemBundle};
pub use findings::Findings;
pub use stats::TransformStats;
pub use write_group::WriteGroups;
