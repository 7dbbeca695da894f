//! Poses in double-double: numbers of two `f64`, about 32 digits.
//!
//! A number is the sum of a large part and of what that leaves out: `1 + 1e-20` is `(1, 1e-20)`.
//! So a sum of `f64`s is known exactly, and what an `f64` computation loses can be measured.

use std::ops::{Add, Mul, Neg, Sub};

use legion_transform::frames::Frame;

/// The sum of two `f64`, the second one at most half a step of the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Double(f64, f64);

/// `a + b` and what rounding takes from it (Knuth).
fn sum(a: f64, b: f64) -> Double {
    let sum = a + b;
    let from_b = sum - a;
    Double(sum, (a - (sum - from_b)) + (b - from_b))
}

impl Double {
    pub fn to_f64(self) -> f64 {
        self.0 + self.1
    }

    /// The reciprocal: a first guess, and two steps of Newton's.
    fn recip(self) -> Self {
        let mut guess = Self::from(1.0 / self.0);
        for _ in 0..2 {
            guess = guess * (Self::from(2.0) - self * guess);
        }
        guess
    }

    /// The square root: a first guess, and two steps of Heron's.
    pub fn sqrt(self) -> Self {
        if self.0 == 0.0 {
            return self;
        }
        let mut guess = Self::from(self.0.sqrt());
        for _ in 0..2 {
            guess = (guess + self * guess.recip()) * Self::from(0.5);
        }
        guess
    }
}

impl From<f64> for Double {
    fn from(value: f64) -> Self {
        Self(value, 0.0)
    }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (large, small) = (sum(self.0, other.0), sum(self.1, other.1));
        let large = sum(large.0, large.1 + small.0);
        sum(large.0, large.1 + small.1)
    }
}

impl Neg for Double {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let lost = self.0.mul_add(other.0, -product);
        sum(product, lost + (self.0 * other.1 + self.1 * other.0))
    }
}

/// Three numbers.
pub type Place = [Double; 3];

/// The length of what is between two places.
pub fn distance(a: Place, b: Place) -> f64 {
    norm(&plus(a, b.map(Neg::neg)))
}

/// The length of a list of numbers.
fn norm(numbers: &[Double]) -> f64 {
    squares(numbers).sqrt().to_f64()
}

fn squares(numbers: &[Double]) -> Double {
    numbers.iter().fold(Double::default(), |all, &it| all + it * it)
}

fn plus(a: Place, b: Place) -> Place {
    std::array::from_fn(|i| a[i] + b[i])
}

/// A rotation of length 1, as `(x, y, z, w)`.
#[derive(Clone, Copy, Debug)]
pub struct Turn([Double; 4]);

impl Turn {
    /// The rotation of a quaternion of any length.
    fn of(numbers: [Double; 4]) -> Self {
        let by = squares(&numbers).sqrt().recip();
        Self(numbers.map(|it| it * by))
    }

    fn inverse(self) -> Self {
        let [x, y, z, w] = self.0;
        Self([-x, -y, -z, w])
    }

    fn then([ax, ay, az, aw]: [Double; 4], [bx, by, bz, bw]: [Double; 4]) -> [Double; 4] {
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    }

    /// A place turned about the origin.
    pub fn place(self, [x, y, z]: Place) -> Place {
        let turned = Self::then(Self::then(self.0, [x, y, z, Double::default()]), self.inverse().0);
        [turned[0], turned[1], turned[2]]
    }

    /// The length of the difference of the two quaternions, on the nearer side: half the angle.
    pub fn off(self, other: Self) -> f64 {
        let apart = |sign: f64| {
            norm(&std::array::from_fn::<_, 4, _>(|i| self.0[i] - other.0[i] * Double::from(sign)))
        };
        apart(1.0).min(apart(-1.0))
    }
}

/// A place and a rotation.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    pub place: Place,
    pub turn: Turn,
}

impl Pose {
    pub fn identity() -> Self {
        Self::of(&Frame::default())
    }

    /// What a frame says.
    pub fn of(frame: &Frame) -> Self {
        Self {
            place: <[f64; 3]>::from(frame.position.coords).map(Double::from),
            turn: Turn::of(<[f64; 4]>::from(frame.rotation.coords).map(Double::from)),
        }
    }

    /// How far the length of a frame's rotation is from 1.
    pub fn length_off(frame: &Frame) -> f64 {
        let length = squares(&<[f64; 4]>::from(frame.rotation.coords).map(Double::from)).sqrt();
        (length - Double::from(1.0)).to_f64().abs()
    }

    #[must_use]
    pub fn inverse(self) -> Self {
        let turn = self.turn.inverse();
        Self { place: turn.place(self.place.map(Neg::neg)), turn }
    }

    /// The pose of what stands in this one with the pose `next`.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let place = plus(self.place, self.turn.place(next.place));
        Self { place, turn: Turn::of(Turn::then(self.turn.0, next.turn.0)) }
    }
}
