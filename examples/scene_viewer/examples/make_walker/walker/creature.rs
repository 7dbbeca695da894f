//! The walker: body, head with feelers, tail. Its front is -z, x is its right.

use std::f32::consts::TAU;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::{
    clockwork,
    figure::{Figure, Material},
    legs::{self, Carriage},
    motion::LOOP,
    orrery::PATH,
    tube::Skin,
};

const HEIGHT: f32 = 0.95;

pub fn build(figure: &mut Figure) {
    let path = figure.node(None, "path", [0.0; 3]);
    figure.spin(path, Vector3::y_axis(), 1);
    let walker = figure.node(Some(path), "walker", [PATH, 0.0, 0.0]);
    let body = figure.node(Some(walker), "body", [0.0, HEIGHT, 0.0]);

    let sway = |time: f32| {
        let wave = TAU * time;
        Vector3::new(0.03 * wave.sin(), HEIGHT + 0.035 * (2.0 * wave).cos(), 0.0)
    };
    let roll = |time: f32| {
        UnitQuaternion::from_euler_angles(
            0.02 * (2.0 * TAU * time).sin(),
            0.0,
            0.03 * (TAU * time).cos(),
        )
    };
    figure.move_spline(body, 96, sway);
    figure.rotate_linear(body, 120, roll);

    hull(figure, body);
    head(figure, body);
    tail(figure, body);
    clockwork::build(figure, body);
    legs::build(
        figure,
        body,
        &Carriage {
            walker: &|time| {
                let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), TAU * time / LOOP);
                Isometry3::from_parts(Translation3::identity(), turn)
                    * Translation3::new(PATH, 0.0, 0.0)
            },
            body: &|time| Isometry3::from_parts(sway(time).into(), roll(time)),
        },
    );
}

fn hull(figure: &mut Figure, body: usize) {
    figure.shell(body, Material::Steel, [0.62, 0.14, 2.0], [0.0, -0.06, 0.0]);
    for i in 0..7 {
        let z = -0.9 + 0.3 * i as f32;
        let rib = figure.node(Some(body), format!("rib {}", i + 1), [0.0, 0.0, z]);
        let width = 0.84 - 0.9 * (z * 0.45).powi(2);
        figure.shell(rib, Material::Brass, [width, 0.1, 0.09], [0.0; 3]);
        for (side, name) in [(1.0, "right"), (-1.0, "left")] {
            let plate = figure.node(
                Some(rib),
                format!("rib {} {name} plate", i + 1),
                [width * 0.5 * side, 0.06, 0.0],
            );
            figure.turned(plate, UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.5 * side));
            figure.shell(plate, Material::Jade, [0.06, 0.2, 0.2], [0.0, 0.08, 0.0]);
        }
    }
}

fn head(figure: &mut Figure, body: usize) {
    let neck = figure.node(Some(body), "neck", [0.0, 0.05, -1.0]);
    figure.shell(neck, Material::Steel, [0.16, 0.14, 0.3], [0.0, 0.0, -0.13]);
    figure.swing(neck, Vector3::y_axis(), 4, 0.3, 0.0);
    let head = figure.node(Some(neck), "head", [0.0, 0.04, -0.3]);
    figure.swing(head, Vector3::x_axis(), 6, 0.16, 1.0);
    figure.shell(head, Material::Brass, [0.42, 0.26, 0.36], [0.0, 0.02, -0.16]);
    for (side, name) in [(1.0, "right"), (-1.0, "left")] {
        let eye = figure.node(Some(head), format!("{name} eye"), [0.17 * side, 0.12, -0.3]);
        let lid = figure.shell(eye, Material::Ruby, [0.12, 0.12, 0.12], [0.0; 3]);
        let open = |time: f32| if (1.9..2.2).contains(&(time % 4.0)) { 0.02 } else { 0.12 };
        figure.scale_steps(lid, 120, |time| Vector3::new(0.12, open(time), 0.12));
        let jaw = figure.node(Some(head), format!("{name} jaw"), [0.13 * side, -0.08, -0.32]);
        figure.shell(jaw, Material::Steel, [0.06, 0.06, 0.26], [0.0, 0.0, -0.12]);
        figure.swing(jaw, Vector3::y_axis(), 12, 0.3 * side, 0.0);
        let first = UnitQuaternion::from_euler_angles(0.9, 0.35 * -side, 0.0);
        feeler(figure, head, &format!("{name} feeler"), [0.12 * side, 0.14, -0.26], first, side);
    }
}

fn feeler(
    figure: &mut Figure,
    head: usize,
    name: &str,
    at: [f32; 3],
    first: UnitQuaternion<f32>,
    side: f32,
) {
    let mut parent = head;
    let mut joints = Vec::new();
    for i in 0..7 {
        let place = if i == 0 { at } else { [0.0, 0.0, -0.15] };
        let node = figure.node(Some(parent), format!("{name} {}", i + 1), place);
        let rest = if i == 0 { first } else { UnitQuaternion::from_euler_angles(-0.16, 0.0, 0.0) };
        figure.turned(node, rest);
        figure.rotate_linear(node, 48, |time| {
            let wave = (TAU * time / 2.0 - 0.7 * i as f32 + side).sin();
            rest * UnitQuaternion::from_euler_angles(0.14 * wave, 0.1 * wave * side, 0.0)
        });
        joints.push(node);
        parent = node;
    }
    figure.tube(
        name,
        joints,
        [0.0, 0.0, -0.15],
        [0.034, 0.012],
        Skin::Plain(Material::Jade as usize),
    );
}

fn tail(figure: &mut Figure, body: usize) {
    let mut parent = body;
    let mut joints = Vec::new();
    for i in 0..9 {
        let place = if i == 0 { [0.0, 0.0, 1.0] } else { [0.0, 0.0, 0.24] };
        let node = figure.node(Some(parent), format!("tail {}", i + 1), place);
        figure.turned(node, UnitQuaternion::from_euler_angles(-0.11, 0.0, 0.0));
        figure.swing(node, Vector3::y_axis(), 6, 0.15, -0.55 * i as f32);
        joints.push(node);
        parent = node;
    }
    figure.shell(parent, Material::Ruby, [0.12; 3], [0.0, 0.0, 0.26]);
    figure.tube("tail", joints, [0.0, 0.0, 0.24], [0.13, 0.04], Skin::Banded);
}
