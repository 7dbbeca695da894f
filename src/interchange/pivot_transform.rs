//! What Maya's and FBX's transforms have in common, and its product.

use nalgebra::{Matrix3, Matrix4, Translation3, UnitQuaternion, Vector3};

use crate::components::{CompositeRotation, CompositeScale, EulerOrder, Translation};

/// A translation, a rotation about a pivot and a sheared scale about another, in this crate's terms (radians).
///
/// For column vectors its matrix is
/// `T(translation) T(rotation_pivot_translation) T(rotation_pivot) R(rotation) R(post_rotation) T(-rotation_pivot)
/// T(scale_pivot_translation) T(scale_pivot) Shear S T(-scale_pivot)`, with the inverse of the parent's scale after the
/// translation if `parent_scale_inverse` says so.
///
/// Made from a [`MayaTransform`](super::MayaTransform) or an [`FbxTransform`](super::FbxTransform), or directly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PivotTransform {
    /// Movement in the parent's space.
    pub translation: Vector3<f32>,
    /// The rotation about the pivot.
    pub rotation: UnitQuaternion<f32>,
    /// The order and the angles (radians) from which `rotation` came, where it came from one set of angles alone.
    /// `rotation` decides; these only become a `RotationEuler...` component.
    pub rotation_euler: Option<(EulerOrder, Vector3<f32>)>,
    /// A rotation that acts before `rotation`.
    pub post_rotation: UnitQuaternion<f32>,
    /// Likewise for `post_rotation`.
    pub post_rotation_euler: Option<(EulerOrder, Vector3<f32>)>,
    /// The point about which the two rotations turn.
    pub rotation_pivot: Vector3<f32>,
    /// A translation after the rotation.
    pub rotation_pivot_translation: Vector3<f32>,
    /// Scale along each axis.
    pub scale: Vector3<f32>,
    /// Shear (xy, xz, yz) after the scale.
    pub shear: Vector3<f32>,
    /// The point that scale and shear leave where it is.
    pub scale_pivot: Vector3<f32>,
    /// A translation after scale and shear.
    pub scale_pivot_translation: Vector3<f32>,
    /// Whether to cancel the parent's scale.
    pub parent_scale_inverse: bool,
}

impl Default for PivotTransform {
    fn default() -> Self {
        let zero = Vector3::zeros();
        Self {
            translation: zero,
            rotation: UnitQuaternion::identity(),
            rotation_euler: None,
            post_rotation: UnitQuaternion::identity(),
            post_rotation_euler: None,
            rotation_pivot: zero,
            rotation_pivot_translation: zero,
            scale: Vector3::repeat(1.0),
            shear: zero,
            scale_pivot: zero,
            scale_pivot_translation: zero,
            parent_scale_inverse: false,
        }
    }
}

impl PivotTransform {
    /// The local matrix, for column vectors: what the bundle computes for a root with these components.
    #[must_use]
    pub fn local_matrix(&self) -> Matrix4<f32> {
        Translation3::from(self.translation).to_homogeneous() * self.composite_rotation() * self.composite_scale()
    }

    /// The local matrix below `parent`, whose scale it cancels if `parent_scale_inverse` says so.
    ///
    /// A parent's scale without a finite inverse (a zero on an axis, say) is cancelled as far as its axes allow, as the
    /// bundle does it: an axis of scale 0 gives 0 where the parent has scale alone, and nothing is cancelled where it has
    /// pivots or shear.
    #[must_use]
    pub fn local_matrix_below(&self, parent: &Self) -> Matrix4<f32> {
        if !self.parent_scale_inverse {
            return self.local_matrix();
        }
        Translation3::from(self.translation).to_homogeneous()
            * parent.inverse_scale()
            * self.composite_rotation()
            * self.composite_scale()
    }

    /// A tuple for `world.push`, beside `LocalToWorld` and, below a parent, `LocalToParent`, `Parent` and (with
    /// [`parent_scale_inverse`](Self::parent_scale_inverse)) `ParentScaleInverse::default()`.
    ///
    /// The pivots, rotations, shear and scale are worked into the two matrices, which are then the user's: without
    /// `Rotation`, `RotationPivot`, `Scale` and the rest beside them, the bundle does not write them.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{interchange::PivotTransform, prelude::*};
    /// # let mut world = World::default();
    /// let (translation, rotation, scale) = PivotTransform::default().components();
    /// world.push((LocalToWorld::default(), translation, rotation, scale));
    /// ```
    #[must_use]
    pub fn components(&self) -> (Translation, CompositeRotation, CompositeScale) {
        (
            Translation::from(self.translation),
            CompositeRotation(self.composite_rotation()),
            CompositeScale(self.composite_scale()),
        )
    }

    fn composite_rotation(&self) -> Matrix4<f32> {
        let there = Translation3::from(self.rotation_pivot_translation + self.rotation_pivot);
        (there * (self.rotation * self.post_rotation) * Translation3::from(-self.rotation_pivot)).to_homogeneous()
    }

    fn composite_scale(&self) -> Matrix4<f32> {
        let [xy, xz, yz] = self.shear.into();
        let shear = Matrix3::new(1.0, xy, xz, 0.0, 1.0, yz, 0.0, 0.0, 1.0);
        let linear = shear * Matrix3::from_diagonal(&self.scale);
        let offset = self.scale_pivot_translation + self.scale_pivot - linear * self.scale_pivot;
        let mut matrix = linear.to_homogeneous();
        matrix.fixed_view_mut::<3, 1>(0, 3).copy_from(&offset);
        matrix
    }

    /// The inverse of `composite_scale`, finite whatever the scale.
    fn inverse_scale(&self) -> Matrix4<f32> {
        if self.has_composite_scale() {
            let inverse = self.composite_scale().try_inverse().filter(|matrix| matrix.iter().all(|x| x.is_finite()));
            return inverse.unwrap_or_else(Matrix4::identity);
        }
        let reciprocal = |x: f32| if (1.0 / x).is_finite() { 1.0 / x } else { 0.0 };
        Matrix4::new_nonuniform_scaling(&self.scale.map(reciprocal))
    }

    /// Whether scale alone is not enough.
    pub(super) fn has_composite_scale(&self) -> bool {
        let moves = self.scale != Vector3::repeat(1.0) && self.scale_pivot != Vector3::zeros();
        moves || self.shear != Vector3::zeros() || self.scale_pivot_translation != Vector3::zeros()
    }

    /// Whether `rotation` alone is not enough.
    pub(super) fn has_composite_rotation(&self) -> bool {
        let turns = self.rotation != UnitQuaternion::identity();
        let twists = self.post_rotation != UnitQuaternion::identity();
        let swings = (turns || twists) && self.rotation_pivot != Vector3::zeros();
        twists || swings || self.rotation_pivot_translation != Vector3::zeros()
    }
}
