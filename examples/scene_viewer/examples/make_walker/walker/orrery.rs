//! What the walker walks about: planets on their arms above a dial, inside a ring of stepping
//! stones.

use std::f32::consts::TAU;

use nalgebra::{UnitQuaternion, Vector3};

use super::{
    figure::{Figure, Material},
    motion::LOOP,
};

/// The radius of the round, in metres.
pub const PATH: f32 = 3.0;

struct Planet {
    name: &'static str,
    arm: f32,
    height: f32,
    turns: i32,
    size: f32,
    moons: usize,
    material: Material,
}

const PLANETS: [Planet; 4] = [
    Planet {
        name: "ember",
        arm: 0.55,
        height: 2.35,
        turns: 4,
        size: 0.16,
        moons: 0,
        material: Material::Ruby,
    },
    Planet {
        name: "fern",
        arm: 0.95,
        height: 2.2,
        turns: 3,
        size: 0.24,
        moons: 1,
        material: Material::Jade,
    },
    Planet {
        name: "slate",
        arm: 1.4,
        height: 2.05,
        turns: -2,
        size: 0.2,
        moons: 2,
        material: Material::Steel,
    },
    Planet {
        name: "amber",
        arm: 1.95,
        height: 1.9,
        turns: 1,
        size: 0.34,
        moons: 4,
        material: Material::Brass,
    },
];

pub fn build(figure: &mut Figure) {
    let base = figure.node(None, "orrery", [0.0; 3]);
    for (level, (size, height)) in [(1.5, 0.1), (1.1, 0.3), (0.7, 0.5)].into_iter().enumerate() {
        let step = figure.node(Some(base), format!("plinth {}", level + 1), [0.0, height, 0.0]);
        figure.shell(step, Material::Stone, [size, 0.2, size], [0.0; 3]);
    }
    let pillar = figure.node(Some(base), "pillar", [0.0, 0.6, 0.0]);
    figure.shell(pillar, Material::Steel, [0.14, 1.9, 0.14], [0.0, 0.95, 0.0]);
    let sun = figure.node(Some(pillar), "sun", [0.0, 1.95, 0.0]);
    figure.spin(sun, Vector3::y_axis(), 3);
    let glow = figure.shell(sun, Material::Brass, [0.4, 0.4, 0.4], [0.0; 3]);
    figure.scale_spline(glow, 24, |time| {
        let wave = (TAU * time / 3.0).sin();
        Vector3::new(0.4 + 0.05 * wave, 0.4 - 0.05 * wave, 0.4 + 0.05 * wave)
    });
    PLANETS.iter().for_each(|planet| build_planet(figure, base, planet));
    dial(figure, base);
    stones(figure);
}

fn build_planet(figure: &mut Figure, base: usize, planet: &Planet) {
    let &Planet { name, arm, height, turns, size, moons, material } = planet;
    let hub = figure.node(Some(base), format!("{name} arm"), [0.0, height, 0.0]);
    figure.spin(hub, Vector3::y_axis(), turns);
    figure.shell(hub, Material::Steel, [arm, 0.03, 0.05], [arm / 2.0, 0.0, 0.0]);
    let globe = figure.node(Some(hub), name, [arm, size * 0.6, 0.0]);
    figure.spin(globe, Vector3::y_axis(), 6);
    figure.shell(globe, material, [size; 3], [0.0; 3]);
    for moon in 0..moons {
        let orbit = figure.node(Some(globe), format!("{name} orbit {}", moon + 1), [0.0; 3]);
        let tilt = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.5 - 0.3 * moon as f32);
        let speed = TAU * (2 + moon) as f32 / LOOP;
        let start = TAU * moon as f32 / moons as f32;
        figure.rotate_linear(orbit, 8 * (2 + moon), |time| {
            tilt * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), start + speed * time)
        });
        let ball = figure.node(
            Some(orbit),
            format!("{name} moon {}", moon + 1),
            [size * 0.9 + 0.05 * moon as f32, 0.0, 0.0],
        );
        figure.shell(ball, Material::Steel, [size * 0.25; 3], [0.0; 3]);
    }
}

fn dial(figure: &mut Figure, base: usize) {
    let dial = figure.node(Some(base), "dial", [0.0, 0.22, 0.0]);
    for hour in 0..12 {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -TAU * hour as f32 / 12.0);
        let place = turn * Vector3::new(0.0, 0.0, -1.35);
        let node = figure.node(
            Some(dial),
            format!("hour {}", if hour == 0 { 12 } else { hour }),
            place.into(),
        );
        figure.turned(node, turn);
        let length = if hour % 3 == 0 { 0.3 } else { 0.18 };
        figure.shell(node, Material::Brass, [0.06, 0.05, length], [0.0; 3]);
    }
    let hand = figure.node(Some(dial), "second hand", [0.0, 0.06, 0.0]);
    figure.tick(hand, -Vector3::y_axis(), 12);
    figure.shell(hand, Material::Ruby, [0.04, 0.03, 1.25], [0.0, 0.0, -0.6]);
}

/// Each stone is up while the walker is over it.
fn stones(figure: &mut Figure) {
    const STONES: usize = 24;
    let ring = figure.node(None, "stepping stones", [0.0; 3]);
    for i in 0..STONES {
        let part = i as f32 / STONES as f32;
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), TAU * part);
        let stone = figure.node(
            Some(ring),
            format!("stone {}", i + 1),
            (turn * Vector3::new(PATH, 0.0, 0.0)).into(),
        );
        figure.turned(stone, turn);
        // Neighbours overlap: their tops are not in one plane, where either could be seen.
        let height = if i % 2 == 0 { -0.06 } else { -0.07 };
        let slab = figure.shell(stone, Material::Stone, [1.9, 0.06, 0.7], [0.0, height, 0.0]);
        figure.scale_steps(slab, 48, |time| {
            let away = (time / LOOP - part + 0.5).rem_euclid(1.0) - 0.5;
            if away.abs() < 0.06 {
                Vector3::new(2.3, 0.12, 0.74)
            } else {
                Vector3::new(1.9, 0.06, 0.7)
            }
        });
    }
}
