//! Key frames and what lies between them, as glTF 2.0 (appendix C) defines it.

use nalgebra::UnitQuaternion;

use super::nodes::unit;

pub struct Animation {
    pub name: String,
    pub tracks: Vec<Track>,
}

impl Animation {
    /// When its last key is, in seconds.
    pub fn duration(&self) -> f32 {
        self.tracks.iter().filter_map(|track| track.times.last().copied()).fold(0.0, f32::max)
    }
}

/// One property of one node.
pub struct Track {
    pub node: usize,
    /// In seconds, increasing, at least one.
    pub times: Vec<f32>,
    pub interpolation: Interpolation,
    pub keys: Keys,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    Step,
    Linear,
    /// Three values a key: in-tangent, value, out-tangent.
    CubicSpline,
}

pub enum Keys {
    Translation(Vec<[f32; 3]>),
    Rotation(Vec<[f32; 4]>),
    Scale(Vec<[f32; 3]>),
    /// Of morph targets, by target.
    Weights(Vec<Vec<[f32; 1]>>),
}

pub enum Value {
    Translation([f32; 3]),
    Rotation(UnitQuaternion<f32>),
    Scale([f32; 3]),
    Weights(Vec<f32>),
}

impl Track {
    /// The value at `time`; before the first key and after the last one it stands still.
    pub fn sample(&self, time: f32) -> Value {
        let at = |keys: &[[f32; 3]]| interpolate(self.interpolation, &self.times, keys, time, lerp);
        match &self.keys {
            Keys::Translation(keys) => Value::Translation(at(keys)),
            Keys::Scale(keys) => Value::Scale(at(keys)),
            Keys::Rotation(keys) => {
                let value = interpolate(self.interpolation, &self.times, keys, time, slerp);
                Value::Rotation(unit(value))
            }
            Keys::Weights(targets) => {
                let weight = |keys: &Vec<[f32; 1]>| {
                    interpolate(self.interpolation, &self.times, keys, time, lerp)[0]
                };
                Value::Weights(targets.iter().map(weight).collect())
            }
        }
    }
}

fn interpolate<const N: usize>(
    interpolation: Interpolation,
    times: &[f32],
    keys: &[[f32; N]],
    time: f32,
    between: impl Fn(&[f32; N], &[f32; N], f32) -> [f32; N],
) -> [f32; N] {
    let last = times.len() - 1;
    // The last key at or before `time`.
    let key = times.partition_point(|&t| t <= time).saturating_sub(1).min(last);
    let next = (key + 1).min(last);
    let gap = times[next] - times[key];
    let u = if gap > 0.0 { ((time - times[key]) / gap).clamp(0.0, 1.0) } else { 0.0 };
    match interpolation {
        Interpolation::Step => keys[key],
        Interpolation::Linear => between(&keys[key], &keys[next], u),
        Interpolation::CubicSpline => {
            let [value, out_tangent] = [keys[3 * key + 1], keys[3 * key + 2]];
            let [in_tangent, next_value] = [keys[3 * next], keys[3 * next + 1]];
            hermite([&value, &out_tangent, &next_value, &in_tangent], u, gap)
        }
    }
}

fn lerp<const N: usize>(a: &[f32; N], b: &[f32; N], u: f32) -> [f32; N] {
    std::array::from_fn(|i| a[i] * (1.0 - u) + b[i] * u)
}

/// Along the shorter way round; the length is the caller's to mend.
fn slerp(a: &[f32; 4], b: &[f32; 4], u: f32) -> [f32; 4] {
    let (a, b) = (unit(*a), unit(*b));
    let cosine = a.coords.dot(&b.coords);
    let b = if cosine < 0.0 { UnitQuaternion::new_unchecked(-b.into_inner()) } else { b };
    if cosine.abs() > 0.9999 {
        // The sine of a small angle has few digits left, and the straight way is as good there.
        return lerp(&a.coords.into(), &b.coords.into(), u);
    }
    a.try_slerp(&b, u, f32::EPSILON).unwrap_or(a).coords.into()
}

/// Tangents are per second, so that `gap`, the time between the two keys, scales them.
fn hermite<const N: usize>([v, out, next, into]: [&[f32; N]; 4], u: f32, gap: f32) -> [f32; N] {
    let (u2, u3) = (u * u, u * u * u);
    std::array::from_fn(|i| {
        (2.0 * u3 - 3.0 * u2 + 1.0) * v[i]
            + gap * (u3 - 2.0 * u2 + u) * out[i]
            + (3.0 * u2 - 2.0 * u3) * next[i]
            + gap * (u3 - u2) * into[i]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_1_SQRT_2;

    fn x(track: &Track, time: f32) -> f32 {
        match track.sample(time) {
            Value::Translation([x, ..]) | Value::Scale([x, ..]) => x,
            Value::Rotation(rotation) => rotation.w,
            Value::Weights(weights) => weights[0],
        }
    }

    fn track(interpolation: Interpolation, xs: &[f32]) -> Track {
        let keys = Keys::Translation(xs.iter().map(|&x| [x, 0.0, 0.0]).collect());
        Track { node: 0, times: vec![1.0, 2.0, 4.0], interpolation, keys }
    }

    /// At `time`, between keys at 0 s and 1 s.
    fn rotation(interpolation: Interpolation, keys: &[[f32; 4]], time: f32) -> UnitQuaternion<f32> {
        let (times, keys) = (vec![0.0, 1.0], Keys::Rotation(keys.into()));
        let Value::Rotation(rotation) = Track { node: 0, times, interpolation, keys }.sample(time)
        else {
            panic!()
        };
        rotation
    }

    #[test]
    fn step_holds_each_key_until_the_next() {
        let track = track(Interpolation::Step, &[5.0, 6.0, 7.0]);
        let expected =
            [(0.0, 5.0), (1.0, 5.0), (1.999, 5.0), (2.0, 6.0), (3.9, 6.0), (4.0, 7.0), (9.0, 7.0)];
        expected.iter().for_each(|&(time, value)| assert_eq!(x(&track, time), value, "{time}"));
    }

    #[test]
    fn linear_is_linear_and_stands_still_outside() {
        let track = track(Interpolation::Linear, &[0.0, 10.0, 30.0]);
        let expected = [
            (-1.0, 0.0),
            (1.0, 0.0),
            (1.25, 2.5),
            (2.0, 10.0),
            (3.0, 20.0),
            (4.0, 30.0),
            (5.0, 30.0),
        ];
        expected.iter().for_each(|&(time, value)| assert_eq!(x(&track, time), value, "{time}"));
    }

    #[test]
    fn a_cubic_spline_of_a_cubic_is_that_cubic() {
        let (f, slope) = (|t: f32| t * t * t - 2.0 * t, |t: f32| 3.0 * t * t - 2.0);
        let keys: Vec<f32> =
            [1.0, 2.0, 4.0].iter().flat_map(|&t| [slope(t), f(t), slope(t)]).collect();
        let track = track(Interpolation::CubicSpline, &keys);
        for i in 0..=30 {
            let time = 1.0 + 0.1 * i as f32;
            assert!((x(&track, time) - f(time)).abs() < 2e-5 * f(time).abs().max(1.0), "{time}");
        }
        assert_eq!((x(&track, 0.0), x(&track, 5.0)), (f(1.0), f(4.0)));
    }

    #[test]
    fn rotations_take_the_shorter_way_at_even_speed() {
        // A quarter turn about z, written with either sign.
        for sign in [1.0, -1.0] {
            let end = [0.0, 0.0, FRAC_1_SQRT_2 * sign, FRAC_1_SQRT_2 * sign];
            let third = rotation(Interpolation::Linear, &[[0.0, 0.0, 0.0, 1.0], end], 1.0 / 3.0);
            assert!((third.angle() - 30.0_f32.to_radians()).abs() < 1e-6, "{third}");
        }
    }

    #[test]
    fn rotations_that_hardly_turn_are_interpolated_too() {
        for degrees in [0.01_f32, 0.03, 0.1, 1.0, 3.5, 3.7, 5.0] {
            let (sin, cos) = (degrees.to_radians() / 2.0).sin_cos();
            let keys = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, sin, cos]];
            let quarter = rotation(Interpolation::Linear, &keys, 0.25);
            let angle = 2.0 * quarter.k.asin().to_degrees();
            assert!((angle - degrees / 4.0).abs() < 2e-5 * degrees, "{angle} of {degrees}");
        }
    }

    #[test]
    fn spline_rotations_come_out_with_length_one() {
        let (flat, turned) = ([0.0; 4], [0.0, 0.0, 1.0, 0.0]);
        let keys = [flat, [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 2.0, 0.0], flat, turned, flat];
        let between = rotation(Interpolation::CubicSpline, &keys, 0.4);
        assert!((between.norm() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn one_key_is_enough() {
        let keys = Keys::Scale(vec![[2.0; 3]]);
        let track = Track { node: 0, times: vec![0.0], interpolation: Interpolation::Linear, keys };
        assert_eq!((x(&track, -1.0), x(&track, 3.0)), (2.0, 2.0));
    }
}
