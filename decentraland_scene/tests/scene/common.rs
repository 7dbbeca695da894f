//! Short names for what the tests are about: entities, messages, replicas.

use crate::messages::{Owned, encode};
use decentraland_scene::{merge::*, wire::*};

pub const DOOR: EntityId = EntityId(512);
pub const GLTF: u32 = 1041;
/// The network of `there`.
pub const A: u32 = 7;

/// What names an entity: an id of no network, or all of it.
pub trait Name {
    fn scene(self) -> SceneEntity;
}

impl Name for u32 {
    fn scene(self) -> SceneEntity {
        local(self)
    }
}

impl Name for EntityId {
    fn scene(self) -> SceneEntity {
        SceneEntity::local(self)
    }
}

impl Name for SceneEntity {
    fn scene(self) -> SceneEntity {
        self
    }
}

pub fn local(id: u32) -> SceneEntity {
    SceneEntity::local(EntityId(id))
}

pub fn there(id: u32) -> SceneEntity {
    SceneEntity::networked(A, EntityId(id))
}

pub fn put(name: impl Name, component: u32, timestamp: u32, data: &[u8]) -> Message<'_> {
    let SceneEntity { network, entity } = name.scene();
    Message::PutComponent { network, entity, component, timestamp, data }
}

pub fn delete(name: impl Name, component: u32, timestamp: u32) -> Message<'static> {
    let SceneEntity { network, entity } = name.scene();
    Message::DeleteComponent { network, entity, component, timestamp }
}

pub fn death(name: impl Name) -> Message<'static> {
    let SceneEntity { network, entity } = name.scene();
    Message::DeleteEntity { network, entity }
}

pub fn append(id: u32, component: u32, timestamp: u32, data: &[u8]) -> Message<'_> {
    Message::AppendValue { entity: EntityId(id), component, timestamp, data }
}

/// A put of entity 512, with authority.
pub fn authoritative(component: u32, timestamp: u32, data: &[u8]) -> Message<'_> {
    Message::AuthoritativePutComponent { entity: DOOR, component, timestamp, data }
}

/// The value of a `NetworkEntity`. It stays, so that messages can hold it.
pub fn reference(network: u32, id: u32) -> &'static [u8; 12] {
    Box::leak(Box::new(NetworkEntity { network, entity: EntityId(id) }.to_bytes()))
}

/// The value of a `Transform`, at a place below a parent. It stays, too.
pub fn at(x: f32, parent: u32) -> &'static [u8; 44] {
    let parent = EntityId(parent);
    let value =
        SceneTransform { position: [x, 0.0, 0.0], parent, ..SceneTransform::IDENTITY }.to_bytes();
    Box::leak(Box::new(value))
}

/// A replica that keeps all components.
pub fn of_role(role: Role) -> Replica {
    let mut options = ReplicaOptions::default();
    (options.role, options.keep_other_components) = (role, true);
    Replica::new(options)
}

pub fn keeping_all() -> Replica {
    of_role(Role::default())
}

/// What comes of good bytes from this end.
pub fn receive(replica: &mut Replica, from: &mut Connection, bytes: &[u8]) -> MergeReport {
    let mut report = MergeReport::default();
    replica.receive(from, bytes, &mut report).unwrap();
    report
}

/// All that a replica tells an end that is new.
pub fn first_delta(replica: &mut Replica, role: Role) -> Vec<u8> {
    replica.delta(&mut Connection::new(role))
}

pub fn encode_owned<'a>(messages: impl IntoIterator<Item = &'a Owned>) -> Vec<u8> {
    messages.into_iter().flat_map(|message| encode(&[message.message()])).collect()
}

pub fn shuffle<T>(items: &mut [T], mut seed: u64) {
    for i in (1..items.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(i, (seed >> 33) as usize % (i + 1));
    }
}

pub fn unhex(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}
