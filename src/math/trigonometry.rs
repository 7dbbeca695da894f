//! Functions whose last bits are the platform's own.
//!
//! Sums, products, quotients and square roots are the same bits everywhere. A sine, an arc tangent
//! or a hypotenuse is rounded as the platform's C library does it, and two libraries differ. So the
//! crate takes such functions from nalgebra only: here, or inside of
//! `UnitQuaternion::from_axis_angle` and its like. With the feature `enhanced-determinism` nalgebra
//! has them from the crate `libm`, which computes them by sums and products on every platform.
//!
//! `tests/architecture.rs` says where another file calls the standard library's.

use nalgebra::{ComplexField, RealField};

/// The angle from the x axis to the point `(x, y)`.
pub(crate) fn atan2(y: f64, x: f64) -> f64 {
    RealField::atan2(y, x)
}

/// The distance from the origin to the point `(x, y)`, without overflow.
pub(crate) fn hypot(x: f64, y: f64) -> f64 {
    ComplexField::hypot(x, y)
}
