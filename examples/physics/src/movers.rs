//! What moves bodies, and parts of them, in each tick.

use std::f32::consts::TAU;

use legion::system;
use legion_transform::prelude::*;
use rapier3d::prelude::Vector;

use crate::physics::{Body, Physics};

/// The number of the tick: a resource.
pub struct Tick(pub u32);

impl Tick {
    /// How far a turn of so many ticks is, in radians.
    fn angle(&self, ticks: u32) -> f32 {
        TAU * (self.0 % ticks) as f32 / ticks as f32
    }
}

/// A kinematic body on a way of its own: nothing pushes it, and it pushes and carries others.
pub struct Path {
    pub middle: Vector,
    pub reach: Vector,
    /// Ticks there and back.
    pub ticks: u32,
}

/// Tells rapier where the body will be *after* the step. So rapier knows its velocity, and friction
/// takes along what stands on it; with `set_position` that would slip.
#[system(for_each)]
pub fn float(body: &Body, path: &Path, #[resource] physics: &mut Physics, #[resource] tick: &Tick) {
    let at = path.middle + path.reach * tick.angle(path.ticks).sin();
    physics.body_mut(body).set_next_kinematic_translation(at);
}

/// A dynamic body on wheels.
pub struct Drive {
    /// Metres a second, along its z axis.
    pub speed: f32,
    /// Radians a second, about the world's y axis.
    pub turn: f32,
}

#[system(for_each)]
pub fn drive(body: &Body, drive: &Drive, #[resource] physics: &mut Physics) {
    let body = physics.body_mut(body);
    let ahead = *body.rotation() * Vector::Z * drive.speed;
    let fall = body.linvel().y;
    body.set_linvel(Vector::new(ahead.x, fall, ahead.z), true);
    body.set_angvel(Vector::Y * drive.turn, true);
}

/// A part that turns about its own y axis. rapier knows nothing of it: it is a child.
pub struct Spin {
    /// Ticks a turn.
    pub ticks: u32,
}

#[system(for_each)]
pub fn spin(spin: &Spin, rotation: &mut Rotation, #[resource] tick: &Tick) {
    *rotation = Rotation::from_rotation_y(tick.angle(spin.ticks));
}
