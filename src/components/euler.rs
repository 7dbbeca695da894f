//! Rotations as three angles, one component for each order of the axes.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::{sines::sin_cos, vector_component};

/// The order in which three rotations about the fixed axes are applied: `XYZ` turns about x first,
/// then y, then z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EulerOrder {
    /// `Rz Ry Rx`, nalgebra's `from_euler_angles`.
    XYZ,
    /// `Ry Rz Rx`
    XZY,
    /// `Rz Rx Ry`
    YXZ,
    /// `Rx Rz Ry`
    YZX,
    /// `Ry Rx Rz`
    ZXY,
    /// `Rx Ry Rz`
    ZYX,
}

impl EulerOrder {
    /// All six. If an entity has several of their components, the first in this order wins.
    pub const ALL: [Self; 6] = [Self::XYZ, Self::XZY, Self::YXZ, Self::YZX, Self::ZXY, Self::ZYX];

    /// The rotation of these angles in this order. They are radians about x, y and z, in every
    /// order. The same bits on every platform; an angle that is not finite gives NaN.
    #[must_use]
    #[inline(always)] // the order is known where it is called
    pub fn rotation(self, angles: &Vector3<f32>) -> UnitQuaternion<f32> {
        let (sines, cosines) = sin_cos([angles.x * 0.5, angles.y * 0.5, angles.z * 0.5]);
        let ([a, b, c], sign) = match self {
            Self::XYZ => ([0, 1, 2], 1.0),
            Self::YZX => ([1, 2, 0], 1.0),
            Self::ZXY => ([2, 0, 1], 1.0),
            Self::XZY => ([0, 2, 1], -1.0),
            Self::YXZ => ([1, 0, 2], -1.0),
            Self::ZYX => ([2, 1, 0], -1.0),
        };
        // The product of three quaternions that turn about a, then b, then c.
        let (sa, sb, sc) = (sines[a], sines[b], sines[c]);
        let (ca, cb, cc) = (cosines[a], cosines[b], cosines[c]);
        let w = ca * cb * cc + sign * (sa * sb * sc);
        let mut vector = [0.0; 3];
        vector[a] = sa * cb * cc - sign * (ca * sb * sc);
        vector[b] = ca * sb * cc + sign * (sa * cb * sc);
        vector[c] = ca * cb * sc - sign * (sa * sb * cc);
        let [x, y, z] = vector;
        UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z))
    }
}

macro_rules! euler_components {
    ($($component:ident: $order:ident writes $target:literal;)*) => {$(
        /// Angles in radians about x, y and z, applied about the fixed axes in the order
        #[doc = concat!(stringify!($order), ".")]
        ///
        #[doc = concat!("Writes [`", $target, "`](super::", $target, ") where the entity has it;")]
        /// alone it does nothing.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
        #[repr(transparent)]
        pub struct $component(pub Vector3<f32>);
        vector_component!($component, 0.0);

        impl $component {
            /// The order in which the three angles are applied.
            pub const ORDER: EulerOrder = EulerOrder::$order;

            /// The rotation the angles describe.
            #[must_use]
            #[inline]
            pub fn rotation(&self) -> UnitQuaternion<f32> {
                Self::ORDER.rotation(&self.0)
            }
        }
    )*};
}

euler_components! {
    RotationEulerXYZ: XYZ writes "Rotation";
    RotationEulerXZY: XZY writes "Rotation";
    RotationEulerYXZ: YXZ writes "Rotation";
    RotationEulerYZX: YZX writes "Rotation";
    RotationEulerZXY: ZXY writes "Rotation";
    RotationEulerZYX: ZYX writes "Rotation";
    PostRotationEulerXYZ: XYZ writes "PostRotation";
    PostRotationEulerXZY: XZY writes "PostRotation";
    PostRotationEulerYXZ: YXZ writes "PostRotation";
    PostRotationEulerYZX: YZX writes "PostRotation";
    PostRotationEulerZXY: ZXY writes "PostRotation";
    PostRotationEulerZYX: ZYX writes "PostRotation";
}
