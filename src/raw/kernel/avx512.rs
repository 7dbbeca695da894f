//! The formulas with one matrix in one register: four columns of four lanes.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{ScaleColumn, TrsColumns};
use crate::math;

/// The three by three linear part.
const LINEAR: __mmask16 = 0b0000_0111_0111_0111;
/// Its diagonal and the rest.
const DIAGONAL: __mmask16 = 0b0000_0100_0010_0001;
const OFF_DIAGONAL: __mmask16 = LINEAR & !DIAGONAL;
/// The first three lanes of the last column.
const TRANSLATION: __mmask16 = 0b0111_0000_0000_0000;
/// The last column.
const LAST_COLUMN: __mmask16 = 0b1111_0000_0000_0000;
/// All but the bottom row.
const UPPER_ROWS: __mmask16 = 0b0111_0111_0111_0111;
/// The bottom row.
const BOTTOM_ROW: __mmask16 = !UPPER_ROWS;

/// `(0, 0, 0, 1)` in the bottom row and zeros above.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn bottom() -> __m512 {
    _mm512_maskz_mov_ps(1 << 15, _mm512_set1_ps(1.0))
}

/// Writes a matrix if it differs (NaNs count as equal). Returns whether it did.
///
/// # Safety
/// `matrix` must be valid for reads and writes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn replace(matrix: *mut Matrix4<f32>, new: __m512) -> bool {
    let at = matrix.cast::<f32>();
    // SAFETY: sixteen floats, by the caller's promise.
    let old = unsafe { _mm512_loadu_ps(at) };
    let mut differ = _mm512_cmpneq_epi32_mask(_mm512_castps_si512(old), _mm512_castps_si512(new));
    if differ != 0 {
        differ &= !(_mm512_cmp_ps_mask::<_CMP_UNORD_Q>(old, old) & _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(new, new));
    }
    if differ != 0 {
        // SAFETY: as above.
        unsafe { _mm512_storeu_ps(at, new) };
    }
    differ != 0
}

/// See [`math::compose::product`].
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn product(above: &Matrix4<f32>, local: &Matrix4<f32>, world: &mut Matrix4<f32>) -> bool {
    // SAFETY: a matrix is sixteen floats.
    let (a, b) =
        unsafe { (_mm512_loadu_ps(std::ptr::from_ref(above).cast()), _mm512_loadu_ps(std::ptr::from_ref(local).cast())) };
    let projective = _mm512_mask_cmp_ps_mask::<_CMP_NEQ_UQ>(BOTTOM_ROW, a, bottom())
        | _mm512_mask_cmp_ps_mask::<_CMP_NEQ_UQ>(BOTTOM_ROW, b, bottom());
    if projective != 0 {
        return super::replace(world, &math::compose::product(above, local));
    }
    let sum = _mm512_add_ps(
        _mm512_mul_ps(_mm512_shuffle_f32x4::<0b00_00_00_00>(a, a), _mm512_permute_ps::<0b00_00_00_00>(b)),
        _mm512_mul_ps(_mm512_shuffle_f32x4::<0b01_01_01_01>(a, a), _mm512_permute_ps::<0b01_01_01_01>(b)),
    );
    let sum = _mm512_add_ps(
        sum,
        _mm512_mul_ps(_mm512_shuffle_f32x4::<0b10_10_10_10>(a, a), _mm512_permute_ps::<0b10_10_10_10>(b)),
    );
    let sum = _mm512_mask_add_ps(sum, LAST_COLUMN, sum, a);
    let result = _mm512_mask_mov_ps(bottom(), UPPER_ROWS, sum);
    // SAFETY: `world` is a valid reference.
    unsafe { replace(world, result) }
}

/// See [`math::compose::translation_rotation_scale`].
///
/// # Safety
/// Columns must be empty or as long as the matrices.
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) unsafe fn compose(columns: TrsColumns<'_>, matrices: &mut [Matrix4<f32>], marks: &mut [u64]) {
    let TrsColumns { translation, rotation, scale } = columns;
    let (t, r) = (!translation.is_empty(), !rotation.is_empty());
    // One loop for each set of columns, so that none asks for every row what there is.
    // SAFETY: the caller's promise.
    unsafe {
        match (t, r, scale) {
            (true, true, ScaleColumn::None) => each::<true, true, 0>(columns, matrices, marks),
            (true, true, ScaleColumn::Uniform(_)) => each::<true, true, 1>(columns, matrices, marks),
            (true, true, ScaleColumn::Axes(_)) => each::<true, true, 3>(columns, matrices, marks),
            (true, false, ScaleColumn::None) => each::<true, false, 0>(columns, matrices, marks),
            (true, false, ScaleColumn::Uniform(_)) => each::<true, false, 1>(columns, matrices, marks),
            (true, false, ScaleColumn::Axes(_)) => each::<true, false, 3>(columns, matrices, marks),
            (false, true, ScaleColumn::None) => each::<false, true, 0>(columns, matrices, marks),
            (false, true, ScaleColumn::Uniform(_)) => each::<false, true, 1>(columns, matrices, marks),
            (false, true, ScaleColumn::Axes(_)) => each::<false, true, 3>(columns, matrices, marks),
            (false, false, ScaleColumn::None) => each::<false, false, 0>(columns, matrices, marks),
            (false, false, ScaleColumn::Uniform(_)) => each::<false, false, 1>(columns, matrices, marks),
            (false, false, ScaleColumn::Axes(_)) => each::<false, false, 3>(columns, matrices, marks),
        }
    }
}

/// # Safety
/// The columns that the parameters name must be as long as the matrices.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn each<const T: bool, const R: bool, const S: u8>(
    columns: TrsColumns<'_>,
    matrices: &mut [Matrix4<f32>],
    marks: &mut [u64],
) {
    let (uniform, axes): (&[f32], &[Vector3<f32>]) = match columns.scale {
        ScaleColumn::None => (&[], &[]),
        ScaleColumn::Uniform(column) => (column, &[]),
        ScaleColumn::Axes(column) => (&[], column),
    };
    for (word, (matrices, mark)) in matrices.chunks_mut(64).zip(marks).enumerate() {
        let mut changed = 0;
        for (bit, matrix) in matrices.iter_mut().enumerate() {
            let row = word * 64 + bit;
            // SAFETY: `row` is in bounds of every column that is named.
            let new = unsafe {
                let linear = if R {
                    turn(columns.rotation.get_unchecked(row))
                } else {
                    _mm512_maskz_mov_ps(DIAGONAL, _mm512_set1_ps(1.0))
                };
                let linear = match S {
                    0 => linear,
                    1 => _mm512_mul_ps(linear, _mm512_set1_ps(*uniform.get_unchecked(row))),
                    _ => _mm512_mul_ps(linear, spread(axes.get_unchecked(row))),
                };
                let matrix = _mm512_mask_mov_ps(bottom(), LINEAR, linear);
                if T { put_translation(matrix, columns.translation.get_unchecked(row)) } else { matrix }
            };
            // SAFETY: a valid reference.
            changed |= u64::from(unsafe { replace(matrix, new) }) << bit;
        }
        *mark |= changed;
    }
}

/// `x` in the first column's lanes, `y` in the second's, `z` in the third's.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn spread(axes: &Vector3<f32>) -> __m512 {
    // SAFETY: reads the three floats of the vector, no more.
    let axes = unsafe { _mm512_maskz_loadu_ps(0b111, std::ptr::from_ref(axes).cast()) };
    _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3), axes)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn put_translation(matrix: __m512, translation: &Vector3<f32>) -> __m512 {
    // Lane 12 reads the first float; lanes before it, which the mask leaves out, would lie before the vector.
    let from = std::ptr::from_ref(translation).cast::<f32>().wrapping_sub(12);
    // SAFETY: reads the three floats of the vector, no more.
    unsafe { _mm512_mask_loadu_ps(matrix, TRANSLATION, from) }
}

/// The linear part of a rotation; see nalgebra's `to_rotation_matrix`, whose sums these are.
///
/// ```text
/// ww + ii - jj - kk    2ij - 2wk            2ik + 2wj
/// 2wk + 2ij            ww - ii + jj - kk    2jk - 2wi
/// 2ik - 2wj            2wi + 2jk            ww - ii - jj + kk
/// ```
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn turn(rotation: &UnitQuaternion<f32>) -> __m512 {
    const I: i32 = 0;
    const J: i32 = 1;
    const K: i32 = 2;
    const W: i32 = 3;
    // SAFETY: a quaternion is four floats.
    let q = unsafe { _mm512_broadcast_f32x4(_mm_loadu_ps(std::ptr::from_ref(rotation).cast())) };
    let pick = |lanes| _mm512_permutevar_ps(q, lanes);
    // The first products of every sum, then the second ones, column by column.
    let first = _mm512_mul_ps(
        pick(_mm512_setr_epi32(W, I, I, W, I, W, J, W, I, J, W, W, W, W, W, W)),
        pick(_mm512_setr_epi32(W, J, K, W, J, W, K, W, K, K, W, W, W, W, W, W)),
    );
    let second = _mm512_mul_ps(
        pick(_mm512_setr_epi32(I, W, W, W, W, I, W, W, W, W, I, W, W, W, W, W)),
        pick(_mm512_setr_epi32(I, K, J, W, K, I, I, W, J, I, I, W, W, W, W, W)),
    );
    let doubled = |x| _mm512_mask_add_ps(x, OFF_DIAGONAL, x, x);
    let minus = |x, lanes: __mmask16| {
        let signs = _mm512_maskz_set1_epi32(lanes, i32::MIN);
        _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(x), signs))
    };
    let sum = _mm512_add_ps(doubled(first), minus(doubled(second), 0b0000_0110_0011_0100));
    let squares = |x| _mm512_mul_ps(x, x);
    let jj = squares(_mm512_permute_ps::<0b01_01_01_01>(q));
    let kk = squares(_mm512_permute_ps::<0b10_10_10_10>(q));
    let sum = _mm512_mask_add_ps(sum, DIAGONAL, sum, minus(jj, 0b0000_0100_0000_0001));
    _mm512_mask_add_ps(sum, DIAGONAL, sum, minus(kk, 0b0000_0000_0010_0001))
}
