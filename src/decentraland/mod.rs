//! Decentraland scenes in a Legion world: [`apply`] keeps a world equal to the merged state.
//!
//! The crate [`decentraland_scene`] has the messages on the wire and their conflict-free merge, for
//! programs without an ECS, too. Its modules are re-exported here.

pub mod apply;

pub use decentraland_scene::{merge, wire};
