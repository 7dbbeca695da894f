//! The scene that is measured, and the batches of messages that are sent to it.

use decentraland_scene::wire::{
    EntityId, Message, NETWORK_ENTITY, NetworkEntity, SceneTransform, TRANSFORM,
};

/// As many as fit into one version of the entity numbers.
pub const ENTITIES: u32 = 50_000;
pub const MESSAGES: u32 = 2 * ENTITIES;

/// A batch of messages for a replica, that has got another batch before.
pub struct Scenario {
    pub name: &'static str,
    pub before: Vec<u8>,
    pub batch: Vec<u8>,
}

pub fn scenarios() -> [Scenario; 3] {
    // Two puts for every entity: at 1 and at 2, or at a timestamp that depends on which it is.
    let twice = |timestamp: fn(u32, u32) -> u32| {
        puts((0..MESSAGES).map(|it| (it % ENTITIES, timestamp(it / ENTITIES, it % ENTITIES))))
    };
    let loaded = || twice(|round, _| round + 1);
    let newer = twice(|_, number| if number % 100 == 0 { 3 } else { 1 });
    [
        Scenario { name: "load", before: Vec::new(), batch: loaded() },
        Scenario { name: "1 % newer", before: loaded(), batch: newer },
        Scenario { name: "100 % stale", before: loaded(), batch: twice(|_, _| 1) },
    ]
}

/// A scene of this size.
pub fn sized(entities: u32) -> Vec<u8> {
    puts((0..entities).map(|number| (number, 1)))
}

/// A newer value for each of some entities all over a scene of this size.
pub fn newer(messages: u32, entities: u32, timestamp: u32) -> Vec<u8> {
    puts((0..messages).map(|message| (message * (entities / messages), timestamp)))
}

/// All versions of one number.
pub fn versions(is_descending: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for version in 0..=u16::MAX {
        let version = if is_descending { u16::MAX - version } else { version };
        let value = SceneTransform::IDENTITY.to_bytes();
        put(EntityId::new(600, version), TRANSFORM, 1, &value, &mut bytes);
    }
    bytes
}

/// Ties the first ones of a scene to entities of a network.
pub fn ties(entities: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entity in (512..).take(entities as usize).map(EntityId) {
        let value = NetworkEntity { network: 7, entity }.to_bytes();
        put(entity, NETWORK_ENTITY, 1, &value, &mut bytes);
    }
    bytes
}

pub const RING: u32 = 64_000;

/// Entities on a cycle: each is a child of the one `stride` numbers further.
pub fn ring(stride: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    (0..RING).for_each(|it| child(it, EntityId(512 + (it + stride) % RING), 1, &mut bytes));
    bytes
}

/// The first one of the ring, at the root or in it.
pub fn first_of_ring(stride: u32, timestamp: u32, is_open: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let parent = if is_open { EntityId::ROOT } else { EntityId(512 + stride) };
    child(0, parent, timestamp, &mut bytes);
    bytes
}

fn child(number: u32, parent: EntityId, timestamp: u32, out: &mut Vec<u8>) {
    let value = SceneTransform { parent, ..SceneTransform::IDENTITY }.to_bytes();
    put(EntityId(512 + number), TRANSFORM, timestamp, &value, out);
}

/// A put for each of these numbers and timestamps. Scenes are shallow: ten to a tree, in which the
/// parent of each is the one at half its number.
fn puts(of: impl Iterator<Item = (u32, u32)>) -> Vec<u8> {
    // Beyond the numbers there are, the next version begins.
    const NUMBERS: u32 = (1 << 16) - EntityId::FIRST_UNRESERVED as u32;
    let entity = |number: u32| {
        let unreserved = EntityId::FIRST_UNRESERVED + (number % NUMBERS) as u16;
        EntityId::new(unreserved, (number / NUMBERS) as u16)
    };
    let mut bytes = Vec::new();
    for (number, timestamp) in of {
        let (tree, place) = (number / 10 * 10, number % 10);
        let angle = number as f32 * 0.37;
        let transform = SceneTransform {
            position: [number as f32 % 16.0, timestamp as f32, angle.sin()],
            rotation: [0.0, (angle / 2.0).sin(), 0.0, (angle / 2.0).cos()],
            scale: [1.0, 1.0 + place as f32 / 10.0, 1.0],
            parent: if place == 0 { EntityId::ROOT } else { entity(tree + place / 2) },
        };
        put(entity(number), TRANSFORM, timestamp, &transform.to_bytes(), &mut bytes);
    }
    bytes
}

fn put(entity: EntityId, component: u32, timestamp: u32, data: &[u8], out: &mut Vec<u8>) {
    let put = Message::PutComponent { network: None, entity, component, timestamp, data };
    put.write(out).expect("a short message");
}
