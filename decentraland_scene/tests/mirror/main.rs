//! Worlds that follow a scene.
#![cfg(feature = "legion")]

mod apply;
mod both_sides;
mod common;
mod follow;
mod late_joiners;
mod lifecycle;
mod local_override;
mod networks;
mod soak;
mod transform_of;
