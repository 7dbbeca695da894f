//! Nothing is rewritten or bumped that did not change, and everything that did is right.

mod doubt;
mod edits_in_place;
mod large_worlds;
mod mixed_frames;
mod nothing_for_nothing;
mod overwritten_worlds;
