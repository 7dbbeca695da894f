//! Functions of time become key frames. All of them repeat after [`LOOP`] seconds.

use nalgebra::{UnitQuaternion, UnitVector3, Vector3};

use super::figure::{Channel, Figure, Interpolation};

/// Seconds.
pub const LOOP: f32 = 12.0;

/// `count` gaps, so that the last key is the first one again.
fn times(count: usize) -> Vec<f32> {
    (0..=count).map(|i| LOOP * i as f32 / count as f32).collect()
}

impl Figure {
    fn channel(
        &mut self,
        node: usize,
        path: &'static str,
        interpolation: Interpolation,
        times: Vec<f32>,
        values: Vec<f32>,
    ) {
        self.channels.push(Channel { node, path, interpolation, times, values });
    }

    /// Rotations on `gaps` + 1 keys, slerped between them.
    pub fn rotate_linear(
        &mut self,
        node: usize,
        gaps: usize,
        rotation: impl Fn(f32) -> UnitQuaternion<f32>,
    ) {
        let times = times(gaps);
        let mut last = UnitQuaternion::identity();
        let mut values = Vec::new();
        for &time in &times {
            let mut quaternion = rotation(time);
            if quaternion.coords.dot(&last.coords) < 0.0 {
                quaternion = UnitQuaternion::new_unchecked(-quaternion.into_inner());
            }
            values.extend_from_slice(quaternion.coords.as_slice());
            last = quaternion;
        }
        self.channel(node, "rotation", Interpolation::Linear, times, values);
    }

    /// Whole turns about an axis at even speed.
    pub fn spin(&mut self, node: usize, axis: UnitVector3<f32>, turns: i32) {
        let gaps = 4 * turns.unsigned_abs() as usize;
        let speed = std::f32::consts::TAU * turns as f32 / LOOP;
        self.rotate_linear(node, gaps, |time| UnitQuaternion::from_axis_angle(&axis, speed * time));
    }

    /// One whole turn in `ticks` jumps.
    pub fn tick(&mut self, node: usize, axis: UnitVector3<f32>, ticks: usize) {
        let times = times(ticks);
        let step = std::f32::consts::TAU / ticks as f32;
        let rotation = |i: usize| UnitQuaternion::from_axis_angle(&axis, step * i as f32);
        let values = (0..times.len()).flat_map(|i| <[f32; 4]>::from(rotation(i).coords)).collect();
        self.channel(node, "rotation", Interpolation::Step, times, values);
    }

    /// Swings about an axis: `angle` is a function of the phase, which passes 1 `periods` times a
    /// loop, four keys each.
    pub fn swing(
        &mut self,
        node: usize,
        axis: UnitVector3<f32>,
        periods: usize,
        amplitude: f32,
        phase: f32,
    ) {
        let rest = self.nodes[node].rotation;
        let rate = std::f32::consts::TAU * periods as f32 / LOOP;
        let at = |time: f32| {
            let angle = amplitude * (rate * time + phase).sin();
            (rest * UnitQuaternion::from_axis_angle(&axis, angle)).coords
        };
        self.spline(node, "rotation", 4 * periods, |time| at(time).as_slice().to_vec());
    }

    pub fn move_spline(
        &mut self,
        node: usize,
        gaps: usize,
        position: impl Fn(f32) -> Vector3<f32>,
    ) {
        self.spline(node, "translation", gaps, |time| position(time).as_slice().to_vec());
    }

    pub fn scale_spline(&mut self, node: usize, gaps: usize, scale: impl Fn(f32) -> Vector3<f32>) {
        self.spline(node, "scale", gaps, |time| scale(time).as_slice().to_vec());
    }

    pub fn scale_steps(&mut self, node: usize, gaps: usize, scale: impl Fn(f32) -> Vector3<f32>) {
        let times = times(gaps);
        let values = times.iter().flat_map(|&time| <[f32; 3]>::from(scale(time))).collect();
        self.channel(node, "scale", Interpolation::Step, times, values);
    }

    /// Values and slopes of a smooth function; both tangents of a key are its slope.
    fn spline(
        &mut self,
        node: usize,
        path: &'static str,
        gaps: usize,
        value: impl Fn(f32) -> Vec<f32>,
    ) {
        const STEP: f32 = 1e-2;
        let times = times(gaps);
        let mut values = Vec::new();
        for &time in &times {
            let (before, after) = (value(time - STEP), value(time + STEP));
            let slope: Vec<f32> =
                before.iter().zip(&after).map(|(b, a)| (a - b) / (2.0 * STEP)).collect();
            values.extend([slope.clone(), value(time), slope].concat());
        }
        self.channel(node, path, Interpolation::CubicSpline, times, values);
    }
}
