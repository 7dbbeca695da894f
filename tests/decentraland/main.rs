//! Scenes: wire form, merge, and worlds that follow.
#![cfg(feature = "decentraland")]

mod apply;
mod both_sides;
mod bounds;
mod common;
mod edits;
mod follow;
mod lifecycle;
mod merge;
mod only_edits;
mod packets;
mod soak;
mod wire;
