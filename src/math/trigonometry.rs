//! Functions whose last bits depend on the platform.
//!
//! Sums, products, quotients and square roots are the same bits everywhere. Sines, arc tangents and
//! hypotenuses come from the platform's C library, and two libraries round differently. So the
//! crate takes such functions from nalgebra only: here, or inside of functions like
//! `UnitQuaternion::from_axis_angle`. With the feature `enhanced-determinism` nalgebra takes them
//! from the crate `libm`, which computes them by sums and products on every platform.
//!
//! `tests/architecture` fails if another file calls the standard library's.

use nalgebra::{ComplexField, RealField};

/// The angle from the x axis to the point `(x, y)`.
pub(crate) fn atan2(y: f64, x: f64) -> f64 {
    RealField::atan2(y, x)
}

/// The distance from the origin to the point `(x, y)`, without overflow.
pub(crate) fn hypot(x: f64, y: f64) -> f64 {
    ComplexField::hypot(x, y)
}
