//! What drives the walker: gears, an escapement with its pendulum, and the key that winds it.

use std::f32::consts::TAU;

use nalgebra::{UnitQuaternion, Vector3};

use super::figure::{Figure, Material};

pub fn build(figure: &mut Figure, body: usize) {
    let frame = figure.node(Some(body), "movement", [0.0, 0.1, 0.0]);
    figure.shell(frame, Material::Steel, [0.06, 0.7, 0.1], [0.0, 0.3, -0.1]);
    figure.shell(frame, Material::Steel, [0.06, 0.5, 0.1], [0.0, 0.25, 0.5]);

    let barrel = gear(figure, frame, "barrel", [0.06, 0.42, -0.1], 0.36, 14, Material::Brass);
    figure.spin(barrel, Vector3::x_axis(), 2);
    let pinion = gear(figure, frame, "pinion", [0.06, 0.42, 0.43], 0.16, 7, Material::Steel);
    figure.spin(pinion, -Vector3::x_axis(), 4);
    let escapement =
        gear(figure, frame, "escapement", [-0.08, 0.36, 0.5], 0.24, 15, Material::Ruby);
    figure.tick(escapement, Vector3::x_axis(), 30);

    let pendulum = figure.node(Some(frame), "pendulum", [-0.18, 0.75, 0.5]);
    figure.swing(pendulum, Vector3::x_axis(), 12, 0.42, 0.0);
    figure.shell(pendulum, Material::Brass, [0.03, 0.5, 0.03], [0.0, -0.25, 0.0]);
    let bob = figure.node(Some(pendulum), "bob", [0.0, -0.5, 0.0]);
    figure.shell(bob, Material::Ruby, [0.08, 0.14, 0.14], [0.0; 3]);

    let key = figure.node(Some(frame), "key", [0.1, 0.42, -0.1]);
    figure.spin(key, Vector3::x_axis(), 2);
    figure.shell(key, Material::Steel, [0.4, 0.06, 0.06], [0.2, 0.0, 0.0]);
    for (side, name) in [(1.0, "upper"), (-1.0, "lower")] {
        let wing =
            figure.node(Some(key), format!("{name} wing of the key"), [0.4, 0.15 * side, 0.0]);
        figure.shell(wing, Material::Brass, [0.05, 0.22, 0.16], [0.0; 3]);
    }
}

/// A wheel about the x axis, with teeth that are nodes of their own.
fn gear(
    figure: &mut Figure,
    parent: usize,
    name: &str,
    at: [f32; 3],
    radius: f32,
    teeth: usize,
    material: Material,
) -> usize {
    let hub = figure.node(Some(parent), name, at);
    for spoke in 0..3 {
        let node = figure.node(Some(hub), format!("{name} spoke {}", spoke + 1), [0.0; 3]);
        figure.turned(
            node,
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), TAU * spoke as f32 / 6.0),
        );
        figure.shell(node, material, [0.04, 2.0 * radius, 0.06], [0.0; 3]);
    }
    for tooth in 0..teeth {
        let turn =
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), TAU * tooth as f32 / teeth as f32);
        let place = turn * Vector3::new(0.0, radius, 0.0);
        let node = figure.node(Some(hub), format!("{name} tooth {}", tooth + 1), place.into());
        figure.turned(node, turn);
        let width = TAU * radius / teeth as f32;
        (figure.nodes[node].scale, figure.nodes[node].material) =
            (Vector3::new(0.05, 0.09, width * 0.62), Some(material));
    }
    hub
}
