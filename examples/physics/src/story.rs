//! What happens, by the tick: over and over, every five seconds.

use legion::{Entity, EntityStore, system, systems::CommandBuffer, world::SubWorld};
use legion_transform::{prelude::*, smooth::Smooth};
use rapier3d::prelude::{Pose, RigidBodyVelocity};

use crate::{
    carry::{pick_up, release},
    movers::Tick,
    physics::{Body, Physics},
    scene::{Cast, HOME, haulage},
};

/// Ticks from its beginning to the next.
pub const PERIOD: u32 = 300;

/// What to look at, and from which tick of the period on: for the page.
pub const NOTES: [(u32, &str); 6] = [
    (
        0,
        "rapier3d moves bodies, the roots. All below them follows: a radar, masts, loads. A hauler \
         (red) comes with a crate.",
    ),
    (30, "The hauler picks up its crate: a child of the hauler now, in place."),
    (60, "The tank (green) picks up the blue cargo. Its radar turns on."),
    (120, "The hauler is destroyed, and with it all below it: mast, beacon, crate."),
    (150, "The tank releases the cargo: a body again, where it is and as fast as it is."),
    (210, "The cargo is teleported home: no frame shows it on the way."),
];

/// So many entities are there for a while: a hauler and a crate, with all that is below them.
pub const COMING: usize = 5;

/// How many loads are carried at a tick: the crate and the cargo, each for a while.
pub fn carried(tick: u32) -> usize {
    let tick = tick % PERIOD;
    usize::from((30..120).contains(&tick)) + usize::from((60..150).contains(&tick))
}

/// A resource.
pub struct Story {
    pub cast: Cast,
    /// The hauler and its crate, while they are there.
    pub haulage: Option<[Entity; 2]>,
    /// In this tick.
    pub teleported: Option<Entity>,
}

read_transforms! {
    /// It writes rapier's bodies at once, and entities at the next flush.
    #[system]
    #[read_component(Body)]
    pub fn direct(
        world: &SubWorld<'_>,
        commands: &mut CommandBuffer,
        #[resource] story: &mut Story,
        #[resource] physics: &mut Physics,
        #[resource] smooth: &mut Smooth,
        #[resource] Tick(tick): &Tick,
    ) {
        story.teleported = None;
        let (tank, cargo) = (story.cast.tank, story.cast.cargo);
        match (tick % PERIOD, story.haulage) {
            (0, _) => story.haulage = Some(haulage(commands, physics)),
            (30, Some([hauler, crate_])) => pick_up(crate_, hauler, world, commands, physics),
            (60, _) => pick_up(cargo, tank, world, commands, physics),
            (120, Some([hauler, _])) => {
                // Mast, beacon, and the crate that it carries: all that is below it then.
                commands.despawn_subtree(hauler);
                story.haulage = None;
            }
            (150, _) => release(cargo, world, commands, physics),
            (210, _) => {
                teleport(cargo, Pose::from_translation(HOME), world, physics, smooth);
                story.teleported = Some(cargo);
            }
            _ => {}
        }
    }
}

/// The body is elsewhere at once, and at rest. Frames in between do not show it on the way.
fn teleport(
    entity: Entity,
    pose: Pose,
    world: &SubWorld<'_>,
    physics: &mut Physics,
    smooth: &mut Smooth,
) {
    let Ok(entry) = world.entry_ref(entity) else { return };
    let Ok(body) = entry.get_component::<Body>() else { return };
    let body = physics.body_mut(body);
    body.set_position(pose, true);
    body.set_vels(RigidBodyVelocity::zero(), true);
    smooth.teleport(entity);
}
