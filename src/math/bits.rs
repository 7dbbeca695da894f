//! Comparing values bit for bit, and looking for NaN and infinity.

use nalgebra::Matrix4;

use crate::components::*;

/// A value that can be compared bit for bit.
pub(crate) trait SameBits: Copy + Send + Sync {
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
    let magnitudes = matrix.data.0.as_flattened().iter().map(|element| element.abs().to_bits());
    magnitudes.fold(0, u32::max) < f32::INFINITY.to_bits()
}

impl SameBits for Matrix4<f32> {
    #[inline]
    fn same_bits(&self, other: &Self) -> bool {
        same_floats(self.data.0.as_flattened(), other.data.0.as_flattened())
    }
}

macro_rules! same_bits_of_matrices {
    ($($component:ident),*) => {$(
        impl SameBits for $component {
            #[inline]
            fn same_bits(&self, other: &Self) -> bool {
                self.0.same_bits(&other.0)
            }
        }
    )*};
}
same_bits_of_matrices!(
    LocalToWorld,
    LocalToParent,
    WorldToLocal,
    CompositeRotation,
    CompositeScale,
    ParentScaleInverse
);

macro_rules! same_bits_of_quaternions {
    ($($component:ident),*) => {$(
        impl SameBits for $component {
            #[inline]
            fn same_bits(&self, other: &Self) -> bool {
                same_floats(
                    self.0.coords.data.0.as_flattened(),
                    other.0.coords.data.0.as_flattened(),
                )
            }
        }
    )*};
}
same_bits_of_quaternions!(Rotation, PostRotation);
