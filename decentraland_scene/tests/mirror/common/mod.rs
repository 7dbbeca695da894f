//! What the tests of scenes share.

pub mod driver;
pub mod live;
#[path = "../../scene/messages.rs"]
mod messages;

pub use messages::*;
