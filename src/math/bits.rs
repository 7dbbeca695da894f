//! Comparing values bit for bit, and looking for NaN and infinity.

use nalgebra::Matrix4;
use wide::f32x4;

use crate::components::*;

/// A value that can be compared bit for bit.
pub(crate) trait SameBits: Send + Sync {
    /// Whether the two are the same bits; NaNs count as equal.
    fn same_bits(&self, other: &Self) -> bool;
}

fn same_floats(a: &[f32], b: &[f32]) -> bool {
    // No branch an element: the loop becomes a few vector instructions.
    let differ = a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a.to_bits() ^ b.to_bits()));
    differ == 0
        || a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
}

/// Whether no element is infinite or NaN.
pub(crate) fn is_finite(matrix: &Matrix4<f32>) -> bool {
    const EXPONENT: u32 = f32::INFINITY.to_bits();
    let is_other = |element: &f32| element.to_bits() & EXPONENT == EXPONENT;
    // All elements, so that four are looked at in one instruction.
    !matrix.data.0.as_flattened().iter().fold(false, |any, element| any | is_other(element))
}

impl SameBits for Matrix4<f32> {
    #[inline]
    fn same_bits(&self, other: &Self) -> bool {
        // By columns in registers: element by element it takes three times as long.
        let (a, b) = (self.data.0.map(f32x4::from), other.data.0.map(f32x4::from));
        let differ = ((a[0] ^ b[0]) | (a[1] ^ b[1])) | ((a[2] ^ b[2]) | (a[3] ^ b[3]));
        let [x, y, z, w] = differ.to_array().map(f32::to_bits);
        // A NaN makes a sum a NaN; so do infinities of both signs, and a closer look is needed.
        let sum = (b[0] + b[1]) + (b[2] + b[3]);
        (x | y) | (z | w) == 0 || sum.is_nan().any() && same_but_for_nans(self, other)
    }
}

#[cold]
fn same_but_for_nans(a: &Matrix4<f32>, b: &Matrix4<f32>) -> bool {
    same_floats(a.data.0.as_flattened(), b.data.0.as_flattened())
}

macro_rules! same_bits {
    ($($component:ident)*: |$a:ident, $b:ident| $is_same:expr) => {$(
        impl SameBits for $component {
            #[inline]
            fn same_bits(&self, other: &Self) -> bool {
                let ($a, $b) = (self, other);
                $is_same
            }
        }
    )*};
}
same_bits! {
    LocalToWorld LocalToParent WorldToLocal CompositeRotation CompositeScale ParentScaleInverse:
    |a, b| a.0.same_bits(&b.0)
}
same_bits! {
    Rotation PostRotation:
    |a, b| {
        let [[a], [b]] = [a.0.coords.data.0, b.0.coords.data.0];
        let [x, y, z, w] = (f32x4::from(a) ^ f32x4::from(b)).to_array().map(f32::to_bits);
        (x | y) | (z | w) == 0 || f32x4::from(b).is_nan().any() && same_floats(&a, &b)
    }
}
same_bits! {
    Translation NonUniformScale Shear
    RotationPivot RotationPivotTranslation ScalePivot ScalePivotTranslation
    RotationEulerXYZ RotationEulerXZY RotationEulerYXZ
    RotationEulerYZX RotationEulerZXY RotationEulerZYX
    PostRotationEulerXYZ PostRotationEulerXZY PostRotationEulerYXZ
    PostRotationEulerYZX PostRotationEulerZXY PostRotationEulerZYX:
    |a, b| same_floats(&[a.x, a.y, a.z], &[b.x, b.y, b.z])
}
same_bits! { Scale: |a, b| same_floats(&[a.0], &[b.0]) }
same_bits! { Parent PreviousParent Children Inherits: |a, b| a == b }
same_bits! {
    Frame:
    |a, b| {
        let numbers = |it: &Frame| {
            [it.position.coords.as_slice(), it.rotation.coords.as_slice()].concat()
        };
        numbers(a).iter().map(|x| x.to_bits()).eq(numbers(b).iter().map(|x| x.to_bits()))
    }
}
