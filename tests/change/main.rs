//! Nothing is rewritten or bumped that did not change, and everything that did is right.

mod doubt;
mod insertions_hide_nothing;
mod large_worlds;
mod nothing_for_nothing;
mod overwritten_worlds;
