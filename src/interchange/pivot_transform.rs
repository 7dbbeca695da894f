//! The common form of Maya's and FBX's transforms, and its matrix.

use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use crate::{
    components::{CompositeRotation, CompositeScale, EulerOrder, Translation},
    math::{
        compose::{self, RotationFactor, ScaleFactor},
        scale_inverse,
    },
};

/// A translation, a rotation about a pivot and a sheared scale about another, in this crate's terms
/// (radians).
///
/// For column vectors its matrix is `T(translation) T(rotation_pivot_translation) T(rotation_pivot)
/// R(rotation) R(post_rotation) T(-rotation_pivot) T(scale_pivot_translation) T(scale_pivot) Shear
/// S T(-scale_pivot)`, with the inverse of the parent's scale after the translation if
/// `parent_scale_inverse` says so.
///
/// Made from a [`MayaTransform`](super::MayaTransform) or an [`FbxTransform`](super::FbxTransform),
/// or directly.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PivotTransform {
    /// Movement in the parent's space.
    pub translation: Vector3<f32>,
    /// The rotation about the pivot.
    pub rotation: UnitQuaternion<f32>,
    /// The order and the angles (radians) of `rotation`, if it came from one set of angles alone.
    /// `rotation` decides; these only become a `RotationEuler...` component.
    pub rotation_euler: Option<(EulerOrder, Vector3<f32>)>,
    /// A rotation that acts before `rotation`.
    pub post_rotation: UnitQuaternion<f32>,
    /// The Euler angles of `post_rotation`, if the source has them.
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
    /// A transform with these parts. The others are public fields, and do nothing until they are
    /// set.
    #[must_use]
    pub fn new(
        translation: Vector3<f32>,
        rotation: UnitQuaternion<f32>,
        scale: Vector3<f32>,
    ) -> Self {
        Self { translation, rotation, scale, ..Self::default() }
    }

    /// The local matrix that the bundle computes for a root with these components, for column
    /// vectors.
    #[must_use]
    pub fn local_matrix(&self) -> Matrix4<f32> {
        self.local(None)
    }

    /// The local matrix below `parent`. It cancels the parent's scale if `parent_scale_inverse`
    /// says so.
    ///
    /// If that scale has no finite inverse, the result is the bundle's for a parent of
    /// [`Detail::Minimal`](super::Detail::Minimal): an axis of scale 0 gives 0 if the parent has
    /// scale alone, and nothing is cancelled if the scale has a pivot or shear.
    #[must_use]
    pub fn local_matrix_below(&self, parent: &Self) -> Matrix4<f32> {
        let inverse = self.parent_scale_inverse.then(|| parent.inverse_scale());
        self.local(inverse.as_ref())
    }

    /// A tuple for `world.push`, beside `LocalToWorld` and, below a parent, `LocalToParent`,
    /// `Parent` and (with [`parent_scale_inverse`](Self::parent_scale_inverse))
    /// `ParentScaleInverse::default()`.
    ///
    /// The pivots, rotations, shear and scale become part of the two matrices. These are then
    /// yours: without `Rotation`, `RotationPivot`, `Scale` and so on, the bundle does not write
    /// them.
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
        compose::composite_rotation(
            Some(&self.rotation_pivot_translation),
            Some(&self.rotation_pivot),
            Some(&self.rotation),
            Some(&self.post_rotation),
        )
    }

    fn composite_scale(&self) -> Matrix4<f32> {
        compose::composite_scale(
            Some(&self.scale_pivot_translation),
            Some(&self.scale_pivot),
            Some(&self.shear),
            Some(&self.scale),
        )
    }

    fn local(&self, parent_scale_inverse: Option<&Matrix4<f32>>) -> Matrix4<f32> {
        let (rotation, scale) = (self.composite_rotation(), self.composite_scale());
        let (rotation, scale) = (RotationFactor::Matrix(&rotation), ScaleFactor::Matrix(&scale));
        compose::local_matrix(Some(&self.translation), parent_scale_inverse, rotation, scale)
    }

    /// The inverse of the scale, for a child's `ParentScaleInverse`: finite for every scale.
    fn inverse_scale(&self) -> Matrix4<f32> {
        if self.has_composite_scale() {
            compose::inverse(&self.composite_scale()).unwrap_or_else(Matrix4::identity)
        } else {
            scale_inverse(&self.scale)
        }
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
