//! What the parts have in common: a host, its connections, and moves.

use decentraland_scene::{
    merge::{Connection, NumberRange, Replica, ReplicaOptions, Role},
    wire::{EntityId, SceneEntity, SceneTransform},
};

/// One that keeps all components and gives the numbers of players.
pub fn host() -> Replica {
    let mut options = ReplicaOptions::default();
    options.keep_other_components = true;
    (options.role, options.numbers) = (Role::Host, NumberRange::new(3, 511));
    Replica::new(options)
}

/// The host's ends.
pub fn to_scenes(count: usize) -> Vec<Connection> {
    (0..count).map(|_| Connection::new(Role::Scene)).collect()
}

/// Entities with plain numbers from here on.
pub fn entities(first: u32) -> impl Iterator<Item = SceneEntity> {
    (first..).map(|id| SceneEntity::local(EntityId(id)))
}

pub fn moved(time: u32) -> SceneTransform {
    SceneTransform { position: [time as f32, 0.0, 8.0], ..SceneTransform::IDENTITY }
}

pub fn put(replica: &mut Replica, entity: SceneEntity, time: u32) {
    replica.put_transform(entity, &moved(time)).expect("it is theirs to move");
}
