//! AVX-512: a matrix is one register, a column a quarter of it.

use std::arch::x86_64::*;

use crate::limit::columns::{Matrix, View};

super::passes!("avx512", "avx512f");

/// The nine numbers of the linear part, the three of the translation, the one in the corner.
const LINEAR: __mmask16 = 0x0777;
const TRANSLATION: __mmask16 = 0x7000;
/// Where the two products of quaternion components are subtracted from each other, and where their sum from one: on the
/// diagonal, and in the corner, where it is zero.
const DIFFERENCE: __mmask16 = 0b0000_0010_0001_0100;
const FROM_ONE: __mmask16 = 0b1000_0100_0010_0001;

/// Which components (x = 0 to w = 3) the products are of, column by column.
const A: [i32; 16] = [1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
const B: [i32; 16] = [1, 1, 2, 0, 1, 0, 2, 0, 2, 2, 0, 0, 0, 0, 0, 0];
const C: [i32; 16] = [2, 2, 1, 0, 2, 2, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0];
const D: [i32; 16] = [2, 3, 3, 0, 3, 2, 3, 0, 3, 3, 1, 0, 0, 0, 0, 0];

#[inline]
#[target_feature(enable = "avx512f")]
fn pick(quaternion: __m512, components: &[i32; 16]) -> __m512 {
    // SAFETY: an array of the right size; constants end up in registers.
    _mm512_permutevar_ps(quaternion, unsafe { _mm512_loadu_epi32(components.as_ptr()) })
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn local(view: &View, node: usize) -> __m512 {
    // SAFETY: the caller keeps the view's contract; there is one translation more than there are nodes.
    let (translation, rotation, scale) = unsafe {
        (
            _mm_loadu_ps(view.translations.add(node).cast()),
            _mm_loadu_ps(view.rotations.add(node).cast()),
            _mm512_set1_ps(*view.scales.add(node)),
        )
    };
    let q = _mm512_broadcast_f32x4(rotation);
    let twice = _mm512_add_ps(q, q);
    let first = _mm512_maskz_mul_ps(LINEAR, pick(twice, &A), pick(q, &B));
    let second = _mm512_maskz_mul_ps(LINEAR, pick(twice, &C), pick(q, &D));
    let sum = _mm512_add_ps(first, second);
    let sum = _mm512_mask_sub_ps(sum, DIFFERENCE, first, second);
    let turn = _mm512_mask_sub_ps(sum, FROM_ONE, _mm512_set1_ps(1.0), sum);
    let linear = _mm512_mask_mul_ps(turn, LINEAR, turn, scale);
    _mm512_mask_broadcast_f32x4(linear, TRANSLATION, translation)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn below(parent: __m512, local: __m512) -> __m512 {
    let x = _mm512_mul_ps(_mm512_shuffle_f32x4::<0x00>(parent, parent), _mm512_permute_ps::<0x00>(local));
    let y = _mm512_mul_ps(_mm512_shuffle_f32x4::<0x55>(parent, parent), _mm512_permute_ps::<0x55>(local));
    let z = _mm512_mul_ps(_mm512_shuffle_f32x4::<0xAA>(parent, parent), _mm512_permute_ps::<0xAA>(local));
    // The parent's translation belongs to the last column alone, where it already is.
    let w = _mm512_maskz_mov_ps(0xF000, parent);
    _mm512_add_ps(_mm512_add_ps(x, y), _mm512_add_ps(z, w))
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(at: *const Matrix) -> __m512 {
    // SAFETY: the caller keeps the view's contract; a `Matrix` is aligned to 64 bytes.
    unsafe { _mm512_load_ps(at.cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(at: *mut Matrix, world: __m512) {
    // SAFETY: as in `load`.
    unsafe { _mm512_store_ps(at.cast(), world) };
}
