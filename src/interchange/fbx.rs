//! FBX's nodes ("Models").

use nalgebra::Vector3;

use super::{PivotTransform, UnknownRotationOrder, through_pivot_transform};
use crate::components::EulerOrder;

/// The transform properties of an FBX node. **Angles are in degrees**, as in the file.
///
/// FBX writes its matrices for column vectors. From the SDK's documentation ("Computing
/// transformation matrices"): T Roff Rp Rpre R Rpost⁻¹ Rp⁻¹ Soff Sp S Sp⁻¹, with R = Rz Ry Rx for
/// the default order XYZ. Note the inverted post-rotation. PreRotation and PostRotation are angles
/// in the order XYZ, whatever RotationOrder says; the documentation says so of R alone, and
/// importers that were checked against the SDK agree.
///
/// Outside of this transform:
///
/// - **Geometric translation, rotation and scaling** move the node's own mesh and are not inherited
///   by its children, so they are no part of the hierarchy: bake them into the mesh, or put the
///   mesh's entity below the node's with the matrix T R S of the three as its `LocalToParent`.
/// - **InheritType** 1 (RSrs) is the ordinary product of parent and child. 2 (Rrs) is
///   [`scale_compensate`](Self::scale_compensate). 0 (RrSs) applies the parent's scale along the
///   child's own, turned axes, which no local matrix can express: compute such worlds yourself and
///   write `LocalToWorld`.
/// - **Limits**, axis conversion and the file's unit are the importer's work.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FbxTransform {
    /// Lcl Translation (T).
    pub translation: Vector3<f32>,
    /// Lcl Rotation (R), degrees about x, y and z.
    pub rotation: Vector3<f32>,
    /// RotationOrder: the order in which the angles of `rotation` apply.
    /// [`rotation_order`](Self::rotation_order) makes it from FBX's number.
    pub rotation_order: EulerOrder,
    /// PreRotation (Rpre), degrees, in the order XYZ: acts after `rotation`.
    pub pre_rotation: Vector3<f32>,
    /// PostRotation (Rpost), degrees, in the order XYZ: its inverse acts before `rotation`.
    pub post_rotation: Vector3<f32>,
    /// RotationActive. Set this to `false` if the file says no or nothing, or if
    /// RotationSpaceForLimitOnly is set: then PreRotation, PostRotation and RotationOrder have no
    /// effect. (`true` by default, so that the numbers here count.)
    pub rotation_active: bool,
    /// RotationPivot (Rp).
    pub rotation_pivot: Vector3<f32>,
    /// RotationOffset (Roff).
    pub rotation_offset: Vector3<f32>,
    /// Lcl Scaling (S).
    pub scaling: Vector3<f32>,
    /// ScalingPivot (Sp).
    pub scaling_pivot: Vector3<f32>,
    /// ScalingOffset (Soff).
    pub scaling_offset: Vector3<f32>,
    /// InheritType 2 (Rrs): cancels the parent's scale.
    ///
    /// Exact if the parent's ancestors have uniform scale or none. (FBX applies their scale
    /// along the child's axes; `ParentScaleInverse`, like Maya, leaves it along the parent's.)
    pub scale_compensate: bool,
}

impl Default for FbxTransform {
    /// A node without transform properties: the identity.
    fn default() -> Self {
        let zero = Vector3::zeros();
        Self {
            translation: zero,
            rotation: zero,
            rotation_order: EulerOrder::XYZ,
            pre_rotation: zero,
            post_rotation: zero,
            rotation_active: true,
            rotation_pivot: zero,
            rotation_offset: zero,
            scaling: Vector3::repeat(1.0),
            scaling_pivot: zero,
            scaling_offset: zero,
            scale_compensate: false,
        }
    }
}

impl FbxTransform {
    /// A node with these properties; `rotation` in degrees. The others are public fields, and do
    /// nothing until they are set.
    #[must_use]
    pub fn new(translation: Vector3<f32>, rotation: Vector3<f32>, scaling: Vector3<f32>) -> Self {
        Self { translation, rotation, scaling, ..Self::default() }
    }

    /// FBX's number for a rotation order: 0 to 5 are XYZ, XZY, YZX, YXZ, ZXY and ZYX (not Maya's
    /// numbers).
    ///
    /// # Errors
    /// For any other number. 6, spheric XYZ, is not an order of Euler angles.
    pub fn rotation_order(number: i32) -> Result<EulerOrder, UnknownRotationOrder> {
        use EulerOrder::{XYZ, XZY, YXZ, YZX, ZXY, ZYX};
        let orders = [XYZ, XZY, YZX, YXZ, ZXY, ZYX];
        let order = usize::try_from(number).ok().and_then(|number| orders.get(number));
        order.copied().ok_or(UnknownRotationOrder { format: "FBX", order: number })
    }

    /// The same transform in this crate's terms.
    ///
    /// Its `rotation` is Rpre R: to animate `rotation` on an entity that has no `RotationEuler...`
    /// component, write that into the entity's `Rotation`.
    #[must_use]
    pub fn to_pivot_transform(&self) -> PivotTransform {
        let zero = Vector3::zeros();
        let (order, pre, post) = match self.rotation_active {
            true => (self.rotation_order, self.pre_rotation, self.post_rotation),
            false => (EulerOrder::XYZ, zero, zero),
        };
        let angles = self.rotation.map(f32::to_radians);
        let (pre, post) = (pre.map(f32::to_radians), post.map(f32::to_radians));
        PivotTransform {
            translation: self.translation,
            rotation: EulerOrder::XYZ.rotation(&pre) * order.rotation(&angles),
            rotation_euler: (pre == zero).then_some((order, angles)),
            // The inverse of Rz Ry Rx turns back about the axes, in the opposite order.
            post_rotation: EulerOrder::ZYX.rotation(&-post),
            post_rotation_euler: Some((EulerOrder::ZYX, -post)),
            rotation_pivot: self.rotation_pivot,
            rotation_pivot_translation: self.rotation_offset,
            scale: self.scaling,
            shear: zero,
            scale_pivot: self.scaling_pivot,
            scale_pivot_translation: self.scaling_offset,
            parent_scale_inverse: self.scale_compensate,
        }
    }
}

through_pivot_transform!(FbxTransform);
