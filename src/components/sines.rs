//! Sines and cosines of the same bits on every platform.
//!
//! Sums, products, quotients and square roots are the same bits everywhere. The platform's C library
//! computes sines, and two libraries round differently. So the crate computes them by sums and
//! products, and takes the other such functions from the crate `libm`, which does so, too.
//! `tests/architecture` fails if a file calls the standard library's.

use wide::f64x4;

/// The sines and cosines of three angles: in lanes of `f64`, rounded once. At most 1 ulp from the
/// exact ones where all angles are below [`LARGE`]; NaN where an angle is not finite.
///
/// An angle is an odd or even number of quarter turns and a rest of an eighth of a turn at most,
/// of which short polynomials give sine and cosine:
///
/// ```text
///  angle    quarter turns   rest      sine             cosine
///  2.0      1               0.4292    cos(0.4292)      -sin(0.4292)
///  -3.0     -2, as 2        0.1416    -sin(0.1416)     -cos(0.1416)
/// ```
#[inline]
pub(crate) fn sin_cos([x, y, z]: [f32; 3]) -> ([f32; 3], [f32; 3]) {
    if !(x.abs() < LARGE && y.abs() < LARGE && z.abs() < LARGE) {
        return sin_cos_of_large([x, y, z]);
    }
    let angles = f64x4::new([x.into(), y.into(), z.into(), 0.0]);
    let shifted = angles * f64x4::splat(std::f64::consts::FRAC_2_PI) + f64x4::splat(TO_INTEGER);
    let quarters = shifted - f64x4::splat(TO_INTEGER);
    let rest = (angles - quarters * f64x4::splat(QUARTER)) - quarters * f64x4::splat(QUARTER_REST);
    let square = rest * rest;
    let sines = polynomial(square, &[-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0]);
    let sines = (rest * (f64x4::ONE + square * sines)).to_array();
    let cosines = polynomial(
        square,
        &[-1.0 / 2.0, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0, -1.0 / 3_628_800.0],
    );
    let cosines = (f64x4::ONE + square * cosines).to_array();
    let shifted = shifted.to_array();
    let turned = |i: usize| turn(sines[i] as f32, cosines[i] as f32, shifted[i].to_bits());
    let [a, b, c] = [turned(0), turned(1), turned(2)];
    ([a.0, b.0, c.0], [a.1, b.1, c.1])
}

/// Angles from here on are taken from `libm`: 100,000 radians are 16,000 turns.
const LARGE: f32 = 1e5;

/// `1.5 * 2^52`: added to a number below 2^51, it leaves no bits behind the point. The integer is in
/// the lowest bits of the sum.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;

/// The first 33 bits of π/2, so that products with 2^16 quarter turns are exact; and what is left.
const QUARTER: f64 = f64::from_bits(0x3FF9_21FB_5440_0000);
const QUARTER_REST: f64 = 6.077_100_506_506_192e-11;

/// `a + b x + c x² ...`
#[inline]
fn polynomial<const N: usize>(x: f64x4, factors: &[f64; N]) -> f64x4 {
    let start = f64x4::splat(factors[N - 1]);
    factors[..N - 1].iter().rev().fold(start, |sum, &factor| sum * x + f64x4::splat(factor))
}

/// The sine and the cosine of an angle of so many quarter turns more.
#[inline]
fn turn(sine: f32, cosine: f32, quarters: u64) -> (f32, f32) {
    let (sine, cosine) = if quarters & 1 == 0 { (sine, cosine) } else { (cosine, sine) };
    let signed = |x: f32, bit: u64| f32::from_bits(x.to_bits() ^ ((bit as u32 & 2) << 30));
    (signed(sine, quarters), signed(cosine, quarters + 1))
}

#[cold]
fn sin_cos_of_large(angles: [f32; 3]) -> ([f32; 3], [f32; 3]) {
    (angles.map(libm::sinf), angles.map(libm::cosf))
}
