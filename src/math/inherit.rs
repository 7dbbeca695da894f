//! The part of a parent's world that a child inherits.

use nalgebra::{Matrix3, Matrix4};

use super::{decompose::linear, parts::rotation};
use crate::components::Inherits;

/// What stands for the parent's world in the product with the child's local matrix: `T R M` without
/// the factors that are not inherited. See [`Inherits`].
///
/// A parent at (5, 0, 0), scaled by 2, with `rotation` and `scale`: a matrix that scales by 2.
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
    let mut inherited = axes.to_homogeneous();
    if parts.translation {
        inherited.fixed_view_mut::<3, 1>(0, 3).copy_from(&world.fixed_view::<3, 1>(0, 3));
    }
    inherited
}
