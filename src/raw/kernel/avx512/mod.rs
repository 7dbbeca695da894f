//! The formulas with one matrix in one register: four columns of four lanes.
#![allow(unsafe_code)]

mod compose;
mod sink;

use std::arch::x86_64::*;

use nalgebra::Matrix4;

pub(super) use compose::{compose, write};

use crate::math;

/// All bits in the last column and none in the others.
const LAST_COLUMN: [i32; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1];
/// -0 in all columns but the last.
const NOTHING: [f32; 16] = [-0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0];
/// All bits in the bottom row and none above it.
const BOTTOM_ROW: [i32; 16] = [0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1];

/// All bits in the upper three rows and none in the bottom one.
const UPPER_ROWS: [i32; 16] = [-1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0];
/// What the bottom row of an affine matrix is.
const BOTTOM: [f32; 16] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn floats(array: &[f32; 16]) -> __m512 {
    // SAFETY: an array of the right size.
    unsafe { _mm512_loadu_ps(array.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn integers(array: &[i32; 16]) -> __m512i {
    // SAFETY: an array of the right size.
    unsafe { _mm512_loadu_epi32(array.as_ptr()) }
}

/// The lanes of `value` that `mask` keeps, and `others` in the lanes that it does not (where `others` alone has bits).
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn keep(value: __m512, mask: &[i32; 16], others: __m512) -> __m512 {
    // Bits of (value and mask) or others.
    let bits =
        _mm512_ternarylogic_epi32::<0b1111_1000>(_mm512_castps_si512(others), _mm512_castps_si512(value), integers(mask));
    _mm512_castsi512_ps(bits)
}

/// Writes a matrix if it differs (NaNs count as equal). Returns whether it did.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn replace(matrix: &mut Matrix4<f32>, new: __m512) -> bool {
    let old = load(matrix);
    let differ = _mm512_cmpneq_epi32_mask(_mm512_castps_si512(old), _mm512_castps_si512(new));
    if differ == 0 {
        return false;
    }
    let nans = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(new, new);
    if nans != 0 && differ & !(nans & _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(old, old)) == 0 {
        return false;
    }
    // SAFETY: a matrix is sixteen floats.
    unsafe { _mm512_storeu_ps(std::ptr::from_mut(matrix).cast(), new) };
    true
}

/// A matrix in its register.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn load(matrix: &Matrix4<f32>) -> __m512 {
    // SAFETY: a matrix is sixteen floats.
    unsafe { _mm512_loadu_ps(std::ptr::from_ref(matrix).cast()) }
}

/// A matrix that others are to be multiplied with.
#[derive(Clone, Copy)]
pub(crate) struct World {
    matrix: __m512,
    /// The same with anything in the bottom row if that is `0 0 0 1`: what a product needs first of all, before it is whole.
    upper: __m512,
}

impl World {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    pub fn load(matrix: &Matrix4<f32>) -> Self {
        let matrix = load(matrix);
        Self { matrix, upper: matrix }
    }

    #[cfg(test)]
    pub fn matrix(self) -> Matrix4<f32> {
        // SAFETY: sixteen floats.
        unsafe { std::mem::transmute::<__m512, Matrix4<f32>>(self.matrix) }
    }
}

/// See [`math::compose::product`]. Returns the product beside whether it differed: a child that comes next takes it from the
/// register, without waiting for a store that may straddle two cache lines.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn product(above: World, local: &Matrix4<f32>, world: &mut Matrix4<f32>) -> (bool, World) {
    let b = load(local);
    // Bits of (a xor bottom) or (b xor bottom).
    let others = _mm512_ternarylogic_epi32::<0b0111_1110>(
        _mm512_castps_si512(above.matrix),
        _mm512_castps_si512(b),
        _mm512_castps_si512(floats(&BOTTOM)),
    );
    let projective = _mm512_test_epi32_mask(others, integers(&BOTTOM_ROW));
    if projective != 0 {
        let changed = projective_product(above.matrix, local, world);
        return (changed, World::load(world));
    }
    // Rows do not mix, so whatever the bottom row has stays there.
    let a = above.upper;
    let sum = _mm512_add_ps(
        _mm512_mul_ps(_mm512_shuffle_f32x4::<0b00_00_00_00>(a, a), _mm512_permute_ps::<0b00_00_00_00>(b)),
        _mm512_mul_ps(_mm512_shuffle_f32x4::<0b01_01_01_01>(a, a), _mm512_permute_ps::<0b01_01_01_01>(b)),
    );
    let last = _mm512_mul_ps(_mm512_shuffle_f32x4::<0b10_10_10_10>(a, a), _mm512_permute_ps::<0b10_10_10_10>(b));
    let sum = _mm512_add_ps(sum, last);
    // Adding -0 changes nothing.
    let sum = _mm512_add_ps(sum, keep(a, &LAST_COLUMN, floats(&NOTHING)));
    let matrix = keep(sum, &UPPER_ROWS, floats(&BOTTOM));
    (replace(world, matrix), World { matrix, upper: sum })
}

/// Returns nothing but whether it wrote, so that no product has to pass through memory because this one would.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl")]
fn projective_product(a: __m512, local: &Matrix4<f32>, world: &mut Matrix4<f32>) -> bool {
    let mut above = Matrix4::zeros();
    // SAFETY: a matrix is sixteen floats.
    unsafe { _mm512_storeu_ps(std::ptr::from_mut(&mut above).cast(), a) };
    super::replace(world, &math::compose::product(&above, local))
}

/// Asks for the line that a value begins in and the one that it ends in.
#[inline]
pub(super) fn prefetch<T>(value: *const T) {
    let at = value.cast::<i8>();
    // SAFETY: a prefetch never faults, wherever it points.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(at);
        if size_of::<T>() > align_of::<T>() {
            _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(size_of::<T>() - 1));
        }
    }
}
