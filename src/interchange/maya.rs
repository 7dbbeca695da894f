//! Maya's transform and joint nodes.

use nalgebra::Vector3;

use super::{PivotTransform, UnknownRotationOrder, through_pivot_transform};
use crate::components::EulerOrder;

/// The transform attributes of a Maya `transform` or `joint` node. **Angles are in degrees**, as in
/// Maya's files and what `getAttr` gives (its C++ API has radians: convert with `to_degrees`).
///
/// Maya writes its matrices for row vectors (p' = p M). From the documentation of its nodes:
///
/// - `transform`: matrix = SP⁻¹ S SH SP ST RP⁻¹ RA R RP RT T
/// - `joint`: matrix = S RO R JO IS T, where RO is the attribute `rotateAxis` and IS the inverse of
///   the parent joint's `scale`, in effect with `segmentScaleCompensate`. A joint has no pivots and
///   no shear.
///
/// For column vectors one formula holds both: T IS \[RT RP JO R RA RP⁻¹\] \[ST SP SH S SP⁻¹\]. The
/// angles of `rotateAxis` apply in the order xyz, whatever `rotateOrder` says. The documentation
/// says so for transforms; this crate assumes the same for a joint's `rotateAxis` and for
/// `jointOrient`.
///
/// Not covered: `inheritsTransform` off (add [`Inherits::NOTHING`]), `offsetParentMatrix` (Maya
/// 2020 and later: an entity between the node and its parent, with that matrix as `LocalToParent`)
/// and quaternion interpolation of `rotate`.
///
/// [`Inherits::NOTHING`]: crate::components::Inherits::NOTHING
///
/// ```
/// use legion_transform::{components::EulerOrder, interchange::MayaTransform};
/// use nalgebra::Vector3;
///
/// # fn main() -> Result<(), legion_transform::interchange::UnknownRotationOrder> {
/// let mut elbow = MayaTransform::new(
///     Vector3::new(24.5, 0.0, 0.0),
///     Vector3::new(0.0, 0.0, -35.0), // degrees
///     Vector3::repeat(1.0),
/// );
/// elbow.rotate_order = MayaTransform::rotate_order(2)?; // zxy
/// elbow.joint_orient = Vector3::new(0.0, 0.0, 12.0);
/// elbow.segment_scale_compensate = true;
/// assert_eq!(elbow.rotate_order, EulerOrder::ZXY);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MayaTransform {
    /// `translate` (T).
    pub translate: Vector3<f32>,
    /// `rotate` (R), degrees about x, y and z.
    pub rotate: Vector3<f32>,
    /// `rotateOrder`: the order in which the angles of `rotate` apply.
    /// [`rotate_order`](Self::rotate_order) makes it from Maya's number.
    pub rotate_order: EulerOrder,
    /// `rotateAxis` (RA, called RO in the joint's formula), degrees, in the order xyz: acts before
    /// `rotate`.
    pub rotate_axis: Vector3<f32>,
    /// `rotatePivot` (RP).
    pub rotate_pivot: Vector3<f32>,
    /// `rotatePivotTranslate` (RT).
    pub rotate_pivot_translate: Vector3<f32>,
    /// `scale` (S).
    pub scale: Vector3<f32>,
    /// `shear` (SH): xy, xz, yz.
    pub shear: Vector3<f32>,
    /// `scalePivot` (SP).
    pub scale_pivot: Vector3<f32>,
    /// `scalePivotTranslate` (ST).
    pub scale_pivot_translate: Vector3<f32>,
    /// `jointOrient` (JO), degrees, in the order xyz: acts after `rotate`. Zero for nodes that are
    /// no joints.
    pub joint_orient: Vector3<f32>,
    /// `segmentScaleCompensate`: cancels the parent's scale. Maya's joints have it on by default,
    /// below a joint; its other nodes do not have it.
    pub segment_scale_compensate: bool,
}

impl Default for MayaTransform {
    /// A new `transform` node: the identity.
    fn default() -> Self {
        let zero = Vector3::zeros();
        Self {
            translate: zero,
            rotate: zero,
            rotate_order: EulerOrder::XYZ,
            rotate_axis: zero,
            rotate_pivot: zero,
            rotate_pivot_translate: zero,
            scale: Vector3::repeat(1.0),
            shear: zero,
            scale_pivot: zero,
            scale_pivot_translate: zero,
            joint_orient: zero,
            segment_scale_compensate: false,
        }
    }
}

impl MayaTransform {
    /// A node with these attributes; `rotate` in degrees. The others are public fields, and do
    /// nothing until they are set.
    #[must_use]
    pub fn new(translate: Vector3<f32>, rotate: Vector3<f32>, scale: Vector3<f32>) -> Self {
        Self { translate, rotate, scale, ..Self::default() }
    }

    /// Maya's number for a rotation order: 0 to 5 are xyz, yzx, zxy, xzy, yxz and zyx.
    ///
    /// # Errors
    /// For any other number.
    pub fn rotate_order(number: i32) -> Result<EulerOrder, UnknownRotationOrder> {
        use EulerOrder::{XYZ, XZY, YXZ, YZX, ZXY, ZYX};
        let orders = [XYZ, YZX, ZXY, XZY, YXZ, ZYX];
        let order = usize::try_from(number).ok().and_then(|number| orders.get(number));
        order.copied().ok_or(UnknownRotationOrder { format: "Maya", order: number })
    }

    /// The same transform in this crate's terms.
    ///
    /// Its `rotation` is JO R: to animate `rotate` on an entity that has no `RotationEuler...`
    /// component, write that into the entity's `Rotation`.
    #[must_use]
    pub fn to_pivot_transform(&self) -> PivotTransform {
        let rotate = self.rotate.map(f32::to_radians);
        let axis = self.rotate_axis.map(f32::to_radians);
        let orient = EulerOrder::XYZ.rotation(&self.joint_orient.map(f32::to_radians));
        let oriented = self.joint_orient != Vector3::zeros();
        PivotTransform {
            translation: self.translate,
            rotation: orient * self.rotate_order.rotation(&rotate),
            rotation_euler: (!oriented).then_some((self.rotate_order, rotate)),
            post_rotation: EulerOrder::XYZ.rotation(&axis),
            post_rotation_euler: Some((EulerOrder::XYZ, axis)),
            rotation_pivot: self.rotate_pivot,
            rotation_pivot_translation: self.rotate_pivot_translate,
            scale: self.scale,
            shear: self.shear,
            scale_pivot: self.scale_pivot,
            scale_pivot_translation: self.scale_pivot_translate,
            parent_scale_inverse: self.segment_scale_compensate,
        }
    }
}

through_pivot_transform!(MayaTransform);
