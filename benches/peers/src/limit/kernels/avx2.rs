//! AVX2: a matrix is two registers of two columns each.

use std::arch::x86_64::*;

use crate::limit::columns::{Matrix, View};

super::passes!("avx2", "avx2", "avx2 streaming");

type World = [__m256; 2];

/// Which components (x = 0 to w = 3) the products are of, column by column; the last column is the
/// translation's.
const A: [[i32; 8]; 2] = [[1, 0, 0, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0, 0, 0]];
const B: [[i32; 8]; 2] = [[1, 1, 2, 0, 1, 0, 2, 0], [2, 2, 0, 0, 0, 0, 0, 0]];
const C: [[i32; 8]; 2] = [[2, 2, 1, 0, 2, 2, 0, 0], [1, 0, 1, 0, 0, 0, 0, 0]];
const D: [[i32; 8]; 2] = [[2, 3, 3, 0, 3, 2, 3, 0], [3, 3, 1, 0, 0, 0, 0, 0]];

/// The signs of both products (-0.0 turns one), and what they are added to.
const SIGN: [[[f32; 8]; 2]; 2] = [
    [[-0.0, 0.0, 0.0, 0.0, 0.0, -0.0, 0.0, 0.0], [0.0, 0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0]],
    [[-0.0, 0.0, -0.0, 0.0, -0.0, -0.0, 0.0, 0.0], [0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0, 0.0]],
];
const START: [[f32; 8]; 2] =
    [[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]];

#[inline]
#[target_feature(enable = "avx2")]
fn pick(q: __m256, components: &[i32; 8]) -> __m256 {
    // SAFETY: an array of the right size; constants end up in registers.
    _mm256_permutevar_ps(q, unsafe { _mm256_loadu_si256(components.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn constant(numbers: &[f32; 8]) -> __m256 {
    // SAFETY: an array of the right size.
    unsafe { _mm256_loadu_ps(numbers.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn turn<const HALF: usize>(q: __m256, twice: __m256) -> __m256 {
    let first = _mm256_mul_ps(pick(twice, &A[HALF]), pick(q, &B[HALF]));
    let second = _mm256_mul_ps(pick(twice, &C[HALF]), pick(q, &D[HALF]));
    let sum = _mm256_add_ps(
        _mm256_xor_ps(first, constant(&SIGN[0][HALF])),
        _mm256_xor_ps(second, constant(&SIGN[1][HALF])),
    );
    _mm256_add_ps(constant(&START[HALF]), sum)
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn local(view: &View, node: usize) -> World {
    // SAFETY: the caller keeps the view's contract; there is one translation more than there are
    // nodes.
    let (translation, rotation, scale) = unsafe {
        (
            _mm_loadu_ps(view.translations.add(node).cast()),
            _mm256_broadcast_ps(&*view.rotations.add(node).cast()),
            _mm256_set1_ps(*view.scales.add(node)),
        )
    };
    let twice = _mm256_add_ps(rotation, rotation);
    // The fourth row is zero: what the products left there goes.
    let zero = _mm256_setzero_ps();
    let left = _mm256_blend_ps::<0x88>(_mm256_mul_ps(turn::<0>(rotation, twice), scale), zero);
    let right = _mm256_blend_ps::<0x88>(_mm256_mul_ps(turn::<1>(rotation, twice), scale), zero);
    let translation = _mm_blend_ps::<0x8>(translation, _mm_set1_ps(1.0));
    [left, _mm256_insertf128_ps::<1>(right, translation)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn below(parent: World, local: World) -> World {
    let x = _mm256_permute2f128_ps::<0x00>(parent[0], parent[0]);
    let y = _mm256_permute2f128_ps::<0x11>(parent[0], parent[0]);
    let z = _mm256_permute2f128_ps::<0x00>(parent[1], parent[1]);
    let linear = |v: __m256| {
        let xy = _mm256_add_ps(
            _mm256_mul_ps(x, _mm256_permute_ps::<0x00>(v)),
            _mm256_mul_ps(y, _mm256_permute_ps::<0x55>(v)),
        );
        (xy, _mm256_mul_ps(z, _mm256_permute_ps::<0xAA>(v)))
    };
    let ((left_xy, left_z), (right_xy, right_z)) = (linear(local[0]), linear(local[1]));
    // The parent's translation belongs to the last column alone, where it already is.
    let translation = _mm256_blend_ps::<0x0F>(parent[1], _mm256_setzero_ps());
    [_mm256_add_ps(left_xy, left_z), _mm256_add_ps(right_xy, _mm256_add_ps(right_z, translation))]
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn below_stored(parent: *const Matrix, local: World) -> World {
    // SAFETY: the caller keeps the view's contract.
    below(unsafe { load(parent) }, local)
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(at: *const Matrix) -> World {
    // SAFETY: the caller keeps the view's contract; a `Matrix` is aligned to 64 bytes.
    unsafe { [_mm256_load_ps(at.cast()), _mm256_load_ps(at.cast::<f32>().add(8))] }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store(at: *mut Matrix, [left, right]: World) {
    // SAFETY: as in `load`.
    unsafe {
        _mm256_store_ps(at.cast(), left);
        _mm256_store_ps(at.cast::<f32>().add(8), right);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn stream(at: *mut Matrix, [left, right]: World) {
    // SAFETY: as in `load`.
    unsafe {
        _mm256_stream_ps(at.cast(), left);
        _mm256_stream_ps(at.cast::<f32>().add(8), right);
    }
}
