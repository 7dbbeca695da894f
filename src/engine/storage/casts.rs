//! Views of plain numbers: a component as the array that it wraps.
//!
//! ```text
//!  [Translation; 2]  ─inner─►  [[f32; 3]; 2]       the same memory
//! ```
#![allow(unsafe_code)]

use nalgebra::Matrix4;

use super::mask::for_each_euler;
use crate::components::*;

/// A component with the memory layout of `Inner`. It wraps either `Inner` itself, or a type of
/// nalgebra that is an array of `f32` with the length of `Inner`, and nothing else.
///
/// # Safety
/// The layouts are the same.
pub(crate) unsafe trait Wraps: Sized {
    type Inner;

    /// A column as the values that its components wrap.
    fn inner(column: &[Self]) -> &[Self::Inner] {
        // SAFETY: `Wraps` promises the same layout.
        unsafe { std::slice::from_raw_parts(column.as_ptr().cast(), column.len()) }
    }

    /// [`inner`](Self::inner), for writing.
    fn inner_mut(column: &mut [Self]) -> &mut [Self::Inner] {
        // SAFETY: `Wraps` promises the same layout.
        unsafe { std::slice::from_raw_parts_mut(column.as_mut_ptr().cast(), column.len()) }
    }
}

macro_rules! wraps {
    ($($component:ident => $inner:ty),* $(,)?) => {$(
        // SAFETY: `repr(transparent)` over such a type, and the assertions below would not compile
        // if the sizes were off.
        unsafe impl Wraps for $component {
            type Inner = $inner;
        }
        const _: () = assert!(size_of::<$component>() == size_of::<$inner>());
        const _: () = assert!(align_of::<$component>() == align_of::<$inner>());
    )*};
}

wraps! {
    LocalToWorld => Matrix4<f32>,
    LocalToParent => Matrix4<f32>,
    WorldToLocal => Matrix4<f32>,
    CompositeRotation => Matrix4<f32>,
    CompositeScale => Matrix4<f32>,
    ParentScaleInverse => Matrix4<f32>,
    RotationPivot => [f32; 3],
    RotationPivotTranslation => [f32; 3],
    ScalePivot => [f32; 3],
    ScalePivotTranslation => [f32; 3],
    Shear => [f32; 3],
    PostRotation => [f32; 4],
    Translation => [f32; 3],
    Rotation => [f32; 4],
    Scale => f32,
    NonUniformScale => [f32; 3],
}

macro_rules! wraps_angles {
    ($($component:ident: $bit:ident,)*) => { wraps! { $($component => [f32; 3]),* } };
}
for_each_euler!(wraps_angles);
