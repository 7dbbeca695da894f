//! Plain functions on nalgebra types: no ECS, no allocation.

pub mod compose;
