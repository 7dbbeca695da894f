//! Who is there, and what hangs below whom.

use std::f32::consts::TAU;

use legion::{Entity, World};
use legion_transform::prelude::*;
use rapier3d::prelude::{CoefficientCombineRule, ColliderBuilder, RigidBodyBuilder, Vector};

use crate::{
    movers::{Drive, Path, Spin},
    physics::Physics,
};

/// A component: the box that is drawn of an entity, and the shape of its body if it has one.
#[derive(Clone, Copy, PartialEq)]
pub struct Block {
    pub name: &'static str,
    /// Half of its size, about the entity's origin.
    pub half: [f32; 3],
    pub color: [f32; 3],
}

const STEEL: [f32; 3] = [0.30, 0.34, 0.40];
const WOOD: [f32; 3] = [0.55, 0.33, 0.14];
const GREEN: [f32; 3] = [0.20, 0.42, 0.16];
const RED: [f32; 3] = [0.70, 0.10, 0.08];
const WHITE: [f32; 3] = [0.85, 0.85, 0.80];
const BLUE: [f32; 3] = [0.10, 0.28, 0.62];
const LIGHT: [f32; 3] = [0.95, 0.75, 0.20];

const TANK: Block = block("tank", [0.5, 0.2, 0.7], GREEN);
const PLATFORM: Block = block("platform", [1.5, 0.1, 1.5], STEEL);
const CASE: Block = block("passenger", [0.3; 3], WOOD);
const CARGO: Block = block("cargo", [0.25; 3], BLUE);
const HAULER: Block = block("hauler", [0.5, 0.25, 0.8], RED);
const CRATE: Block = block("crate", [0.3; 3], WOOD);
const GROUND: Block = block("ground", [8.0, 0.1, 8.0], [0.22, 0.24, 0.22]);

const fn block(name: &'static str, half: [f32; 3], color: [f32; 3]) -> Block {
    Block { name, half, color }
}

impl Block {
    fn collider(&self) -> ColliderBuilder {
        let [x, y, z] = self.half;
        ColliderBuilder::cuboid(x, y, z).friction(1.0)
    }

    /// On wheels, so that nothing brakes it.
    fn rolling(&self) -> ColliderBuilder {
        self.collider().friction(0.0).friction_combine_rule(CoefficientCombineRule::Min)
    }
}

/// Where the cargo lies before it is picked up.
pub const HOME: Vector = Vector::new(-0.9, 0.25, 3.9);

/// Entities that the story and the checks ask for.
pub struct Cast {
    pub tank: Entity,
    pub cargo: Entity,
    pub platform: Entity,
    pub passenger: Entity,
}

/// Every root has a body, whose pose `copy_bodies` writes: so their `Translation` and `Rotation`
/// begin as the identity.
fn unplaced() -> (Translation, Rotation) {
    Default::default()
}

pub fn build(world: &mut World, physics: &mut Physics) -> Cast {
    let (at, turn) = unplaced();
    let below = RigidBodyBuilder::fixed().translation(Vector::new(0.0, -0.1, 0.0));
    let body = physics.insert(below, GROUND.collider());
    world.push_transform((at, turn, GROUND, body));
    Cast {
        tank: tank(world, physics),
        cargo: cargo(world, physics),
        platform: platform(world, physics),
        passenger: passenger(world, physics),
    }
}

fn platform(world: &mut World, physics: &mut Physics) -> Entity {
    let (at, turn) = unplaced();
    let middle = Vector::new(0.0, 0.5, -5.0);
    let path = Path { middle, reach: Vector::new(2.0, 0.0, 0.0), ticks: 240 };
    let body = RigidBodyBuilder::kinematic_position_based().translation(middle);
    let body = physics.insert(body, PLATFORM.collider());
    world.push_tree((at, turn, PLATFORM, body, path), |platform| {
        let post = block("post", [0.05, 0.6, 0.05], STEEL);
        platform.push_child_tree((Translation::new(1.3, 0.7, -1.3), post), |post| {
            let tilt = Transform::from_xyz(0.0, 0.6, 0.3)
                .with_rotation(Rotation::from_euler_angles(0.3, 0.2, 0.0));
            post.push_child((tilt, block("lamp", [0.12, 0.05, 0.3], LIGHT)));
        });
    })
}

/// It stands on the platform, and only friction takes it along.
fn passenger(world: &mut World, physics: &mut Physics) -> Entity {
    let (at, turn) = unplaced();
    let body = RigidBodyBuilder::dynamic().translation(Vector::new(-0.3, 1.0, -5.0));
    let body = physics.insert(body, CASE.collider());
    world.push_tree((at, turn, CASE, body), |case| {
        let lid = block("lid", [0.33, 0.03, 0.33], STEEL);
        case.push_child_tree((Translation::new(0.0, 0.33, 0.0), lid), |lid| {
            let handle = block("handle", [0.15, 0.03, 0.03], RED);
            lid.push_child((Transform::from_xyz(0.0, 0.06, 0.0), handle));
        });
    })
}

fn tank(world: &mut World, physics: &mut Physics) -> Entity {
    let (at, turn) = unplaced();
    let body = RigidBodyBuilder::dynamic().translation(Vector::new(-2.4, 0.25, 0.0));
    let body = physics.insert(body, TANK.rolling());
    let round = Drive { speed: 3.0, turn: TAU / 5.0 }; // a circle in five seconds
    world.push_tree((at, turn, TANK, body, round), |tank| {
        let turret = block("turret", [0.28, 0.15, 0.28], GREEN);
        tank.push_child_tree((Translation::new(0.0, 0.4, 0.0), turret), |turret| {
            let barrel = block("barrel", [0.06, 0.06, 0.5], STEEL);
            turret.push_child((Translation::new(0.0, 0.0, 0.7), barrel));
            let radar = block("radar", [0.3, 0.08, 0.02], WHITE);
            let (at, turn) = (Translation::new(0.0, 0.25, 0.0), Rotation::identity());
            turret.push_child((at, turn, radar, Spin { ticks: 90 }));
        });
    })
}

fn cargo(world: &mut World, physics: &mut Physics) -> Entity {
    let (at, turn) = unplaced();
    let body = RigidBodyBuilder::dynamic().translation(HOME).rotation(Vector::Y * 0.4);
    let body = physics.insert(body, CARGO.collider());
    world.push_tree((at, turn, CARGO, body), |cargo| {
        let label = block("label", [0.01, 0.15, 0.2], WHITE);
        cargo.push_child_tree((Translation::new(0.25, 0.0, 0.0), label), |label| {
            let quarter = Rotation::from_rotation_x(TAU / 8.0);
            let arrow = block("arrow", [0.01, 0.05, 0.05], RED);
            label.push_child((Translation::new(0.01, 0.0, 0.0), quarter, arrow));
        });
    })
}

/// A hauler with a mast, and a crate beside it: they come, and go again. Works on a `World` and on
/// a `CommandBuffer`.
pub fn haulage(spawn: &mut impl SpawnTransforms, physics: &mut Physics) -> [Entity; 2] {
    let (at, turn) = unplaced();
    let body = RigidBodyBuilder::dynamic().translation(Vector::new(-6.0, 0.3, -2.5));
    let body = physics.insert(body, HAULER.rolling());
    let ahead = Drive { speed: 1.2, turn: 0.2 };
    let hauler = spawn.push_tree((at, turn, HAULER, body, ahead), |hauler| {
        let mast = block("mast", [0.04, 0.5, 0.04], STEEL);
        hauler.push_child_tree((Translation::new(0.0, 0.75, -0.6), mast), |mast| {
            let beacon = block("beacon", [0.1; 3], LIGHT);
            mast.push_child((Translation::new(0.0, 0.5, 0.0), Rotation::identity(), beacon));
        });
    });
    let (at, turn) = unplaced();
    let body = RigidBodyBuilder::dynamic().translation(Vector::new(-7.1, 0.3, -1.5));
    let body = physics.insert(body, CRATE.collider());
    let crate_ = spawn.push_tree((at, turn, CRATE, body), |crate_| {
        crate_.push_child((
            Translation::new(0.0, 0.31, 0.0),
            block("sticker", [0.1, 0.01, 0.1], WHITE),
        ));
    });
    [hauler, crate_]
}
