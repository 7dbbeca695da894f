//! Worlds that follow a scene.
#![cfg(feature = "legion")]

mod apply;
mod both_sides;
mod common;
mod edited_again;
mod edits;
mod follow;
mod late_joiners;
mod lifecycle;
mod local_override;
mod networks;
mod only_edits;
mod soak;
mod stripped;
