//! Six legs that put their feet where they stay: planted in the world for half a cycle, three at a
//! time.

use std::f32::consts::{PI, TAU};

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::figure::{Figure, Material};

const COXA: f32 = 0.25;
const FEMUR: f32 = 0.7;
const TIBIA: f32 = 1.1;
/// Of the body's middle line, to where a foot stands at rest.
const REACH: f32 = 1.5;
const LIFT: f32 = 0.38;
const CYCLE: f32 = 1.0;
/// Ten a second.
const KEYS: usize = 120;

/// The walker as a whole and its body, as functions of time.
pub struct Carriage<'a> {
    pub walker: &'a dyn Fn(f32) -> Isometry3<f32>,
    pub body: &'a dyn Fn(f32) -> Isometry3<f32>,
}

/// Angles about y (the coxa) and about z (all others).
struct Angles {
    coxa: f32,
    femur: f32,
    tibia: f32,
    foot: f32,
}

pub fn build(figure: &mut Figure, body: usize, carriage: &Carriage<'_>) {
    for (side, name) in [(1.0, "right"), (-1.0, "left")] {
        for (row, z) in [-0.75_f32, 0.0, 0.75].into_iter().enumerate() {
            let is_second = (row % 2 == 0) == (side > 0.0);
            let phase = if is_second { 0.5 } else { 0.0 };
            let hip = Isometry3::from_parts(
                Vector3::new(0.42 * side, 0.0, z).into(),
                UnitQuaternion::from_axis_angle(
                    &Vector3::y_axis(),
                    if side > 0.0 { 0.0 } else { PI },
                ),
            );
            let rest = Point3::new(REACH * side, 0.0, z * 1.5);
            leg(figure, body, &format!("{name} leg {}", row + 1), hip, |time| {
                let foot = foot(carriage, rest, time, phase);
                let in_body = ((carriage.walker)(time) * (carriage.body)(time))
                    .inverse_transform_point(&foot);
                solve(&hip.inverse_transform_point(&in_body))
            });
        }
    }
}

/// Where a foot is in the world.
fn foot(carriage: &Carriage<'_>, rest: Point3<f32>, time: f32, phase: f32) -> Point3<f32> {
    let cycles = time / CYCLE + phase;
    let (number, part) = (cycles.floor(), cycles.fract());
    // It stands while the walker passes over it, and is right below its rest in the middle of that.
    let planted = |number: f32| {
        let middle = (number + 0.25 - phase) * CYCLE;
        (carriage.walker)(middle) * rest
    };
    if part < 0.5 {
        return planted(number);
    }
    let u = (part - 0.5) * 2.0;
    let eased = u * u * (3.0 - 2.0 * u);
    let (from, to) = (planted(number), planted(number + 1.0));
    from + (to - from) * eased + Vector3::y() * (LIFT * (u * PI).sin())
}

/// The angles that bring the foot to `target`, in the hip's space, where x points outwards.
fn solve(target: &Point3<f32>) -> Angles {
    let coxa = (-target.z).atan2(target.x);
    let (out, up) = (target.x.hypot(target.z) - COXA, target.y);
    let distance = out.hypot(up).clamp(0.45, FEMUR + TIBIA - 0.01);
    let corner = |a: f32, b: f32, opposite: f32| {
        ((a * a + b * b - opposite * opposite) / (2.0 * a * b)).clamp(-1.0, 1.0).acos()
    };
    let femur = up.atan2(out) + corner(FEMUR, distance, TIBIA);
    let tibia = corner(FEMUR, TIBIA, distance) - PI;
    Angles { coxa, femur, tibia, foot: -femur - tibia }
}

fn leg(
    figure: &mut Figure,
    body: usize,
    name: &str,
    hip: Isometry3<f32>,
    angles: impl Fn(f32) -> Angles,
) {
    let at = hip.translation.vector;
    let base = figure.node(Some(body), format!("{name} hip"), at.into());
    figure.turned(base, hip.rotation);
    let coxa = figure.node(Some(base), format!("{name} coxa"), [0.0; 3]);
    figure.shell(coxa, Material::Steel, [COXA, 0.16, 0.2], [COXA / 2.0, 0.0, 0.0]);
    let femur = figure.node(Some(coxa), format!("{name} femur"), [COXA, 0.0, 0.0]);
    figure.shell(femur, Material::Brass, [FEMUR, 0.13, 0.11], [FEMUR / 2.0, 0.0, 0.0]);
    let tibia = figure.node(Some(femur), format!("{name} tibia"), [FEMUR, 0.0, 0.0]);
    figure.shell(tibia, Material::Steel, [TIBIA * 0.92, 0.08, 0.08], [TIBIA * 0.46, 0.0, 0.0]);
    figure.shell(tibia, Material::Ruby, [0.17, 0.17, 0.15], [0.0; 3]);
    let foot = figure.node(Some(tibia), format!("{name} foot"), [TIBIA, 0.0, 0.0]);
    for toe in 0..3 {
        let node = figure.node(Some(foot), format!("{name} toe {}", toe + 1), [0.0; 3]);
        figure.turned(
            node,
            UnitQuaternion::from_axis_angle(&Vector3::y_axis(), TAU * toe as f32 / 3.0),
        );
        figure.shell(node, Material::Brass, [0.2, 0.05, 0.06], [0.1, 0.025, 0.0]);
    }
    let about_z = |angle: f32| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
    figure.rotate_linear(coxa, KEYS, |t| {
        UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angles(t).coxa)
    });
    figure.rotate_linear(femur, KEYS, |t| about_z(angles(t).femur));
    figure.rotate_linear(tibia, KEYS, |t| about_z(angles(t).tibia));
    figure.rotate_linear(foot, KEYS, |t| about_z(angles(t).foot));
    let rest = angles(0.0);
    figure.turned(coxa, UnitQuaternion::from_axis_angle(&Vector3::y_axis(), rest.coxa));
    figure.turned(femur, about_z(rest.femur));
    figure.turned(tibia, about_z(rest.tibia));
    figure.turned(foot, about_z(rest.foot));
}
