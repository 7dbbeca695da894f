//! AVX-512: a matrix is one register, a column a quarter of it.

use std::arch::{asm, x86_64::*};

use crate::limit::columns::{Matrix, View};

super::passes!("avx512", "avx512f", "avx512 streaming");

/// Which components (x = 0 to w = 3) the products are of, column by column. Where there is to be a
/// zero, in the fourth row and for now in the last column, both products are x y.
const A: [i32; 16] = [1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
const B: [i32; 16] = [1, 1, 2, 1, 1, 0, 2, 1, 2, 2, 0, 1, 1, 1, 1, 1];
const C: [i32; 16] = [2, 2, 1, 0, 2, 2, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0];
const D: [i32; 16] = [2, 3, 3, 1, 3, 2, 3, 1, 3, 3, 1, 1, 1, 1, 1, 1];

/// The products' signs (-0.0 turns one), and what they are added to.
const N: f32 = -0.0;
const SIGN_AB: [f32; 16] =
    [N, 0.0, 0.0, 0.0, 0.0, N, 0.0, 0.0, 0.0, 0.0, N, 0.0, 0.0, 0.0, 0.0, 0.0];
const SIGN_CD: [f32; 16] = [N, 0.0, N, N, N, N, 0.0, N, 0.0, N, N, N, N, N, N, N];
const START: [f32; 16] =
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// The same value, of which the compiler knows nothing: left to itself it merges shuffles into
/// dearer ones.
#[inline]
#[target_feature(enable = "avx512f")]
fn opaque(mut value: __m512) -> __m512 {
    // SAFETY: there is no instruction.
    unsafe {
        asm!("/* {0} */", inout(zmm_reg) value, options(pure, nomem, nostack, preserves_flags))
    };
    value
}

#[inline]
#[target_feature(enable = "avx512f")]
fn pick(quaternion: __m512, components: &[i32; 16]) -> __m512 {
    // SAFETY: an array of the right size; constants end up in registers.
    _mm512_permutevar_ps(quaternion, unsafe { _mm512_loadu_epi32(components.as_ptr()) })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn signed(value: __m512, signs: &[f32; 16]) -> __m512 {
    // SAFETY: an array of the right size; constants end up in registers.
    let signs = unsafe { _mm512_loadu_si512(signs.as_ptr().cast()) };
    _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(value), signs))
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn local(view: &View, node: usize) -> __m512 {
    // SAFETY: the caller keeps the view's contract; there is one translation more than there are
    // nodes.
    let (translation, rotation, scale, start) = unsafe {
        (
            _mm_loadu_ps(view.translations.add(node).cast()),
            _mm_loadu_ps(view.rotations.add(node).cast()),
            _mm512_set1_ps(*view.scales.add(node)),
            _mm512_loadu_ps(START.as_ptr()),
        )
    };
    let q = opaque(_mm512_broadcast_f32x4(rotation));
    let twice = _mm512_add_ps(q, q);
    let first = _mm512_mul_ps(pick(twice, &A), pick(q, &B));
    let second = _mm512_mul_ps(pick(twice, &C), pick(q, &D));
    let turn =
        _mm512_add_ps(start, _mm512_add_ps(signed(first, &SIGN_AB), signed(second, &SIGN_CD)));
    // A translation's fourth number is 1: it is the corner.
    let translation = _mm_insert_ps::<0x30>(translation, _mm_set_ss(1.0));
    opaque(_mm512_insertf32x4::<3>(_mm512_mul_ps(turn, scale), translation))
}

/// The parent's first three columns, each in all four places, and its translation, in its own.
struct Parent {
    x: __m512,
    y: __m512,
    z: __m512,
    translation: __m512,
}

#[inline]
#[target_feature(enable = "avx512f")]
fn product(parent: &Parent, local: __m512) -> __m512 {
    let x = _mm512_mul_ps(parent.x, _mm512_permute_ps::<0x00>(local));
    let y = _mm512_mul_ps(parent.y, _mm512_permute_ps::<0x55>(local));
    let z = _mm512_mul_ps(parent.z, _mm512_permute_ps::<0xAA>(local));
    _mm512_add_ps(_mm512_add_ps(x, y), _mm512_add_ps(z, parent.translation))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn below(parent: __m512, local: __m512) -> __m512 {
    let parent = Parent {
        x: _mm512_shuffle_f32x4::<0x00>(parent, parent),
        y: _mm512_shuffle_f32x4::<0x55>(parent, parent),
        z: _mm512_shuffle_f32x4::<0xAA>(parent, parent),
        translation: _mm512_maskz_mov_ps(0xF000, parent),
    };
    product(&parent, local)
}

/// Like `below`: loads put columns where they belong for nothing, while shuffles are what this
/// kernel has most of.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn below_stored(parent: *const Matrix, local: __m512) -> __m512 {
    // SAFETY: the caller keeps the view's contract; a `Matrix` is aligned to 64 bytes.
    let parent = unsafe {
        let column = |number: usize| {
            _mm512_broadcast_f32x4(_mm_load_ps(parent.cast::<f32>().add(number * 4)))
        };
        let translation = _mm512_maskz_load_ps(0xF000, parent.cast());
        Parent { x: column(0), y: column(1), z: column(2), translation }
    };
    product(&parent, local)
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn store(at: *mut Matrix, world: __m512) {
    // SAFETY: as in `below_stored`.
    unsafe { _mm512_store_ps(at.cast(), world) };
}

#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn stream(at: *mut Matrix, world: __m512) {
    // SAFETY: as in `below_stored`.
    unsafe { _mm512_stream_ps(at.cast(), world) };
}
