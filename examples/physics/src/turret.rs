//! A turret that aims at a target and fires, and what becomes of its bullets.

use legion::{Entity, system, systems::CommandBuffer, world::SubWorld};
use legion_transform::prelude::*;
use nalgebra::Vector3;
use rapier3d::prelude::{RigidBodyBuilder, Vector};

use crate::{
    movers::Tick,
    physics::{Physics, pose_of},
    scene::{BULLET, TRACER},
};

/// Ticks from shot to shot, and those that a bullet lives.
pub const EVERY: u32 = 20;
pub const LIFE: u32 = 45;
/// At most so many entities are bullets, or below one.
pub const COMING: usize = 2 * (LIFE / EVERY + 1) as usize;

/// Its z axis points at this entity, wherever its parent drives and turns.
pub struct Aims(pub Entity);

read_transforms! {
    /// It reads where all are *now*: after the bodies' poses are copied, before the bundle runs.
    /// The edit finds the local rotation at the next flush. (For a turret that turns about one axis
    /// and a barrel about another see the cookbook.)
    #[system(for_each)]
    pub fn aim(
        turret: &Entity,
        Aims(target): &Aims,
        world: &SubWorld<'_>,
        commands: &mut CommandBuffer,
    ) {
        let Ok(target) = TransformQuery::new(world).local_to_world(*target) else { return };
        commands.look_at(*turret, target.position(), Vector3::y());
    }
}

/// On the mouth of a barrel.
pub struct Gun;

/// Goes at this tick.
pub struct Until(pub u32);

read_transforms! {
    /// A bullet is a body with a child, spawned at the next flush. Its body is there at once.
    #[system(for_each)]
    pub fn fire(
        mouth: &Entity,
        _: &Gun,
        world: &SubWorld<'_>,
        commands: &mut CommandBuffer,
        #[resource] physics: &mut Physics,
        #[resource] tick: &Tick,
    ) {
        if !tick.0.is_multiple_of(EVERY) {
            return;
        }
        let Ok(matrix) = TransformQuery::new(world).local_to_world(*mouth) else { return };
        let pose = pose_of(&matrix);
        let body = RigidBodyBuilder::dynamic()
            .pose(pose)
            .linvel(pose.rotation * Vector::Z * 10.0)
            .gravity_scale(0.0);
        let body = physics.insert(body, BULLET.collider());
        let bullet =
            (Translation::identity(), Rotation::identity(), body, BULLET, Until(tick.0 + LIFE));
        commands.push_tree(bullet, |bullet| {
            bullet.push_child((Translation::new(0.0, 0.0, -0.3), TRACER));
        });
    }
}

/// The whole subtree goes, and with it its body.
#[system(for_each)]
pub fn expire(
    bullet: &Entity,
    Until(end): &Until,
    commands: &mut CommandBuffer,
    #[resource] tick: &Tick,
) {
    if tick.0 >= *end {
        commands.despawn_subtree(*bullet);
    }
}
