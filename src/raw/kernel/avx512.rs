//! The formulas with one matrix in one register: four columns of four lanes.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{ScaleColumn, TrsColumns};
use crate::math;

/// The first three lanes of the last column.
const TRANSLATION: __mmask16 = 0b0111_0000_0000_0000;
/// All bits in the last column and none in the others.
const LAST_COLUMN: [i32; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1];
/// -0 in all columns but the last.
const NOTHING: [f32; 16] = [-0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0];
/// All bits in the bottom row and none above it.
const BOTTOM_ROW: [i32; 16] = [0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1];

/// All bits in the upper three rows and none in the bottom one; with and without the last column.
const UPPER_ROWS: [i32; 16] = [-1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0];
const LINEAR: [i32; 16] = [-1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0, 0, 0, 0, 0];
/// What the bottom row of an affine matrix is.
const BOTTOM: [f32; 16] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
const IDENTITY: [f32; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

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
///
/// # Safety
/// `matrix` must be valid for reads and writes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn replace(matrix: *mut Matrix4<f32>, new: __m512) -> bool {
    let at = matrix.cast::<f32>();
    // SAFETY: sixteen floats, by the caller's promise.
    let old = unsafe { _mm512_loadu_ps(at) };
    let differ = _mm512_cmpneq_epi32_mask(_mm512_castps_si512(old), _mm512_castps_si512(new));
    if differ == 0 {
        return false;
    }
    let nans = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(new, new);
    if nans != 0 && differ & !(nans & _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(old, old)) == 0 {
        return false;
    }
    // SAFETY: as above.
    unsafe { _mm512_storeu_ps(at, new) };
    true
}

/// A matrix in its register.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn load(matrix: &Matrix4<f32>) -> __m512 {
    // SAFETY: a matrix is sixteen floats.
    unsafe { _mm512_loadu_ps(std::ptr::from_ref(matrix).cast()) }
}

/// See [`math::compose::product`]. Returns the product beside whether it differed: a child that comes next takes it from the
/// register, without waiting for a store that may straddle two cache lines.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn product(a: __m512, local: &Matrix4<f32>, world: &mut Matrix4<f32>) -> (bool, __m512) {
    let b = load(local);
    // Bits of (a xor bottom) or (b xor bottom).
    let others = _mm512_ternarylogic_epi32::<0b0111_1110>(
        _mm512_castps_si512(a),
        _mm512_castps_si512(b),
        _mm512_castps_si512(floats(&BOTTOM)),
    );
    let projective = _mm512_test_epi32_mask(others, integers(&BOTTOM_ROW));
    if projective != 0 {
        let changed = projective_product(a, local, world);
        return (changed, load(world));
    }
    let sum = _mm512_add_ps(
        _mm512_mul_ps(_mm512_shuffle_f32x4::<0b00_00_00_00>(a, a), _mm512_permute_ps::<0b00_00_00_00>(b)),
        _mm512_mul_ps(_mm512_shuffle_f32x4::<0b01_01_01_01>(a, a), _mm512_permute_ps::<0b01_01_01_01>(b)),
    );
    let last = _mm512_mul_ps(_mm512_shuffle_f32x4::<0b10_10_10_10>(a, a), _mm512_permute_ps::<0b10_10_10_10>(b));
    let sum = _mm512_add_ps(sum, last);
    // Adding -0 changes nothing.
    let sum = _mm512_add_ps(sum, keep(a, &LAST_COLUMN, floats(&NOTHING)));
    let result = keep(sum, &UPPER_ROWS, floats(&BOTTOM));
    // SAFETY: a valid reference.
    (unsafe { replace(world, result) }, result)
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

/// Asks for both lines that a matrix may straddle.
#[inline]
pub(super) fn prefetch<T>(matrix: *const T) {
    let at = matrix.cast::<i8>();
    // SAFETY: a prefetch never faults, wherever it points.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(at);
        _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(63));
    }
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
                let linear = if R { turn(columns.rotation.get_unchecked(row)) } else { floats(&IDENTITY) };
                let linear = match S {
                    0 => linear,
                    1 => _mm512_mul_ps(linear, _mm512_set1_ps(*uniform.get_unchecked(row))),
                    _ => _mm512_mul_ps(linear, spread(axes.get_unchecked(row))),
                };
                let rest = if T { translate(columns.translation.get_unchecked(row)) } else { floats(&BOTTOM) };
                keep(linear, &LINEAR, rest)
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
    _mm512_permutexvar_ps(integers(&[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]), axes)
}

/// The last column, and zeros in the others.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn translate(translation: &Vector3<f32>) -> __m512 {
    // Lane 12 reads the first float; lanes before it, which the mask leaves out, would lie before the vector.
    let from = std::ptr::from_ref(translation).cast::<f32>().wrapping_sub(12);
    // SAFETY: reads the three floats of the vector, no more.
    unsafe { _mm512_mask_loadu_ps(floats(&BOTTOM), TRANSLATION, from) }
}

/// The linear part of a rotation, with anything in the bottom row and the last column; see [`math::compose`], whose sums
/// these are:
///
/// ```text
/// 1 - (2yy + 2zz)    2xy - 2zw          2xz + 2yw
/// 2xy + 2zw          1 - (2xx + 2zz)    2yz - 2xw
/// 2xz - 2yw          2yz + 2xw          1 - (2xx + 2yy)
/// ```
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn turn(rotation: &UnitQuaternion<f32>) -> __m512 {
    const X: i32 = 0;
    const Y: i32 = 1;
    const Z: i32 = 2;
    const W: i32 = 3;
    // -0 changes nothing when it is added, and turns a sign when its bits are.
    const N: f32 = -0.0;
    const ONES: [f32; 16] = [1.0, N, N, N, N, 1.0, N, N, N, N, 1.0, N, N, N, N, N];
    const FIRST_SIGNS: [f32; 16] = [N, 0.0, 0.0, 0.0, 0.0, N, 0.0, 0.0, 0.0, 0.0, N, 0.0, 0.0, 0.0, 0.0, 0.0];
    const SECOND_SIGNS: [f32; 16] = [N, 0.0, N, 0.0, N, N, 0.0, 0.0, 0.0, N, N, 0.0, 0.0, 0.0, 0.0, 0.0];
    // SAFETY: a quaternion is four floats.
    let q = unsafe { _mm512_broadcast_f32x4(_mm_loadu_ps(std::ptr::from_ref(rotation).cast())) };
    let twice = _mm512_add_ps(q, q);
    // The first products of every sum, then the second ones, column by column.
    let first = _mm512_mul_ps(
        _mm512_permutevar_ps(twice, integers(&[Y, X, X, X, X, X, Y, X, X, Y, X, X, X, X, X, X])),
        _mm512_permutevar_ps(q, integers(&[Y, Y, Z, X, Y, X, Z, X, Z, Z, X, X, X, X, X, X])),
    );
    let second = _mm512_mul_ps(
        _mm512_permutevar_ps(twice, integers(&[Z, Z, Y, X, Z, Z, X, X, Y, X, Y, X, X, X, X, X])),
        _mm512_permutevar_ps(q, integers(&[Z, W, W, X, W, Z, W, X, W, W, Y, X, X, X, X, X])),
    );
    let signed =
        |x, signs| _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(x), _mm512_castps_si512(floats(signs))));
    let sum = _mm512_add_ps(signed(first, &FIRST_SIGNS), signed(second, &SECOND_SIGNS));
    _mm512_add_ps(floats(&ONES), sum)
}
