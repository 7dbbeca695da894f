//! The wire form, and the merge.

mod authority;
mod bounds;
mod common;
mod components;
mod connections;
mod hosts;
mod many_connections;
mod merge;
mod messages;
mod model;
mod names;
mod networks;
mod new_entities;
mod packets;
mod players;
mod roles;
mod serde;
#[path = "../../../src/engine/storage/tests/soak.rs"]
mod soak;
mod wire;
