//! Plain functions on nalgebra types: no ECS, no allocation. And what single components offer by
//! them, like the rotation of a matrix.

pub mod algebra;
mod angles;
mod base;
mod bits;
pub(crate) mod compose;
pub mod decompose;
mod factors;
mod goal;
pub mod handedness;
mod inherit;
mod inverse;
mod look;
mod parts;
mod registers;
pub mod render;
mod turns;

pub(crate) use angles::angles;
pub(crate) use base::{Base, affine, carried, linear_part, origin, times, vanishes};
pub(crate) use bits::{SameBits, is_finite};
pub(crate) use factors::{Axes, Factors, Linear, filled, sheared, shown, turning, without_zeros};
pub(crate) use goal::{EXACT, Goal, NEAR, ROUNDING, SAME_PLACE, TOLERANCE, Target};
pub(crate) use inherit::inherited;
pub(crate) use inverse::{affine_inverses, scale_inverse};
pub(crate) use look::{facing, frame, look_along};
pub(crate) use registers::{InRegisters, LAST, UPPER, from_columns, scale_columns, translate};
pub(crate) use turns::slerp;
