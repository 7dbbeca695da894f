//! Rotations as three angles, one component for each order of the axes.

use nalgebra::{UnitQuaternion, Vector3};

use super::vector_component;

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
    /// order.
    #[must_use]
    pub fn rotation(self, angles: &Vector3<f32>) -> UnitQuaternion<f32> {
        let x = || UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angles.x);
        let y = || UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angles.y);
        let z = || UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angles.z);
        match self {
            Self::XYZ => z() * y() * x(),
            Self::XZY => y() * z() * x(),
            Self::YXZ => z() * x() * y(),
            Self::YZX => x() * z() * y(),
            Self::ZXY => y() * x() * z(),
            Self::ZYX => x() * y() * z(),
        }
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
