//! Worlds that follow a scene.
#![cfg(feature = "legion")]

mod apply;
mod both_sides;
mod common;
mod follow;
mod kept_dump;
mod lifecycle;
mod local_override;
mod networks;
#[path = "../../../src/engine/storage/tests/soak.rs"]
mod soak;
mod transform_of;
