//! Views of plain numbers: a component as the array that it wraps, and both as bytes.
//!
//! ```text
//!  [Translation; 2]  ─inner─►  [[f32; 3]; 2]  ─bytes─►  [u8; 24]       the same memory
//! ```
#![allow(unsafe_code)]

use nalgebra::Matrix4;

use crate::components::*;

/// A type whose every bit pattern is bytes that can be compared.
///
/// # Safety
/// It has no padding and no interior mutability.
pub(crate) unsafe trait Numbers: Copy {}

// SAFETY: four bytes.
unsafe impl Numbers for f32 {}
// SAFETY: arrays of `f32`.
unsafe impl<const LEN: usize> Numbers for [f32; LEN] {}
// SAFETY: sixteen `f32` and nothing else.
unsafe impl Numbers for Matrix4<f32> {}

/// The bytes of a column.
pub(crate) fn bytes<T: Numbers>(column: &[T]) -> &[u8] {
    // SAFETY: `Numbers` are all bytes; the length is theirs.
    unsafe { std::slice::from_raw_parts(column.as_ptr().cast(), size_of_val(column)) }
}

/// A component with the memory layout of `Inner`. It wraps either `Inner` itself, or a type of
/// nalgebra that is an array of `f32` with the length of `Inner`, and nothing else.
///
/// # Safety
/// The layouts are the same.
pub(crate) unsafe trait Wraps {
    type Inner;
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
    Translation => [f32; 3],
    Rotation => [f32; 4],
    Scale => f32,
    NonUniformScale => [f32; 3],
}

/// A column as the values that its components wrap.
pub(crate) fn inner<T: Wraps>(column: &[T]) -> &[T::Inner] {
    // SAFETY: `Wraps` promises the same layout.
    unsafe { std::slice::from_raw_parts(column.as_ptr().cast(), column.len()) }
}

/// [`inner`], for writing.
pub(crate) fn inner_mut<T: Wraps>(column: &mut [T]) -> &mut [T::Inner] {
    // SAFETY: `Wraps` promises the same layout.
    unsafe { std::slice::from_raw_parts_mut(column.as_mut_ptr().cast(), column.len()) }
}
