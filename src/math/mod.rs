//! Plain functions on nalgebra types: no ECS, no allocation. And what single components offer by
//! them, like the rotation of a matrix.

pub mod algebra;
mod bits;
pub mod compose;
pub mod decompose;
pub mod handedness;
mod inherit;
mod look;
mod parts;
mod turns;

pub(crate) use bits::{SameBits, is_finite};
pub(crate) use inherit::inherited;
pub(crate) use look::{facing, frame, look_along};
pub(crate) use turns::slerp;
