//! Hierarchical transforms for the Legion ECS.

pub mod bundle;
pub mod components;
mod engine;
pub mod findings;
pub mod prelude;
pub mod write_group;

pub use bundle::{TransformBuilderExt, TransformSystemBundle};
pub use findings::Findings;
pub use write_group::WriteGroups;
