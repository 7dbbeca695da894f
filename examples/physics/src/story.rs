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

/// At most so many entities are there for a while: a hauler and a crate, with what is below them.
pub const COMING: usize = 5;

pub enum Event {
    PickedUp { load: Entity, carrier: Entity },
    Released(Entity),
    Destroyed(Entity),
    Teleported(Entity),
}

/// A resource.
pub struct Story {
    pub cast: Cast,
    /// The hauler and its crate, while they are there.
    pub haulage: Option<[Entity; 2]>,
    /// Of this tick.
    pub events: Vec<Event>,
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
        story.events.clear();
        let (tank, cargo) = (story.cast.tank, story.cast.cargo);
        let event = match (tick % PERIOD, story.haulage) {
            (0, _) => {
                story.haulage = Some(haulage(commands, physics));
                return;
            }
            (30, Some([carrier, load])) => {
                pick_up(load, carrier, world, commands, physics);
                Event::PickedUp { load, carrier }
            }
            (60, _) => {
                pick_up(cargo, tank, world, commands, physics);
                Event::PickedUp { load: cargo, carrier: tank }
            }
            (120, Some([hauler, _])) => {
                // Mast, beacon, and the crate that it carries: all that is below it then.
                Edits::default().commands(commands).despawn_subtree(hauler);
                story.haulage = None;
                Event::Destroyed(hauler)
            }
            (150, _) => {
                release(cargo, world, commands, physics);
                Event::Released(cargo)
            }
            (210, _) => {
                teleport(cargo, Pose::from_translation(HOME), world, physics, smooth);
                Event::Teleported(cargo)
            }
            _ => return,
        };
        story.events.push(event);
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
