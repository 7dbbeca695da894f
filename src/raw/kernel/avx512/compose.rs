//! `T R S` of whole columns.

use std::arch::{asm, x86_64::*};

use nalgebra::{Matrix4, UnitQuaternion, Vector3};

use super::{
    super::{ScaleColumn, TrsColumns},
    BOTTOM, floats, integers, keep,
    sink::{REPLACE, STREAM, Sink, WRITE},
};

/// The first three lanes of the last column.
const TRANSLATION: __mmask16 = 0b0111_0000_0000_0000;
/// All bits in the upper three rows of the first three columns.
const LINEAR: [i32; 16] = [-1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0, 0, 0, 0, 0];
const IDENTITY: [f32; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// Writes [`math::compose::translation_rotation_scale`](crate::math::compose::translation_rotation_scale) of all rows where it
/// differs, and sets the bits of the rows that did.
///
/// # Safety
/// Columns must be empty or as long as the matrices.
#[target_feature(enable = "avx512f,avx512vl")]
pub(in super::super) unsafe fn compose(columns: TrsColumns<'_>, matrices: &mut [Matrix4<f32>], marks: &mut [u64]) {
    for (word, (matrices, mark)) in matrices.chunks_mut(64).zip(marks).enumerate() {
        // SAFETY: the caller's promise.
        *mark |= unsafe { each_set::<REPLACE>(columns.block(word * 64, matrices.len()), matrices) };
    }
}

/// Writes all rows without a look at what was there, and past the caches if they are `many`.
///
/// # Safety
/// Columns must be empty or as long as the matrices.
#[target_feature(enable = "avx512f,avx512vl")]
pub(in super::super) unsafe fn write(columns: TrsColumns<'_>, matrices: &mut [Matrix4<f32>], many: bool) {
    // SAFETY: the caller's promise.
    unsafe {
        if many {
            each_set::<STREAM>(columns, matrices);
            // Before another thread may hear that they are written.
            _mm_sfence();
        } else {
            each_set::<WRITE>(columns, matrices);
        }
    }
}

/// One loop for each set of columns, so that none asks for every row what there is.
///
/// # Safety
/// Columns must be empty or as long as the matrices.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn each_set<const HOW: u8>(columns: TrsColumns<'_>, matrices: &mut [Matrix4<f32>]) -> u64 {
    let (t, r) = (!columns.translation.is_empty(), !columns.rotation.is_empty());
    // SAFETY: the caller's promise.
    unsafe {
        match (t, r, columns.scale) {
            (true, true, ScaleColumn::None) => each::<true, true, 0, HOW>(columns, matrices),
            (true, true, ScaleColumn::Uniform(_)) => each::<true, true, 1, HOW>(columns, matrices),
            (true, true, ScaleColumn::Axes(_)) => each::<true, true, 3, HOW>(columns, matrices),
            (true, false, ScaleColumn::None) => each::<true, false, 0, HOW>(columns, matrices),
            (true, false, ScaleColumn::Uniform(_)) => each::<true, false, 1, HOW>(columns, matrices),
            (true, false, ScaleColumn::Axes(_)) => each::<true, false, 3, HOW>(columns, matrices),
            (false, true, ScaleColumn::None) => each::<false, true, 0, HOW>(columns, matrices),
            (false, true, ScaleColumn::Uniform(_)) => each::<false, true, 1, HOW>(columns, matrices),
            (false, true, ScaleColumn::Axes(_)) => each::<false, true, 3, HOW>(columns, matrices),
            (false, false, ScaleColumn::None) => each::<false, false, 0, HOW>(columns, matrices),
            (false, false, ScaleColumn::Uniform(_)) => each::<false, false, 1, HOW>(columns, matrices),
            (false, false, ScaleColumn::Axes(_)) => each::<false, false, 3, HOW>(columns, matrices),
        }
    }
}

/// Returns the bits of the rows that differed, where that was asked (of up to 64 rows).
///
/// # Safety
/// The columns that the parameters name must be as long as the matrices.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn each<const T: bool, const R: bool, const S: u8, const HOW: u8>(
    columns: TrsColumns<'_>,
    matrices: &mut [Matrix4<f32>],
) -> u64 {
    let Some(last) = matrices.len().checked_sub(1) else { return 0 };
    let mut sink = Sink::<HOW>::new(matrices.as_mut_ptr().cast());
    // SAFETY: the rows are there, and all but the last one's translation are followed by another.
    unsafe {
        for index in 0..last {
            let linear = linear::<R, S>(columns, index);
            let matrix = if T { beside(linear, columns.translation.get_unchecked(index)) } else { bare(linear) };
            sink.put(index, matrix);
        }
        let linear = linear::<R, S>(columns, last);
        let matrix = if T { beside_last(linear, columns.translation.get_unchecked(last)) } else { bare(linear) };
        sink.put(last, matrix);
        sink.close(last)
    }
}

/// The linear part, with anything in the bottom row and the last column.
///
/// # Safety
/// The columns that the parameters name must have the row.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn linear<const R: bool, const S: u8>(columns: TrsColumns<'_>, row: usize) -> __m512 {
    // SAFETY: the caller's promise.
    unsafe {
        let linear = if R { turn(columns.rotation.get_unchecked(row)) } else { floats(&IDENTITY) };
        match columns.scale {
            ScaleColumn::Uniform(scale) if S == 1 => _mm512_mul_ps(linear, _mm512_set1_ps(*scale.get_unchecked(row))),
            ScaleColumn::Axes(axes) if S == 3 => _mm512_mul_ps(linear, spread(axes.get_unchecked(row))),
            _ => linear,
        }
    }
}

/// The same value, of which the compiler knows nothing: left to itself it merges shuffles into dearer ones.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn opaque(mut value: __m512) -> __m512 {
    // SAFETY: there is no instruction.
    unsafe { asm!("/* {0} */", inout(zmm_reg) value, options(pure, nomem, nostack, preserves_flags)) };
    value
}

/// The matrix without a translation.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn bare(linear: __m512) -> __m512 {
    keep(linear, &LINEAR, floats(&BOTTOM))
}

/// The matrix with a translation that another float follows in memory, whatever it is.
///
/// # Safety
/// One does.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
unsafe fn beside(linear: __m512, translation: &Vector3<f32>) -> __m512 {
    // SAFETY: three floats and another.
    let four = unsafe { _mm_loadu_ps(std::ptr::from_ref(translation).cast()) };
    let column = _mm_insert_ps::<0x30>(four, _mm_set_ss(1.0));
    let linear = _mm512_and_si512(_mm512_castps_si512(linear), integers(&LINEAR));
    opaque(_mm512_insertf32x4::<3>(_mm512_castsi512_ps(linear), column))
}

/// The matrix with a translation that may be the last thing in memory.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn beside_last(linear: __m512, translation: &Vector3<f32>) -> __m512 {
    // Lane 12 reads the first float; lanes before it, which the mask leaves out, would lie before the vector.
    let from = std::ptr::from_ref(translation).cast::<f32>().wrapping_sub(12);
    // SAFETY: reads the three floats of the vector, no more.
    keep(linear, &LINEAR, unsafe { _mm512_mask_loadu_ps(floats(&BOTTOM), TRANSLATION, from) })
}

/// `x` in the first column's lanes, `y` in the second's, `z` in the third's.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn spread(axes: &Vector3<f32>) -> __m512 {
    // SAFETY: reads the three floats of the vector, no more.
    let axes = unsafe { _mm512_maskz_loadu_ps(0b111, std::ptr::from_ref(axes).cast()) };
    _mm512_permutexvar_ps(integers(&[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]), axes)
}

/// The linear part of a rotation, with anything in the bottom row and the last column; see [`math::compose`](crate::math::compose), whose sums
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
    let q = opaque(unsafe { _mm512_broadcast_f32x4(_mm_loadu_ps(std::ptr::from_ref(rotation).cast())) });
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
