//! Hierarchical transforms for the Legion ECS.

pub mod bundle;
pub mod components;
pub mod ecosystem;
mod engine;
pub mod findings;
pub mod hierarchy;
pub mod math;
pub mod prelude;
pub mod transform;
pub mod world;
pub mod write_group;

pub use bundle::{TransformBuilderExt, TransformSystemBundle};
pub use findings::Findings;
pub use transform::Transform;
pub use write_group::WriteGroups;
