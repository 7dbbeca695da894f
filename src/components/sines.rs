//! Sines and cosines of the same bits on every platform. Two C libraries round them differently. So
//! the crate computes them by sums and products, and takes other such functions from the crate
//! `libm`. `tests/sources/architecture` fails if a file calls the standard library's.

/// The sines and cosines of three angles. At most 1 ulp from the exact ones where all angles are
/// below [`LARGE`]; NaN where an angle is not finite.
#[inline]
pub(crate) fn sin_cos(angles: [f32; 3]) -> ([f32; 3], [f32; 3]) {
    if !angles.iter().all(|&angle| is_small(angle)) {
        return sin_cos_of_large(angles);
    }
    let [x, y, z] = angles.map(sin_cos_of_small);
    ([x.0, y.0, z.0], [x.1, y.1, z.1])
}

/// Whether [`sin_cos_of_small`] takes an angle. Of three angles, each has to be small.
#[inline(always)]
pub(crate) fn is_small(angle: f32) -> bool {
    angle.abs() < LARGE
}

/// The sine and the cosine of an angle below [`LARGE`], computed in `f64` and rounded once.
///
/// An angle is an odd or even number of quarter turns and a rest of an eighth of a turn at most,
/// of which short polynomials give sine and cosine:
///
/// ```text
///  angle    quarter turns   rest      sine             cosine
///  2.0      1               0.4292    cos(0.4292)      -sin(0.4292)
///  -3.0     -2, as 2        0.1416    -sin(0.1416)     -cos(0.1416)
/// ```
///
/// It has no branch: a loop over many angles has one in each lane of a vector.
#[inline(always)]
pub(crate) fn sin_cos_of_small(angle: f32) -> (f32, f32) {
    let angle = f64::from(angle);
    let shifted = angle * std::f64::consts::FRAC_2_PI + TO_INTEGER;
    let quarters = shifted - TO_INTEGER;
    let rest = (angle - quarters * QUARTER) - quarters * QUARTER_REST;
    let square = rest * rest;
    let sine = polynomial(square, [-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0]);
    let cosine = polynomial(
        square,
        [-1.0 / 2.0, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3_628_800.0],
    );
    let (sine, cosine) = (rest * (1.0 + square * sine), 1.0 + square * cosine);
    turn(sine as f32, cosine as f32, shifted.to_bits() as u32)
}

/// Angles from here on are taken from `libm`: 100,000 radians are 16,000 turns.
const LARGE: f32 = 1e5;

/// `1.5 * 2^52`: added to a number below 2^51, it leaves no bits behind the point. The integer is
/// in the lowest bits of the sum.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// The first 33 bits of π/2, so that products with 2^16 quarter turns are exact; and the rest.
const QUARTER: f64 = f64::from_bits(0x3FF9_21FB_5440_0000);
const QUARTER_REST: f64 = 6.077_100_506_506_192e-11;

/// `a + b x + c x² ...`
#[inline(always)]
fn polynomial<const N: usize>(x: f64, factors: [f64; N]) -> f64 {
    let (mut sum, mut i) = (factors[N - 1], N - 1);
    while i > 0 {
        i -= 1;
        sum = sum * x + factors[i];
    }
    sum
}

/// The sine and the cosine of an angle, turned by this number of quarter turns.
#[inline(always)]
fn turn(sine: f32, cosine: f32, quarters: u32) -> (f32, f32) {
    let (sine, cosine) = (sine.to_bits(), cosine.to_bits());
    // All bits where the two change places.
    let others = (sine ^ cosine) & (quarters & 1).wrapping_neg();
    let signed = |x: u32, bit: u32| f32::from_bits(x ^ ((bit & 2) << 30));
    (signed(sine ^ others, quarters), signed(cosine ^ others, quarters.wrapping_add(1)))
}

#[cold]
fn sin_cos_of_large(angles: [f32; 3]) -> ([f32; 3], [f32; 3]) {
    (angles.map(libm::sinf), angles.map(libm::cosf))
}
