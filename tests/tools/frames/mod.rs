//! Large worlds: frames in `f64`, far from the origin.

mod frames_anew;
mod large_worlds;
