//! A body that is picked up by another one, and released again.
//!
//! Picked up, its entity becomes a child of the carrier's entity, in place: the edit finds the
//! local pose at which its world matrix stays the same. Its body is out of the simulation for as
//! long, or rapier and the parent would both move it.
//!
//! ```text
//!             parent      moved by               its body
//!  free       none        rapier, copy_bodies    enabled
//!  carried    carrier     the bundle             disabled
//! ```

use legion::{Entity, EntityStore, systems::CommandBuffer, world::SubWorld};
use legion_transform::prelude::*;

use crate::physics::{Body, Physics, pose_of};

/// The edit happens at the next flush; an entity that is dead by then is a failed edit, no panic.
pub fn pick_up(
    load: Entity,
    carrier: Entity,
    world: &SubWorld<'_>,
    commands: &mut CommandBuffer,
    physics: &mut Physics,
) {
    let Ok(entry) = world.entry_ref(load) else { return };
    let Ok(body) = entry.get_component::<Body>() else { return };
    physics.body_mut(body).set_enabled(false);
    commands.set_parent(load, carrier);
}

/// It goes on from where it is seen now, as fast as the carrier's body is there.
pub fn release(
    load: Entity,
    world: &SubWorld<'_>,
    commands: &mut CommandBuffer,
    physics: &mut Physics,
) {
    let Ok(entry) = world.entry_ref(load) else { return };
    let Ok(matrix) = TransformQuery::new(world).local_to_world(load) else { return };
    let (Ok(body), Ok(Parent(carrier))) = (entry.get_component::<Body>(), entry.get_component())
    else {
        return;
    };
    let pose = pose_of(&matrix);
    let mut velocity = None;
    if let Ok(carrier) = world.entry_ref(*carrier)
        && let Ok(carrier) = carrier.get_component::<Body>()
    {
        let carrier = physics.body(carrier);
        velocity = Some((carrier.velocity_at_point(pose.translation), carrier.angvel()));
    }
    let body = physics.body_mut(body);
    body.set_enabled(true);
    body.set_position(pose, true);
    let (linear, angular) = velocity.unwrap_or_default();
    body.set_linvel(linear, true);
    body.set_angvel(angular, true);
    commands.remove_parent(load);
}
