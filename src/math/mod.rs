//! Plain functions on nalgebra types: no ECS, no allocation.

pub mod algebra;
pub(crate) mod bits;
pub mod compose;
pub mod decompose;
pub mod handedness;
pub(crate) mod trigonometry;
