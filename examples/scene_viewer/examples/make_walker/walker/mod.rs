//! The figure, part by part, and its file.
//!
//! Every kind of key frame is in it: LINEAR (legs, gears, arms), STEP (escapement, second hand,
//! stepping stones) and CUBICSPLINE (pendulum, tail, the body's sway, the sun's pulse). Tail and
//! feelers are skinned.

mod clockwork;
mod creature;
mod figure;
mod legs;
mod motion;
mod orrery;
mod tube;
mod writer;

pub use figure::Figure;
pub use writer::to_gltf;

/// The walker and what it walks about.
pub fn figure() -> Figure {
    let mut figure = Figure::default();
    orrery::build(&mut figure);
    creature::build(&mut figure);
    figure
}
