//! Plain functions on nalgebra types: no ECS, no allocation.

pub mod algebra;
mod bits;
pub mod compose;
pub mod decompose;
pub mod handedness;
mod trigonometry;

pub(crate) use bits::{SameBits, is_finite};
pub(crate) use trigonometry::{atan2, hypot};
