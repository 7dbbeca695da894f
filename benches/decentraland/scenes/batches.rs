//! The scene that is measured, and the batches of messages that are sent to it.

use decentraland_scene::wire::{
    EntityId, Message, NETWORK_ENTITY, NetworkEntity, SceneTransform, TRANSFORM,
};

/// As many as fit into one version of the entity numbers.
pub const ENTITIES: u32 = 50_000;
pub const MESSAGES: u32 = 2 * ENTITIES;
pub const RING: u32 = 64_000;

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

/// A value for each of some entities all over a scene of this size.
pub fn spread(messages: u32, entities: u32, timestamp: u32) -> Vec<u8> {
    puts((0..messages).map(|message| (message * (entities / messages), timestamp)))
}

/// All versions of one number.
pub fn versions(is_descending: bool) -> Vec<u8> {
    let version = |version| if is_descending { u16::MAX - version } else { version };
    let entity = |at| EntityId::new(600, version(at));
    transforms((0..=u16::MAX).map(|at| (entity(at), 1, SceneTransform::IDENTITY)))
}

/// Ties the first ones of a scene to entities of a network.
pub fn ties(entities: u32) -> Vec<u8> {
    let ids = (512..512 + entities).map(EntityId);
    batch(
        NETWORK_ENTITY,
        ids.map(|id| (id, 1, NetworkEntity { network: 7, entity: id }.to_bytes())),
    )
}

/// Entities on a cycle: each is a child of the one `stride` numbers further.
pub fn ring(stride: u32) -> Vec<u8> {
    transforms((0..RING).map(|it| child(it, EntityId(512 + (it + stride) % RING), 1)))
}

/// The first one of the ring, at the root or in it.
pub fn first_of_ring(stride: u32, timestamp: u32, is_open: bool) -> Vec<u8> {
    let parent = if is_open { EntityId::ROOT } else { EntityId(512 + stride) };
    transforms([child(0, parent, timestamp)])
}

/// A `Transform`, and when it was written.
type Put = (EntityId, u32, SceneTransform);

fn child(number: u32, parent: EntityId, timestamp: u32) -> Put {
    (EntityId(512 + number), timestamp, SceneTransform { parent, ..SceneTransform::IDENTITY })
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
    transforms(of.map(|(number, timestamp)| {
        let (tree, place) = (number / 10 * 10, number % 10);
        let angle = number as f32 * 0.37;
        let transform = SceneTransform {
            position: [number as f32 % 16.0, timestamp as f32, angle.sin()],
            rotation: [0.0, (angle / 2.0).sin(), 0.0, (angle / 2.0).cos()],
            scale: [1.0, 1.0 + place as f32 / 10.0, 1.0],
            parent: if place == 0 { EntityId::ROOT } else { entity(tree + place / 2) },
        };
        (entity(number), timestamp, transform)
    }))
}

fn transforms(puts: impl IntoIterator<Item = Put>) -> Vec<u8> {
    let puts = puts.into_iter();
    batch(TRANSFORM, puts.map(|(entity, timestamp, it)| (entity, timestamp, it.to_bytes())))
}

fn batch<const N: usize>(
    component: u32,
    puts: impl Iterator<Item = (EntityId, u32, [u8; N])>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (entity, timestamp, data) in puts {
        Message::PutComponent { network: None, entity, component, timestamp, data: &data }
            .write(&mut bytes)
            .expect("a short message");
    }
    bytes
}
