//! Rotations as three angles, one component for each order of the axes.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::{
    sines::{is_small, sin_cos, sin_cos_of_small},
    vector_component,
};

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
        let (axes, sign) = self.axes();
        let product = Self::product(sign, axes.map(|i| sines[i]), axes.map(|i| cosines[i]));
        let mut lanes = [product[3]; 4];
        (lanes[axes[0]], lanes[axes[1]], lanes[axes[2]]) = (product[0], product[1], product[2]);
        UnitQuaternion::new_unchecked(Quaternion::from(lanes))
    }

    /// [`rotation`](Self::rotation) of up to 64 triples of angles, as quaternions `x y z w`: in
    /// lanes, of which each has an angle of another triple.
    ///
    /// ```text
    ///  angles    x y z | x y z | x y z
    ///  halves    x x x | y y y | z z z
    /// ```
    #[inline(always)] // compiled for the instruction set of the caller
    pub(crate) fn rotations(self, angles: &[[f32; 3]], turned: &mut [[f32; 4]]) {
        let len = angles.len().min(64);
        let (mut halves, mut all_small) = ([[0.0; 64]; 3], true);
        for (i, angles) in angles[..len].iter().enumerate() {
            for axis in 0..3 {
                halves[axis][i] = angles[axis] * 0.5;
                all_small &= is_small(halves[axis][i]);
            }
        }
        let (mut sines, mut cosines) = ([[0.0; 64]; 3], [[0.0; 64]; 3]);
        for axis in 0..3 {
            for i in 0..len {
                (sines[axis][i], cosines[axis][i]) = sin_cos_of_small(halves[axis][i]);
            }
        }
        let ([a, b, c], sign) = self.axes();
        let mut parts = [[0.0; 64]; 4];
        for i in 0..len {
            let sines = [sines[a][i], sines[b][i], sines[c][i]];
            let cosines = [cosines[a][i], cosines[b][i], cosines[c][i]];
            [parts[0][i], parts[1][i], parts[2][i], parts[3][i]] =
                Self::product(sign, sines, cosines);
        }
        for (i, turned) in turned[..len].iter_mut().enumerate() {
            turned[3] = parts[3][i];
            (turned[a], turned[b], turned[c]) = (parts[0][i], parts[1][i], parts[2][i]);
        }
        if !all_small {
            self.rotations_of_large(angles, turned);
        }
    }

    #[cold]
    fn rotations_of_large(self, angles: &[[f32; 3]], turned: &mut [[f32; 4]]) {
        for (angles, turned) in angles.iter().zip(turned) {
            *turned = self.rotation(&Vector3::from(*angles)).coords.into();
        }
    }

    /// The axes in the order in which it turns about them, x as 0, and 1 or -1: whether y follows
    /// x, z follows y and x follows z, or the other way round.
    #[inline(always)]
    fn axes(self) -> ([usize; 3], f32) {
        match self {
            Self::XYZ => ([0, 1, 2], 1.0),
            Self::YZX => ([1, 2, 0], 1.0),
            Self::ZXY => ([2, 0, 1], 1.0),
            Self::XZY => ([0, 2, 1], -1.0),
            Self::YXZ => ([1, 0, 2], -1.0),
            Self::ZYX => ([2, 1, 0], -1.0),
        }
    }

    /// The product of three quaternions that turn about the axes a, then b, then c, by the sines
    /// and cosines of half the angles: the parts along a, b and c, and the real part.
    #[inline(always)]
    fn product(sign: f32, [sa, sb, sc]: [f32; 3], [ca, cb, cc]: [f32; 3]) -> [f32; 4] {
        [
            sa * cb * cc - sign * (ca * sb * sc),
            ca * sb * cc + sign * (sa * cb * sc),
            ca * cb * sc - sign * (sa * sb * cc),
            ca * cb * cc + sign * (sa * sb * sc),
        ]
    }
}

/// Calls a macro with the component whose angles, in this order, write `Rotation`.
macro_rules! with_rotation_euler {
    ($order:expr, $call:ident) => {
        match $order {
            EulerOrder::XYZ => $call!(RotationEulerXYZ),
            EulerOrder::XZY => $call!(RotationEulerXZY),
            EulerOrder::YXZ => $call!(RotationEulerYXZ),
            EulerOrder::YZX => $call!(RotationEulerYZX),
            EulerOrder::ZXY => $call!(RotationEulerZXY),
            EulerOrder::ZYX => $call!(RotationEulerZYX),
        }
    };
}
pub(crate) use with_rotation_euler;

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
        pub struct $component(
            #[cfg_attr(feature = "serde", serde(with = "super::numbers"))] pub Vector3<f32>,
        );
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
