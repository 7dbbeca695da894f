//! Rotation and scale of the matrices.

use nalgebra::{Matrix3, Matrix4, Rotation3, UnitQuaternion, Vector3};

use super::{
    compose::inverse,
    decompose::{linear, right_angled},
    handedness::is_mirrored,
};
use crate::components::{LocalToParent, LocalToWorld, NonUniformScale, Rotation, WorldToLocal};

macro_rules! rotation_and_scale {
    ($component:ident, $space:literal) => {
        impl $component {
            #[doc = concat!("The entity's rotation in ", $space, ".")]
            ///
            /// It carries the x axis to [`right`](Self::right), and the y axis into the plane of
            /// `right` and [`up`](Self::up); so [`decompose`] does, which also has the shear. Of a
            /// mirroring matrix, the rotation after x is mirrored. An axis without length counts
            /// as perpendicular to the two others. Of a matrix that is flat in another way, or not
            /// finite, the identity comes.
            ///
            /// [`decompose`]: crate::math::decompose::decompose
            #[must_use]
            pub fn rotation(&self) -> Rotation {
                let axes = rotation(&linear(&self.0)).map(Rotation3::from_matrix_unchecked);
                let turn = axes.map(|axes| UnitQuaternion::from_rotation_matrix(&axes).cast());
                Rotation(turn.unwrap_or_else(UnitQuaternion::identity))
            }

            #[doc = concat!("The lengths of the entity's axes in ", $space, ".")]
            ///
            /// x is negative where the matrix mirrors. Without shear, the matrix is this scale,
            /// then [`rotation`](Self::rotation), then the way to [`position`](Self::position). (To
            /// multiply all elements by a number, use `matrix.0.scale(number)`.)
            #[must_use]
            pub fn scale(&self) -> NonUniformScale {
                NonUniformScale(lengths(&self.0))
            }
        }
    };
}
impl LocalToWorld {
    /// From the world to the entity's space; `None` where there is no finite inverse. The same bits
    /// as the bundle's `WorldToLocal`.
    #[must_use]
    pub fn inverse(&self) -> Option<WorldToLocal> {
        inverse(&self.0).map(WorldToLocal)
    }
}

impl LocalToParent {
    /// From the parent's space to the entity's; `None` where there is no finite inverse. What
    /// stands in the parent's space comes to stand in the entity's by it:
    ///
    /// ```
    /// # use legion_transform::prelude::*;
    /// let hand = Transform::from_xyz(3.0, 0.0, 0.0).with_scale([2.0; 3]);
    /// let hand = LocalToParent(hand.to_matrix());
    /// let cup = Transform::from_xyz(5.0, 0.0, 0.0).to_matrix(); // beside the hand
    /// let held = LocalToParent(hand.inverse().unwrap() * cup);
    /// assert_eq!((held.position().x, held.scale().x), (1.0, 0.5));
    /// ```
    #[must_use]
    pub fn inverse(&self) -> Option<Matrix4<f32>> {
        inverse(&self.0)
    }
}

rotation_and_scale!(LocalToWorld, "the world");
rotation_and_scale!(LocalToParent, "the parent's space");

/// The lengths of the axes; x is negative where the matrix mirrors.
fn lengths(matrix: &Matrix4<f32>) -> Vector3<f32> {
    let linear = linear(matrix);
    let mut lengths = Vector3::from_fn(|i, _| linear.column(i).norm());
    if is_mirrored(matrix) {
        lengths.x = -lengths.x;
    }
    lengths.cast()
}

/// The rotation `R` of `R H S`, if there is one. One flattened axis counts as perpendicular to the
/// two others, so a sprite without depth keeps its rotation.
#[inline]
pub(super) fn rotation(linear: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    right_angled(linear).or_else(|| {
        let flat = (0..3).find(|&i| linear.column(i).norm() == 0.0)?;
        let normal = linear.column((flat + 1) % 3).cross(&linear.column((flat + 2) % 3));
        let mut solid = *linear;
        solid.set_column(flat, &normal);
        right_angled(&solid)
    })
}
