//! Ways between two ticks on which more than the translation changes.
//!
//! A rotation on the way is `w_A A + w_B B`, of the quaternions at the two ends, whose angle is
//! `t`:
//!
//! ```text
//!  w_A = sin((1 - a) t) / sin t  = (1 - a) s((1 - a)² t²) / s(t²)      s(x²) = sin(x) / x
//!  w_B = sin(a t) / sin t        = a s(a² t²) / s(t²)
//! ```
//!
//! `s` is a polynomial, as is `t²` in `1 - cos t`, and `cos t` is the dot product: no platform's
//! sine, and small angles lose no digits. With `A` at 0 and `B` at 60 degrees `t` is 30 degrees; at
//! `a = 1/2` both are `sin 15 / sin 30 = 0.518`.

use wide::f32x4;

use super::parts::Parts;
use crate::components::LocalToWorld;

/// The ways of all entities that do not just shift between the last two ticks. They end at the
/// matrices of the last tick, which are stored elsewhere.
#[derive(Debug, Default)]
pub struct Turns {
    from: Vec<LocalToWorld>,
    /// The ends of the last turns, which are not taken apart yet: up to three.
    to: Vec<LocalToWorld>,
    links: Vec<Link>,
    /// The parts at the ends, at which the next turns begin.
    ends: Vec<Parts>,
    /// The parts at the beginnings: the ends of the tick before, and more behind them.
    begins: Vec<Parts>,
}

/// How the parts of two ends are joined.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// Which of the beginnings; [`STRAIGHT`] where all elements go straight.
    begin: u32,
    /// `t²`, the square of half the angle between the two rotations.
    square: f32,
    /// `1 / s(t²)` for both weights. That of the end is negative if the other quaternion of the
    /// same rotation is nearer.
    factors: [f32; 2],
}

const STRAIGHT: u32 = u32::MAX;
/// The parts at the beginning are not known yet.
const UNKNOWN: u32 = u32::MAX - 1;

impl Turns {
    /// Ends all turns, for a new tick. The numbers of the old ones are those of beginnings now.
    pub fn end(&mut self) {
        std::mem::swap(&mut self.begins, &mut self.ends);
        self.ends.clear();
        self.from.clear();
        self.links.clear();
    }

    /// Adds a turn, and returns its number. `begin` is the number of the turn of the tick before
    /// that ended at `from`, if there is one.
    #[inline]
    pub fn push(&mut self, from: &LocalToWorld, to: &LocalToWorld, begin: Option<u32>) -> u32 {
        let turn = self.from.len() as u32;
        self.from.push(*from);
        self.to.push(*to);
        let begin = begin.unwrap_or(UNKNOWN);
        self.links.push(Link { begin, square: 0.0, factors: [0.0; 2] });
        if self.to.len() == 4 {
            self.take_apart();
        }
        turn
    }

    /// Takes the matrices of the last turns apart, up to four.
    #[inline(never)]
    pub fn take_apart(&mut self) {
        if self.to.is_empty() {
            return;
        }
        let first = self.ends.len();
        let links = &mut self.links[first..];
        if links.iter().any(|link| link.begin == UNKNOWN) {
            let begins = self.begins.len() as u32..;
            Parts::push_four(&mut self.begins, four(&self.from[first..]));
            for (link, begin) in links.iter_mut().zip(begins).filter(|it| it.0.begin == UNKNOWN) {
                link.begin = begin;
            }
        }
        Parts::push_four(&mut self.ends, four(&self.to));
        join(links, &self.begins, &self.ends[first..]);
        self.ends.truncate(first + self.to.len());
        self.to.clear();
    }

    /// The matrix of a turn at `alpha`, from 0 to 1. `to` is the end.
    #[inline]
    pub fn at(&self, turn: u32, to: &LocalToWorld, alpha: f32) -> LocalToWorld {
        let (from, link) = (&self.from[turn as usize], &self.links[turn as usize]);
        if alpha <= 0.0 {
            return *from;
        }
        let columns = match self.begins.get(link.begin as usize) {
            Some(begin) => link.at(begin, &self.ends[turn as usize], alpha),
            None => std::array::from_fn(|i| {
                straight(f32x4::new(from.0.data.0[i]), f32x4::new(to.0.data.0[i]), alpha)
            }),
        };
        LocalToWorld(columns.map(f32x4::to_array).into())
    }
}

/// `(1 - alpha) from + alpha to`.
#[inline(always)]
pub fn straight(from: f32x4, to: f32x4, alpha: f32) -> f32x4 {
    from * f32x4::splat(1.0 - alpha) + to * f32x4::splat(alpha)
}

/// Four, or the less that are left and the first again.
fn four<T>(left: &[T]) -> [&T; 4] {
    std::array::from_fn(|i| left.get(i).unwrap_or(&left[0]))
}

/// `s`: `sin(x) / x` by the square of `x`, up to a quarter turn. It is up to 1e-7 off.
#[inline(always)]
fn sine(square: f32x4) -> f32x4 {
    polynomial([2.605_166_3e-6, -1.980_904_6e-4, 8.333_051e-3, -0.166_666_58, 1.0], square)
}

/// The square of an angle by 1 less its cosine, up to a quarter turn. It is up to 5e-7
/// off.
fn square_of_angle(versine: f32x4) -> f32x4 {
    let factors = [
        0.005_098_724,
        -0.008_677_541,
        0.014_087_147,
        0.004_819_42,
        0.030_034_677,
        0.088_695_72,
        0.333_342_93,
        1.999_999_9,
    ];
    versine * polynomial(factors, versine)
}

/// The factor of the highest power first.
#[inline(always)]
fn polynomial<const N: usize>(factors: [f32; N], x: f32x4) -> f32x4 {
    factors.into_iter().fold(f32x4::ZERO, |sum, factor| sum * x + f32x4::splat(factor))
}

/// Joins up to four ends to their beginnings.
#[inline(always)]
fn join(links: &mut [Link], begins: &[Parts], ends: &[Parts]) {
    let begins = four(links).map(|link| &begins[link.begin as usize]);
    let ends = four(ends);
    let from = f32x4::transpose(begins.map(|parts| parts.rotation));
    let to = f32x4::transpose(ends.map(|parts| parts.rotation));
    let cosine = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
    let squares = square_of_angle(f32x4::ONE - cosine.abs());
    let factors = f32x4::ONE / sine(squares);
    let nearer = (factors ^ (cosine & f32x4::splat(-0.0))).to_array();
    let (squares, factors) = (squares.to_array(), factors.to_array());
    for (i, link) in links.iter_mut().enumerate() {
        let is_turn = !squares[i].is_nan() && begins[i].mirrors() == ends[i].mirrors();
        let begin = if is_turn { link.begin } else { STRAIGHT };
        *link = Link { begin, square: squares[i], factors: [factors[i], nearer[i]] };
    }
}

impl Link {
    /// The columns of the matrix at `alpha`, between 0 and 1.
    #[inline(always)]
    fn at(&self, from: &Parts, to: &Parts, alpha: f32) -> [f32x4; 4] {
        let alphas = f32x4::new([1.0 - alpha, alpha, 0.0, 0.0]);
        let weights = alphas * sine(alphas * alphas * f32x4::splat(self.square));
        let [a, b, ..] = weights.to_array();
        let (a, b) = (f32x4::splat(a * self.factors[0]), f32x4::splat(b * self.factors[1]));
        let [right, up, back] = axes(from.rotation * a + to.rotation * b);
        let [x, y, z, _] = straight(from.scale, to.scale, alpha).to_array().map(f32x4::splat);
        let [xy, xz, yz, _] = straight(from.shear, to.shear, alpha).to_array().map(f32x4::splat);
        let last = f32x4::new([0.0, 0.0, 0.0, 1.0]);
        [
            right * x + f32x4::ZERO, // The bottom row of a mirror is 0, too, and not -0.
            (up + right * xy) * y,
            (back + up * yz + right * xz) * z,
            straight(from.translation, to.translation, alpha) + last,
        ]
    }
}

/// The columns of the matrix of a rotation: the first is `1 - 2yy - 2zz, 2xy + 2zw, 2xz - 2yw`.
#[inline(always)]
fn axes(rotation: f32x4) -> [f32x4; 3] {
    let [x, y, z, w] = rotation.to_array();
    let [x2, y2, z2, _] = (rotation + rotation).to_array().map(f32x4::splat);
    let of = |x, y, z| f32x4::new([x, y, z, 0.0]);
    let (yxw, zwx, wzy) = (of(y, x, w), of(z, w, x), of(w, z, y));
    // A minus is a sign bit: by numbers, each would be negated on its own.
    let [p, m] = [0.0, -0.0];
    [
        y2 * (yxw ^ of(m, p, m)) + z2 * (zwx ^ of(m, p, p)) + of(1.0, 0.0, 0.0),
        x2 * (yxw ^ of(p, m, p)) + z2 * (wzy ^ of(m, m, p)) + of(0.0, 1.0, 0.0),
        x2 * (zwx ^ of(p, m, m)) + y2 * (wzy ^ of(p, p, m)) + of(0.0, 0.0, 1.0),
    ]
}
