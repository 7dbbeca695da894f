//! Hierarchical transforms for the Legion ECS.

mod archetypes;
mod bits;
pub mod bundle;
pub mod components;
pub mod ecosystem;
#[cfg(feature = "decentraland")]
pub mod decentraland;
mod engine;
pub mod findings;
pub mod hierarchy;
pub mod interchange;
mod layout;
mod local;
pub mod math;
mod parallel;
pub mod prelude;
mod raw;
pub mod scene;
mod standing;
pub mod stats;
pub mod transform;
pub mod world;
pub mod write_group;

pub use bundle::{TransformBuilderExt, TransformSystemBundle};
pub use findings::Findings;
pub use stats::TransformStats;
pub use transform::Transform;
pub use write_group::WriteGroups;
