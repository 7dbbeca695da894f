//! Components other than `Transform`, and appended values: bytes that are merged, but never looked into.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
};

use super::{Outcome, compare};
use crate::decentraland::wire::{Key, Message, SceneEntity};

/// One component of one entity.
#[derive(Clone, Debug, Default)]
struct Cell {
    register: Option<Register>,
    /// The appended values, and whether each is still to be sent.
    values: BTreeMap<(u32, Box<[u8]>), bool>,
}

/// The value that won, or the tombstone.
#[derive(Clone, Debug)]
struct Register {
    timestamp: u32,
    value: Option<Box<[u8]>>,
    unsent: bool,
}

impl Register {
    fn message(&self, key: Key) -> Message<'_> {
        let (network, entity, component, timestamp) =
            (key.scene_entity().network_id(), key.entity, key.component, self.timestamp);
        match &self.value {
            Some(data) => Message::PutComponent { network, entity, component, timestamp, data },
            None => Message::DeleteComponent { network, entity, component, timestamp },
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct RawStore {
    cells: BTreeMap<Key, Cell>,
    unsent: BTreeSet<Key>,
}

impl RawStore {
    pub fn merge(&mut self, key: Key, timestamp: u32, value: Option<&[u8]>) -> Outcome<'_> {
        let order = self
            .register(key)
            .map_or(Ordering::Greater, |last| compare((timestamp, value), (last.timestamp, last.value.as_deref())));
        if order.is_gt() {
            self.write(key, timestamp, value);
            return Outcome::Accepted;
        }
        match self.register(key) {
            Some(register) if order.is_lt() => Outcome::Outdated { winner: register.message(key) },
            _ => Outcome::Duplicate,
        }
    }

    fn register(&self, key: Key) -> Option<&Register> {
        self.cells.get(&key)?.register.as_ref()
    }

    /// Replaces a value, by a tombstone if there is no new one; returns the message that says so.
    pub fn write(&mut self, key: Key, timestamp: u32, value: Option<&[u8]>) -> Message<'_> {
        self.unsent.insert(key);
        let register = Register { timestamp, value: value.map(Box::from), unsent: true };
        self.cells.entry(key).or_default().register.insert(register).message(key)
    }

    pub fn append(&mut self, key: Key, timestamp: u32, data: &[u8]) -> Outcome<'_> {
        let values = &mut self.cells.entry(key).or_default().values;
        match values.entry((timestamp, data.into())) {
            Entry::Occupied(_) => Outcome::Duplicate,
            Entry::Vacant(entry) => {
                entry.insert(true);
                self.unsent.insert(key);
                Outcome::Accepted
            }
        }
    }

    pub fn value(&self, key: Key) -> Option<&[u8]> {
        self.register(key)?.value.as_deref()
    }

    /// The timestamp of the last write.
    pub fn timestamp(&self, key: Key) -> Option<u32> {
        Some(self.register(key)?.timestamp)
    }

    /// The highest timestamp of an appended value.
    pub fn last_append(&self, key: Key) -> Option<u32> {
        Some(self.cells.get(&key)?.values.last_key_value()?.0.0)
    }

    /// Forgets a dead entity.
    pub fn purge(&mut self, dead: SceneEntity) {
        let keys = dead.key(0)..=dead.key(u32::MAX);
        let gone: Vec<Key> = self.cells.range(keys).map(|(&key, _)| key).collect();
        for key in gone {
            self.cells.remove(&key);
            self.unsent.remove(&key);
        }
    }

    pub fn keys(&self) -> impl Iterator<Item = Key> {
        self.cells.keys().copied()
    }

    /// All that is known of a component, as messages in a fixed order.
    pub fn dump(&self, key: Key, out: &mut Vec<u8>) {
        let Some(cell) = self.cells.get(&key) else { return };
        cell.register.iter().for_each(|register| register.message(key).encode(out));
        for (timestamp, data) in cell.values.keys() {
            appended(key, *timestamp, data).encode(out);
        }
    }

    pub fn take_unsent(&mut self) -> BTreeSet<Key> {
        std::mem::take(&mut self.unsent)
    }

    /// Likewise, of what was not sent yet.
    pub fn send(&mut self, key: Key, out: &mut Vec<u8>) {
        let Some(cell) = self.cells.get_mut(&key) else { return };
        if let Some(register) = cell.register.as_mut().filter(|register| register.unsent) {
            register.unsent = false;
            register.message(key).encode(out);
        }
        for ((timestamp, data), unsent) in cell.values.iter_mut().filter(|(_, unsent)| **unsent) {
            *unsent = false;
            appended(key, *timestamp, data).encode(out);
        }
    }
}

fn appended(key: Key, timestamp: u32, data: &[u8]) -> Message<'_> {
    Message::AppendValue { entity: key.entity, component: key.component, timestamp, data }
}
