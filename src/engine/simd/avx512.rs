//! Accelerator: a matrix in one register of AVX-512, four columns of four lanes.

use std::arch::{asm, x86_64::*};

use nalgebra::Matrix4;

use super::operations::{FourRows, FourScales, Simd};
use crate::math::{self, InRegisters};

/// All bits in the last column and none in the others.
const LAST_COLUMN: [i32; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1];
/// -0 in all columns but the last.
const NOTHING: [f32; 16] =
    [-0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, 0.0, 0.0, 0.0, 0.0];
/// All bits in the bottom row and none above it.
const BOTTOM_ROW: [i32; 16] = [0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1];
/// All bits in the upper three rows and none in the bottom one.
const UPPER_ROWS: [i32; 16] = [-1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0];
/// All bits in the upper three rows of the first three columns.
const LINEAR: [i32; 16] = [-1, -1, -1, 0, -1, -1, -1, 0, -1, -1, -1, 0, 0, 0, 0, 0];
/// The bottom row of an affine matrix.
const BOTTOM: [f32; 16] =
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// A proof that the machine has AVX-512 F and VL: only [`detect`](Self::detect) makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512(());

impl Avx512 {
    pub fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl"))
            .then_some(Self(()))
    }
}

/// A matrix in its register.
#[derive(Clone, Copy)]
pub(crate) struct Matrix {
    whole: __m512,
    /// The same, but if its bottom row is `0 0 0 1`, this one may have anything there: it is ready
    /// earlier, and the next product begins with it.
    upper: __m512,
}

impl Matrix {
    #[inline(always)]
    fn new(whole: __m512) -> Self {
        Self { whole, upper: whole }
    }
}

// SAFETY of all blocks: only `detect` makes the value, on machines that have the features.
impl Simd for Avx512 {
    type Matrix = Matrix;

    #[inline(always)]
    fn load(self, matrix: &Matrix4<f32>) -> Matrix {
        // SAFETY: as above.
        Matrix::new(unsafe { load(matrix) })
    }

    #[inline(always)]
    fn replace(self, stored: &mut Matrix4<f32>, matrix: Matrix) -> bool {
        // SAFETY: as above.
        unsafe { replace(stored, matrix.whole) }
    }

    #[inline(always)]
    fn of_columns(self, [a, b, c, d]: [InRegisters; 4]) -> [Matrix; 4] {
        // SAFETY: as above.
        unsafe { [of_columns(a), of_columns(b), of_columns(c), of_columns(d)] }
    }

    #[inline(always)]
    fn product(self, parent: Matrix, local: Matrix) -> Matrix {
        // SAFETY: as above.
        unsafe { product(parent, local.whole) }
    }

    #[inline(always)]
    fn scale(self, matrix: Matrix, axes: &[f32; 3]) -> Matrix {
        // SAFETY: as above.
        Matrix::new(unsafe { _mm512_mul_ps(matrix.whole, spread(axes)) })
    }

    #[inline(always)]
    fn translate(self, translation: &[f32; 3], matrix: Matrix) -> Matrix {
        // SAFETY: as above.
        Matrix::new(unsafe { translate(translation, matrix.whole) })
    }

    #[inline(always)]
    fn compose(self, rows: &FourRows<'_>) -> [Matrix; 4] {
        // SAFETY: as above.
        let [a, b, c, d] = unsafe { compose(rows) };
        [Matrix::new(a), Matrix::new(b), Matrix::new(c), Matrix::new(d)]
    }
}

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

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn load(matrix: &Matrix4<f32>) -> __m512 {
    // SAFETY: a matrix is sixteen floats.
    unsafe { _mm512_loadu_ps(matrix.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn store(stored: &mut Matrix4<f32>, matrix: __m512) {
    // SAFETY: a matrix is sixteen floats.
    unsafe { _mm512_storeu_ps(stored.as_mut_ptr(), matrix) }
}

/// `value` in the lanes of `mask`, `others` in all other lanes. `others` is 0 in the lanes of
/// `mask`.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn keep(value: __m512, mask: &[i32; 16], others: __m512) -> __m512 {
    // Bits of (value and mask) or others.
    let bits = _mm512_ternarylogic_epi32::<0b1111_1000>(
        _mm512_castps_si512(others),
        _mm512_castps_si512(value),
        integers(mask),
    );
    _mm512_castsi512_ps(bits)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn replace(stored: &mut Matrix4<f32>, new: __m512) -> bool {
    let old = load(stored);
    let differ = _mm512_cmpneq_epi32_mask(_mm512_castps_si512(old), _mm512_castps_si512(new));
    if differ == 0 {
        return false;
    }
    let nans = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(new, new);
    if nans != 0 && differ & !(nans & _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(old, old)) == 0 {
        return false;
    }
    store(stored, new);
    true
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn product(parent: Matrix, b: __m512) -> Matrix {
    // Bits of (a xor bottom) or (b xor bottom).
    let others = _mm512_ternarylogic_epi32::<0b0111_1110>(
        _mm512_castps_si512(parent.whole),
        _mm512_castps_si512(b),
        _mm512_castps_si512(floats(&BOTTOM)),
    );
    if _mm512_test_epi32_mask(others, integers(&BOTTOM_ROW)) != 0 {
        let (mut above, mut local) = (Matrix4::zeros(), Matrix4::zeros());
        store(&mut above, parent.whole);
        store(&mut local, b);
        return Matrix::new(load(&projective(&above, &local)));
    }
    // Rows do not mix: whatever the bottom row holds stays in it.
    let a = parent.upper;
    let sum = _mm512_add_ps(
        _mm512_mul_ps(
            _mm512_shuffle_f32x4::<0b00_00_00_00>(a, a),
            _mm512_permute_ps::<0b00_00_00_00>(b),
        ),
        _mm512_mul_ps(
            _mm512_shuffle_f32x4::<0b01_01_01_01>(a, a),
            _mm512_permute_ps::<0b01_01_01_01>(b),
        ),
    );
    let last = _mm512_mul_ps(
        _mm512_shuffle_f32x4::<0b10_10_10_10>(a, a),
        _mm512_permute_ps::<0b10_10_10_10>(b),
    );
    let sum = _mm512_add_ps(sum, last);
    // Adding -0 changes nothing.
    let upper = _mm512_add_ps(sum, keep(a, &LAST_COLUMN, floats(&NOTHING)));
    Matrix { whole: keep(upper, &UPPER_ROWS, floats(&BOTTOM)), upper }
}

/// The product where a bottom row is not `0 0 0 1`.
#[cold]
#[inline(never)]
fn projective(parent: &Matrix4<f32>, local: &Matrix4<f32>) -> Matrix4<f32> {
    math::compose::product(parent, local)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn compose(rows: &FourRows<'_>) -> [__m512; 4] {
    let [a, b, c, d] = last_columns(rows.translation);
    let linear = |row: usize| {
        let linear = turn(&rows.rotation[row]);
        match rows.scale {
            FourScales::Uniform(scales) => _mm512_mul_ps(linear, _mm512_set1_ps(scales[row])),
            FourScales::Axes(scales) => _mm512_mul_ps(linear, spread(&scales[row])),
        }
    };
    [beside(linear(0), a), beside(linear(1), b), beside(linear(2), c), beside(linear(3), d)]
}

/// The matrix of a linear part and a last column. The bottom row and the last column of `linear`
/// are ignored.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn beside(linear: __m512, last: __m128) -> __m512 {
    let linear = _mm512_and_si512(_mm512_castps_si512(linear), integers(&LINEAR));
    _mm512_insertf32x4::<3>(_mm512_castsi512_ps(linear), last)
}

/// Four translations with a 1 each. All but the last are read with the float that follows them.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn last_columns(translations: &[[f32; 3]; 4]) -> [__m128; 4] {
    let at = translations.as_ptr().cast::<f32>();
    // SAFETY: four of twelve floats, from 0, 3, 6 and 8 on.
    let [a, b, c, d] = unsafe {
        [
            _mm_loadu_ps(at),
            _mm_loadu_ps(at.add(3)),
            _mm_loadu_ps(at.add(6)),
            _mm_loadu_ps(at.add(8)),
        ]
    };
    let one = _mm_set_ss(1.0);
    let d = _mm_permute_ps::<0b00_11_10_01>(d);
    [
        _mm_insert_ps::<0x30>(a, one),
        _mm_insert_ps::<0x30>(b, one),
        _mm_insert_ps::<0x30>(c, one),
        _mm_insert_ps::<0x30>(d, one),
    ]
}

/// `x` in the first column's lanes, `y` in the second's, `z` in the third's, 1 in the last's.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn spread(axes: &[f32; 3]) -> __m512 {
    let axes = _mm512_castps128_ps512(vector(axes, _mm_set1_ps(1.0)));
    _mm512_permutexvar_ps(integers(&[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]), axes)
}

/// Three floats, and the last one of `others`.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn vector(vector: &[f32; 3], others: __m128) -> __m128 {
    // SAFETY: reads the three floats, no more.
    unsafe { _mm_mask_loadu_ps(others, 0b111, vector.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn of_columns(columns: InRegisters) -> Matrix {
    // SAFETY: both are four times four floats, and all bits are values of either.
    let [a, b, c, d] = unsafe { std::mem::transmute::<InRegisters, [__m128; 4]>(columns) };
    let left = _mm512_insertf32x4::<1>(_mm512_castps128_ps512(a), b);
    Matrix::new(_mm512_insertf32x4::<3>(_mm512_insertf32x4::<2>(left, c), d))
}

/// Adds to each column its bottom element times the translation.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn translate(translation: &[f32; 3], matrix: __m512) -> __m512 {
    let moved = _mm512_mul_ps(
        _mm512_broadcast_f32x4(vector(translation, _mm_setzero_ps())),
        _mm512_permute_ps::<0b11_11_11_11>(matrix),
    );
    // All but the bottom row.
    _mm512_mask_add_ps(matrix, 0b0111_0111_0111_0111, matrix, moved)
}

/// The same value, hidden from the compiler, which would merge shuffles into slower ones.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn opaque(mut value: __m512) -> __m512 {
    // SAFETY: it has no instruction.
    unsafe {
        asm!("/* {0} */", inout(zmm_reg) value, options(pure, nomem, nostack, preserves_flags))
    };
    value
}

/// The linear part of a rotation, with anything in the bottom row and the last column; see
/// [`math::compose`], whose sums these are:
///
/// ```text
/// 1 - (2yy + 2zz)    2xy - 2zw          2xz + 2yw
/// 2xy + 2zw          1 - (2xx + 2zz)    2yz - 2xw
/// 2xz - 2yw          2yz + 2xw          1 - (2xx + 2yy)
/// ```
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn turn(rotation: &[f32; 4]) -> __m512 {
    const X: i32 = 0;
    const Y: i32 = 1;
    const Z: i32 = 2;
    const W: i32 = 3;
    // To add -0 changes nothing; to xor its bits turns the sign.
    const N: f32 = -0.0;
    const ONES: [f32; 16] = [1.0, N, N, N, N, 1.0, N, N, N, N, 1.0, N, N, N, N, N];
    const FIRST_SIGNS: [f32; 16] =
        [N, 0.0, 0.0, 0.0, 0.0, N, 0.0, 0.0, 0.0, 0.0, N, 0.0, 0.0, 0.0, 0.0, 0.0];
    const SECOND_SIGNS: [f32; 16] =
        [N, 0.0, N, 0.0, N, N, 0.0, 0.0, 0.0, N, N, 0.0, 0.0, 0.0, 0.0, 0.0];
    // SAFETY: a quaternion is four floats.
    let q = opaque(unsafe { _mm512_broadcast_f32x4(_mm_loadu_ps(rotation.as_ptr())) });
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
    let signed = |x, signs| {
        _mm512_castsi512_ps(_mm512_xor_si512(
            _mm512_castps_si512(x),
            _mm512_castps_si512(floats(signs)),
        ))
    };
    let sum = _mm512_add_ps(signed(first, &FIRST_SIGNS), signed(second, &SECOND_SIGNS));
    _mm512_add_ps(floats(&ONES), sum)
}
