//! Views of plain numbers: a component as what it wraps, and both as bytes.
#![allow(unsafe_code)]

use std::num::NonZeroU64;

use legion::Entity;
use nalgebra::Matrix4;

use crate::components::*;

/// A type whose every bit pattern is bytes that can be compared.
///
/// # Safety
/// It has no padding and no interior mutability.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: four bytes.
unsafe impl Plain for f32 {}
// SAFETY: arrays of `f32`.
unsafe impl<const LEN: usize> Plain for [f32; LEN] {}
// SAFETY: sixteen `f32` and nothing else.
unsafe impl Plain for Matrix4<f32> {}

/// The bytes of a column.
pub(crate) fn bytes<T: Plain>(column: &[T]) -> &[u8] {
    // SAFETY: `Plain` types are all bytes; the length is theirs.
    unsafe { std::slice::from_raw_parts(column.as_ptr().cast(), size_of_val(column)) }
}

/// A component that is laid out as `Inner`: it wraps that, or a type of nalgebra that is an array
/// of as many `f32` and nothing else.
///
/// # Safety
/// It is.
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

/// A column as what its components wrap.
pub(crate) fn inner<T: Wraps>(column: &[T]) -> &[T::Inner] {
    // SAFETY: `Wraps` promises the same layout.
    unsafe { std::slice::from_raw_parts(column.as_ptr().cast(), column.len()) }
}

/// Likewise, for writing.
pub(crate) fn inner_mut<T: Wraps>(column: &mut [T]) -> &mut [T::Inner] {
    // SAFETY: `Wraps` promises the same layout.
    unsafe { std::slice::from_raw_parts_mut(column.as_mut_ptr().cast(), column.len()) }
}

const _: () = assert!(
    size_of::<Entity>() == size_of::<NonZeroU64>()
        && align_of::<Entity>() == align_of::<NonZeroU64>()
);

/// The entity with a number, which is what it [hashes](super::columns::captured) as.
pub(crate) fn entity(number: NonZeroU64) -> Entity {
    // SAFETY: Legion's `Entity` is a transparent wrapper of this type, and every number of it
    // stands for an entity, alive or not.
    unsafe { std::mem::transmute::<NonZeroU64, Entity>(number) }
}
