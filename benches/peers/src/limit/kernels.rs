//! The arithmetic, by AVX2: a matrix is two registers of two columns each. Multiplications and
//! additions are not fused.

use std::{arch::x86_64::*, ops::Range};

use super::columns::{Matrix, Pass, ScatteredPass, View};
use crate::workloads::NO_PARENT;

/// One way to compute matrices.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// The name of the kernel.
    pub name: &'static str,
    /// For a range of nodes without parents.
    pub compose: Pass,
    /// For a range of nodes with and without.
    pub propagate: Pass,
    /// For a range of nodes of which no child will be computed in this tick.
    pub leaves: Pass,
    /// For nodes here and there, with and without parents, in any order.
    pub scattered: ScatteredPass,
}

/// Through the cache; and around it where matrices are not needed soon, which saves reading the
/// ones that are overwritten.
pub const KERNELS: [Kernel; 2] = [
    Kernel { name: "avx2", compose: compose::<false>, leaves: propagate::<false>, ..STREAMING },
    STREAMING,
];

const STREAMING: Kernel = Kernel {
    name: "avx2 streaming",
    compose: compose::<true>,
    propagate: propagate::<false>,
    leaves: propagate::<true>,
    scattered,
};

#[target_feature(enable = "avx2")]
unsafe fn compose<const AROUND: bool>(view: &View, nodes: Range<usize>) {
    for node in nodes {
        // SAFETY: the caller keeps the view's contract.
        unsafe { store::<AROUND>(view.worlds.add(node), local(view, node)) };
    }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn propagate<const AROUND: bool>(view: &View, nodes: Range<usize>) {
    let mut last = None;
    for node in nodes {
        // SAFETY: the caller keeps the view's contract, for parents too.
        unsafe {
            let (parent, own) = (*view.parents.add(node), local(view, node));
            let world = match last {
                _ if parent == NO_PARENT => own,
                // Still in registers: what chains live on.
                Some(above) if parent as usize + 1 == node => below(above, own),
                _ => below(load(view.worlds.add(parent as usize)), own),
            };
            store::<AROUND>(view.worlds.add(node), world);
            last = Some(world);
        }
    }
}

#[target_feature(enable = "avx2")]
unsafe fn scattered(view: &View, nodes: &[u32]) {
    for (number, &node) in nodes.iter().enumerate() {
        if let Some(&soon) = nodes.get(number + 12) {
            view.prefetch(soon as usize);
        }
        // SAFETY: the caller keeps the view's contract. A range of one node has no node before.
        unsafe { propagate::<false>(view, node as usize..node as usize + 1) };
    }
}

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
unsafe fn load(at: *const Matrix) -> World {
    // SAFETY: the caller keeps the view's contract; a `Matrix` is aligned to 64 bytes.
    unsafe { [_mm256_load_ps(at.cast()), _mm256_load_ps(at.cast::<f32>().add(8))] }
}

#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store<const AROUND: bool>(at: *mut Matrix, world: World) {
    let store = if AROUND { _mm256_stream_ps } else { _mm256_store_ps };
    for (half, columns) in world.into_iter().enumerate() {
        // SAFETY: as in `load`.
        unsafe { store(at.cast::<f32>().add(8 * half), columns) };
    }
}
