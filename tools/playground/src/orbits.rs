//! Suns around a centre, planets around suns, moons around planets, probes around moons: every
//! entity but the centre gets another place each frame.

use std::f32::consts::{PI, TAU};

use legion::{Entity, IntoQuery, World};
use legion_transform::prelude::*;
use nalgebra::{ComplexField, Vector3};

pub const KINDS: [&str; 5] = ["centre", "sun", "planet", "moon", "probe"];
/// How many of the next kind go round one of each kind but the centre.
const BELOW: [usize; 5] = [0, 6, 3, 1, 0];
/// One of each kind and all below it.
const ALL: [usize; 5] = [0, 43, 7, 2, 1];
/// Radii of what is drawn, by kind.
const SIZES: [f32; 5] = [2.4, 0.55, 0.3, 0.17, 0.1];

/// Goes round its parent's y axis, in radians a second.
struct Orbit {
    speed: f32,
}

/// What the page draws of an entity, beside its matrix.
#[repr(C)]
pub struct Look {
    pub size: f32,
    pub kind: u32,
    pub node: u32,
}

/// Random numbers that are the same everywhere.
struct Dice(u32);

impl Dice {
    /// From `low` to `high`.
    fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        low + (high - low) * ((self.0 >> 8) as f32 / (1 << 24) as f32)
    }
}

struct Spawner<'a> {
    world: &'a mut World,
    dice: Dice,
    nodes: Vec<Entity>,
    wanted: usize,
}

/// The number of suns, and how far out the last one is.
pub fn extent(count: usize) -> (usize, f32) {
    let suns = count.saturating_sub(1).div_ceil(ALL[1]);
    (suns, 6.0 * (suns as f32).sqrt())
}

/// "moon 12.3.1" is the first of the third planet of the twelfth sun, as they were spawned.
pub fn name(node: usize) -> String {
    let Some(mut rest) = node.checked_sub(1) else { return KINDS[0].into() };
    let mut path = String::new();
    for kind in 1..KINDS.len() {
        path += &format!("{}{}", if kind > 1 { "." } else { "" }, rest / ALL[kind] + 1);
        match rest % ALL[kind] {
            0 => return format!("{} {path}", KINDS[kind]),
            below => rest = below - 1,
        }
    }
    path
}

/// `count` entities; the first is the centre. A sun's planets follow it, and so on down.
pub fn spawn(world: &mut World, count: usize) -> Vec<Entity> {
    let count = count.max(1);
    let mut spawner =
        Spawner { world, dice: Dice(0x9e37_79b9), nodes: Vec::with_capacity(count), wanted: count };
    let look = Look { size: SIZES[0], kind: 0, node: 0 };
    let centre = spawner.world.push_transform((Translation::identity(), look));
    spawner.nodes.push(centre);
    let (suns, far) = extent(count);
    for sun in 0..suns {
        // Two spiral arms, denser towards the middle.
        let out = ComplexField::powf((sun as f32 + 2.0) / (suns as f32 + 2.0), 0.65);
        let off = spawner.dice.between(-0.5, 0.5) + spawner.dice.between(-0.5, 0.5);
        let turn = (sun % 2) as f32 * PI + 4.6 * out + off;
        let height = (spawner.dice.between(-0.1, 0.1)) * far * (1.1 - out);
        spawner.one(centre, 1, ring(turn, far * out) + Vector3::y() * height, 0.06 / (0.2 + out));
    }
    spawner.nodes
}

impl Spawner<'_> {
    /// An entity, and all that go round it.
    fn one(&mut self, parent: Entity, kind: usize, place: Vector3<f32>, speed: f32) {
        if self.nodes.len() == self.wanted {
            return;
        }
        let look = Look { size: SIZES[kind], kind: kind as u32, node: self.nodes.len() as u32 };
        let tilt = [1.0, 0.5, 0.3, 0.0, 0.0][kind];
        let angles = [self.dice.between(-tilt, tilt), self.dice.between(-tilt, tilt)];
        let entity = self.world.push_child(
            parent,
            (
                Translation::from(place),
                Rotation::from_euler_angles(angles[0], 0.0, angles[1]),
                Orbit { speed },
                look,
            ),
        );
        self.nodes.push(entity);
        for i in 0..BELOW[kind] {
            let (nearest, step) = [(0.0, 0.0), (1.3, 0.75), (0.55, 0.3), (0.28, 0.0)][kind];
            let turn = self.dice.between(0.0, TAU);
            let far = nearest + step * (i as f32 + self.dice.between(0.0, 0.5));
            // Far ones are slower, as with Kepler.
            let speed = [0.0, 1.6, 0.9, 0.7][kind] / (far * far.sqrt());
            self.one(entity, kind + 1, ring(turn, far), speed.min(5.0));
        }
    }
}

/// nalgebra's sine, as its `powf`: with its feature `libm-force` they are the same everywhere.
fn ring(turn: f32, far: f32) -> Vector3<f32> {
    let (sin, cos) = ComplexField::sin_cos(turn);
    Vector3::new(cos * far, 0.0, sin * far)
}

/// A rotation by the angle whose half has the tangent `speed * seconds / 2`: of length one, without
/// a sine.
pub fn advance(world: &mut World, seconds: f32) {
    <(&mut Translation, &Orbit)>::query().for_each_mut(world, |(translation, orbit)| {
        let t = 0.5 * orbit.speed * seconds;
        let k = 1.0 / (1.0 + t * t);
        let (cos, sin) = ((1.0 - t * t) * k, 2.0 * t * k);
        let at = &mut translation.0;
        (at.x, at.z) = (at.x * cos + at.z * sin, at.z * cos - at.x * sin);
    });
}
