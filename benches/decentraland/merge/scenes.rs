//! The scene that is measured, and the batches of messages that are sent to it.

use decentraland_scene::wire::{EntityId, Message, NETWORK_ENTITY, NetworkEntity, SceneTransform};

/// As many as fit into one version of the entity numbers.
pub const ENTITIES: u32 = 50_000;
pub const MESSAGES: u32 = 2 * ENTITIES;

/// A batch of messages for a replica, that has got another batch before.
pub struct Scenario {
    pub name: &'static str,
    pub before: Vec<u8>,
    pub batch: Vec<u8>,
}

pub fn scenarios() -> Vec<Scenario> {
    let loaded = load();
    let scenario = |name, before: &[u8], batch| Scenario { name, before: before.to_vec(), batch };
    vec![
        scenario("load", &[], loaded.clone()),
        scenario("1 % newer", &loaded, resend(|number| if number % 100 == 0 { 3 } else { 1 })),
        scenario("100 % stale", &loaded, resend(|_| 1)),
    ]
}

/// Two puts for every entity, first all at timestamp 1, then all at timestamp 2.
fn load() -> Vec<u8> {
    let mut bytes = Vec::new();
    (1..=2)
        .for_each(|timestamp| (0..ENTITIES).for_each(|number| put(number, timestamp, &mut bytes)));
    bytes
}

/// A scene of this size.
pub fn sized(entities: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    (0..entities).for_each(|number| put(number, 1, &mut bytes));
    bytes
}

/// A newer value for each of some entities all over a scene of this size.
pub fn newer(messages: u32, entities: u32, timestamp: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    (0..messages).for_each(|message| put(message * (entities / messages), timestamp, &mut bytes));
    bytes
}

/// All versions of one number.
pub fn versions(descending: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for version in 0..=u16::MAX {
        let version = if descending { u16::MAX - version } else { version };
        put_at(EntityId::new(600, version), 1, &SceneTransform::IDENTITY, &mut bytes);
    }
    bytes
}

/// Ties the first ones of a scene to entities of a network.
pub fn ties(entities: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for id in (512..).take(entities as usize).map(EntityId) {
        let data = &NetworkEntity { network: 7, entity: id }.to_bytes();
        let (entity, component, timestamp) = (id, NETWORK_ENTITY, 1);
        Message::PutComponent { network: None, entity, component, timestamp, data }
            .write(&mut bytes)
            .expect("a message of 36 bytes");
    }
    bytes
}

pub const RING: u32 = 64_000;

/// Entities on a cycle: each is a child of the one `stride` numbers further.
pub fn ring(stride: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..RING {
        let transform = SceneTransform {
            parent: EntityId(512 + (number + stride) % RING),
            ..SceneTransform::IDENTITY
        };
        put_at(EntityId(512 + number), 1, &transform, &mut bytes);
    }
    bytes
}

/// The first one of the ring, at the root or in it.
pub fn first_of_ring(stride: u32, timestamp: u32, opens: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let parent = if opens { EntityId::ROOT } else { EntityId(512 + stride) };
    put_at(
        EntityId(512),
        timestamp,
        &SceneTransform { parent, ..SceneTransform::IDENTITY },
        &mut bytes,
    );
    bytes
}

/// As many messages, at a timestamp that depends on which entity it is.
fn resend(timestamp: impl Fn(u32) -> u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    (0..MESSAGES)
        .for_each(|number| put(number % ENTITIES, timestamp(number % ENTITIES), &mut bytes));
    bytes
}

/// Scenes are shallow: ten to a tree, in which the parent of each is the one at half its number.
fn put(number: u32, timestamp: u32, out: &mut Vec<u8>) {
    // Beyond the numbers there are, the next version begins.
    const NUMBERS: u32 = 1 << 16;
    let first = u32::from(EntityId::FIRST_UNRESERVED);
    let entity = |number: u32| {
        let (version, number) = (number / (NUMBERS - first), number % (NUMBERS - first));
        EntityId::new((first + number) as u16, version as u16)
    };
    let (tree, place) = (number / 10 * 10, number % 10);
    let angle = number as f32 * 0.37;
    let transform = SceneTransform {
        position: [number as f32 % 16.0, timestamp as f32, angle.sin()],
        rotation: [0.0, (angle / 2.0).sin(), 0.0, (angle / 2.0).cos()],
        scale: [1.0, 1.0 + place as f32 / 10.0, 1.0],
        parent: if place == 0 { EntityId::ROOT } else { entity(tree + place / 2) },
    };
    put_at(entity(number), timestamp, &transform, out);
}

fn put_at(entity: EntityId, timestamp: u32, transform: &SceneTransform, out: &mut Vec<u8>) {
    let data = transform.to_bytes();
    let put = Message::PutComponent { network: None, entity, component: 1, timestamp, data: &data };
    put.write(out).expect("68 bytes");
}
