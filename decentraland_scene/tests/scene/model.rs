//! The state by its definition, slowly, and the outcome of each message.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem::take,
};

use crate::{common::*, messages::encode};
use decentraland_scene::{merge::*, wire::*};

/// A timestamp, and the value by its length and bytes: in the order in which writes win.
type Write = (u32, Option<(usize, Vec<u8>)>);

/// The number and the version of an entity; in a network all of the id is the number.
fn split(scene: SceneEntity) -> ((Option<u32>, u32), u16) {
    match scene.network {
        None => ((None, scene.entity.number().into()), scene.entity.version()),
        network => ((network, scene.entity.0), 0),
    }
}

/// The best write of every key of those who live.
#[derive(Default)]
pub struct Model {
    dead: BTreeMap<(Option<u32>, u32), u16>,
    best: BTreeMap<Key, Write>,
    appended: BTreeSet<(Key, u32, Vec<u8>)>,
}

impl Model {
    fn is_dead(&self, scene: SceneEntity) -> bool {
        let (number, version) = split(scene);
        self.dead.get(&number).is_some_and(|&dead| version <= dead)
    }

    /// The winner of a key, as a message.
    fn message(&self, key: Key) -> Message<'_> {
        let Key { network, entity, component } = key;
        let (timestamp, value) = &self.best[&key];
        let timestamp = *timestamp;
        match value {
            Some((_, data)) => {
                Message::PutComponent { network, entity, component, timestamp, data }
            }
            None => Message::DeleteComponent { network, entity, component, timestamp },
        }
    }

    fn kill(&mut self, scene: SceneEntity) -> Outcome<'_> {
        let (number, version) = split(scene);
        match self.dead.get(&number) {
            _ if scene.is_reserved() => Outcome::Reserved,
            Some(&dead) if dead > version => Outcome::DeadEntity,
            Some(&dead) if dead == version => Outcome::Duplicate,
            _ => {
                self.dead.insert(number, version);
                let (mut best, mut appended) = (take(&mut self.best), take(&mut self.appended));
                best.retain(|key, _| !self.is_dead(key.scene_entity()));
                appended.retain(|(key, ..)| !self.is_dead(key.scene_entity()));
                (self.best, self.appended) = (best, appended);
                Outcome::Accepted
            }
        }
    }

    /// Merges a message of a peer.
    pub fn merge(&mut self, message: &Message<'_>) -> Outcome<'_> {
        let (scene, data) = (message.scene_entity(), message.data());
        let Some((key, timestamp)) = message.key().zip(message.timestamp()) else {
            return self.kill(scene);
        };
        let is_append = matches!(message, Message::AppendValue { .. });
        let is_put = matches!(message, Message::PutComponent { .. });
        let is_transform = key.component == TRANSFORM && !is_append;
        if is_transform && is_put && data.len() != 44 {
            return Outcome::WrongLength { length: data.len() };
        }
        // The upper half of the timestamps is a host's.
        if scene.is_reserved() && (is_transform || timestamp >> 31 == 1) {
            return Outcome::HostPlaced;
        }
        if self.is_dead(scene) {
            return Outcome::DeadEntity;
        }
        if is_append {
            let is_new = self.appended.insert((key, timestamp, data.to_vec()));
            return if is_new { Outcome::Accepted } else { Outcome::Duplicate };
        }
        let write = (timestamp, is_put.then(|| (data.len(), data.to_vec())));
        match self.best.get(&key) {
            Some(best) if *best > write => Outcome::Outdated { winner: self.message(key) },
            Some(best) if *best == write => Outcome::Duplicate,
            _ => {
                self.best.insert(key, write);
                Outcome::Accepted
            }
        }
    }

    pub fn transform(&self, scene: SceneEntity) -> TransformState<'_> {
        match self.best.get(&scene.key(TRANSFORM)) {
            Some((timestamp, value)) => match value {
                None => TransformState::Deleted { timestamp: *timestamp },
                Some((_, data)) => TransformState::Live {
                    timestamp: *timestamp,
                    bytes: data[..].try_into().unwrap(),
                },
            },
            None if self.is_dead(scene) => TransformState::Dead,
            None => TransformState::Unknown,
        }
    }

    pub fn dump(&self) -> Vec<u8> {
        let place = |key: Key, side| (key.network, key.entity, 1 + u64::from(key.component), side);
        let dead = self.dead.iter().map(|(&(network, number), &version)| {
            let entity = EntityId(number | u32::from(version) << 16);
            ((network, entity, 0, 0), Message::DeleteEntity { network, entity })
        });
        let written = self.best.keys().map(|&key| (place(key, 0), self.message(key)));
        let appended = self.appended.iter().map(|(key, timestamp, data)| {
            (place(*key, 1), append(key.entity.0, key.component, *timestamp, data))
        });
        let mut items: Vec<_> = dead.chain(written).chain(appended).collect();
        items.sort_by_key(|item| item.0);
        encode(&items.into_iter().map(|(_, message)| message).collect::<Vec<_>>())
    }
}
