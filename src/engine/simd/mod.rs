//! The hot formulas, `T R S`, `parent * local` and what a local matrix may have besides, for the
//! instruction sets of the machine at hand.
//!
//! [`isa`] chooses one; [`operations`] has the trait [`Simd`], which [`portable`] implements over
//! `wide::f32x4` (SSE2, NEON, wasm; once more for AVX2) and `avx512` in one register; [`compose`]
//! has the loop over columns. The loop over the forest is in `propagation`.
//!
//! Every instruction set does the operations of [`math::compose`](crate::math::compose) in the same
//! order, without fused multiply-add: the same bits on every machine.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod compose;
mod isa;
mod operations;
mod portable;
#[cfg(test)]
mod tests;

pub(crate) use compose::Formula;
pub(crate) use isa::{Isa, Kernel};
pub(crate) use operations::{Factors, Simd};

/// Begins to load the cache lines in which a value begins and ends: a matrix of 64 bytes is in one
/// or two. Does nothing on other machines than x86-64.
#[inline(always)]
pub(crate) fn prefetch<T>(value: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let at = value.cast::<i8>();
        // SAFETY: a prefetch never faults, wherever it points.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(at);
            if size_of::<T>() > align_of::<T>() {
                _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(size_of::<T>() - 1));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
