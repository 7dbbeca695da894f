//! What the tests of scenes share.

pub mod driver;
pub mod live;
#[path = "../../../decentraland_scene/tests/scene/messages.rs"]
mod messages;

pub use messages::*;
