//! The part of a parent's world that a child inherits.

use nalgebra::{Matrix3, Matrix4, Vector3};

use super::{decompose::linear, parts::rotation};
use crate::components::Inherits;

/// What stands for the parent's world in the product with the child's local matrix: `T R M` without
/// the factors that are not inherited. See [`Inherits`].
///
/// A parent at (5, 0, 0), scaled by 2, with `rotation` and `scale`: a matrix that scales by 2.
#[inline]
pub(crate) fn inherited(world: &Matrix4<f32>, parts: Inherits) -> Matrix4<f32> {
    if parts == Inherits::ALL {
        return *world;
    }
    let axes: Matrix3<f32> = match (parts.rotation, parts.scale) {
        (true, true) => world.fixed_view::<3, 3>(0, 0).into_owned(),
        (false, false) => Matrix3::identity(),
        (rotates, _) => {
            let linear = linear(world);
            let rotation = rotation(&linear);
            match rotation {
                Some(rotation) if rotates => rotation.cast(),
                // The other triangle has only rounding errors of zero.
                Some(rotation) => rotation.tr_mul(&linear).upper_triangle().cast(),
                None if rotates => Matrix3::identity(),
                None => linear.cast(),
            }
        }
    };
    let at = if parts.translation { world.column(3).xyz() } else { Vector3::zeros() };
    Matrix4::from_columns(&[
        axes.column(0).push(0.0),
        axes.column(1).push(0.0),
        axes.column(2).push(0.0),
        at.push(1.0),
    ])
}
