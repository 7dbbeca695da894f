//! The physics world, and the way from a body to an entity.
//!
//! ```text
//!  Physics (a resource)                       Body (a component)
//!    rapier's sets of bodies, colliders  <---   handle
//!    step()                                     dropped with its entity
//!         |
//!         |  copy_bodies, each tick
//!         v
//!  Translation, Rotation of the entity  --- the bundle --->  LocalToWorld of it and all below
//! ```

use std::sync::{Arc, Mutex, PoisonError};

use legion::{component, system};
use legion_transform::prelude::*;
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, Pose, RigidBody, RigidBodyBuilder, RigidBodyHandle,
};

/// Ticks a second.
pub const RATE: u32 = 60;

/// The handles of bodies whose entities are gone.
type Gone = Arc<Mutex<Vec<RigidBodyHandle>>>;

/// rapier's world: a resource.
pub struct Physics {
    pub rapier: PhysicsWorld,
    gone: Gone,
}

/// The rigid body of an entity.
///
/// When the entity goes, in whatever way, Legion drops this component, and the body is removed with
/// its collider before the next step. So no list of pairs has to be kept, and a whole subtree can
/// be despawned without a thought of the bodies in it.
pub struct Body {
    pub handle: RigidBodyHandle,
    gone: Gone,
}

impl Drop for Body {
    fn drop(&mut self) {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner).push(self.handle);
    }
}

impl Physics {
    pub fn new() -> Self {
        let mut rapier = PhysicsWorld::new();
        rapier.integration_parameters.dt = 1.0 / RATE as f32;
        Self { rapier, gone: Gone::default() }
    }

    /// A new body, for the tuple of components that an entity is spawned with.
    pub fn insert(&mut self, body: RigidBodyBuilder, collider: ColliderBuilder) -> Body {
        let (handle, _) = self.rapier.insert(body, collider);
        Body { handle, gone: self.gone.clone() }
    }

    pub fn body(&self, body: &Body) -> &RigidBody {
        &self.rapier.bodies[body.handle]
    }

    pub fn body_mut(&mut self, body: &Body) -> &mut RigidBody {
        &mut self.rapier.bodies[body.handle]
    }

    fn step(&mut self) {
        let gone = std::mem::take(&mut *self.gone.lock().unwrap_or_else(PoisonError::into_inner));
        for handle in gone {
            self.rapier.remove_body(handle); // and its colliders
        }
        self.rapier.step();
    }
}

/// One step of rapier's.
#[system]
pub fn step(#[resource] physics: &mut Physics) {
    physics.step();
}

/// From rapier to Legion: where each body is now.
///
/// rapier knows places in the world, and a `Translation` with a `Parent` is one in the parent's
/// space. So bodies below another entity are left out: they are carried (see `carry.rs`). Writing
/// the same bits again, as for a body that sleeps, costs nothing later.
#[system(for_each)]
#[filter(!component::<Parent>())]
pub fn copy_bodies(
    body: &Body,
    translation: &mut Translation,
    rotation: &mut Rotation,
    #[resource] physics: &Physics,
) {
    let pose = physics.body(body).position();
    *translation = pose.translation.into();
    *rotation = pose.rotation.into(); // normalised on the way
}

/// From Legion to rapier: the pose of a matrix without scale.
pub fn pose_of(matrix: &LocalToWorld) -> Pose {
    Pose::from_parts(matrix.position().into(), matrix.rotation().into())
}
