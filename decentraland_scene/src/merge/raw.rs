//! Components other than `Transform`, and appended values: bytes that are merged, but never read.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    last_writer::compare,
    limits::{Budget, Cost, LimitKind},
    outcome::Outcome,
};
use crate::wire::{Key, Message, SceneEntity};

/// One component of one entity.
#[derive(Clone, Debug, Default)]
struct Cell {
    register: Option<Register>,
    /// The appended values, and whether each is still to be sent.
    values: BTreeMap<(u32, Box<[u8]>), bool>,
    /// The bytes of the appended values.
    appended_bytes: usize,
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
        written(key, self.timestamp, self.value.as_deref())
    }

    fn cost(&self, key: Key) -> Cost {
        Cost::message(self.message(key).len(), self.value.is_none())
    }
}

impl Cell {
    fn register_bytes(&self) -> usize {
        self.register.as_ref().and_then(|register| register.value.as_deref()).map_or(0, <[u8]>::len)
    }

    fn cost(&self, key: Key) -> Cost {
        let register =
            self.register.as_ref().map_or(Cost::default(), |register| register.cost(key));
        let values =
            self.values.keys().map(|(timestamp, data)| cost_of_append(key, *timestamp, data));
        values.fold(register, Cost::plus)
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct RawStore {
    cells: BTreeMap<Key, Cell>,
    unsent: BTreeSet<Key>,
}

impl RawStore {
    pub fn merge(
        &mut self,
        key: Key,
        timestamp: u32,
        value: Option<&[u8]>,
        budget: &mut Budget,
    ) -> Outcome<'_> {
        let order = self.register(key).map_or(Ordering::Greater, |last| {
            compare((timestamp, value), (last.timestamp, last.value.as_deref()))
        });
        if order.is_gt() {
            return match self.write(key, timestamp, value, budget) {
                Ok(()) => Outcome::Accepted,
                Err(limit) => Outcome::OverLimit { limit },
            };
        }
        match self.register(key) {
            Some(register) if order.is_lt() => Outcome::Outdated { winner: register.message(key) },
            _ => Outcome::Duplicate,
        }
    }

    fn register(&self, key: Key) -> Option<&Register> {
        self.cells.get(&key)?.register.as_ref()
    }

    /// Replaces a value, by a tombstone if there is no new one.
    fn write(
        &mut self,
        key: Key,
        timestamp: u32,
        value: Option<&[u8]>,
        budget: &mut Budget,
    ) -> Result<(), LimitKind> {
        let new = written(key, timestamp, value);
        let (last, appended_bytes) = match self.cells.get(&key) {
            Some(Cell { register, appended_bytes, .. }) => {
                (register.as_ref().map_or(Cost::default(), |last| last.cost(key)), *appended_bytes)
            }
            None => Default::default(),
        };
        let cost = Cost::message(new.len(), value.is_none()).minus(last);
        if let Some(value) = value {
            budget.admits_key(value.len() + appended_bytes)?;
        }
        budget.spend(&cost)?;
        self.unsent.insert(key);
        let register = Register { timestamp, value: value.map(Box::from), unsent: true };
        self.cells.entry(key).or_default().register = Some(register);
        Ok(())
    }

    /// Whether a component has this value or, without one, is deleted.
    pub fn holds(&self, key: Key, value: Option<&[u8]>) -> bool {
        self.register(key).is_some_and(|register| register.value.as_deref() == value)
    }

    /// The last write of a component.
    pub fn message(&self, key: Key) -> Option<Message<'_>> {
        Some(self.register(key)?.message(key))
    }

    pub fn append(
        &mut self,
        key: Key,
        timestamp: u32,
        data: &[u8],
        budget: &mut Budget,
    ) -> Outcome<'_> {
        let value = (timestamp, Box::from(data));
        let cell = self.cells.get(&key);
        if cell.is_some_and(|cell| cell.values.contains_key(&value)) {
            return Outcome::Duplicate;
        }
        let bytes = cell.map_or(0, |cell| cell.appended_bytes + cell.register_bytes()) + data.len();
        let cost = cost_of_append(key, timestamp, data);
        if let Err(limit) = budget.admits_key(bytes).and_then(|()| budget.spend(&cost)) {
            return Outcome::OverLimit { limit };
        }
        let cell = self.cells.entry(key).or_default();
        cell.values.insert(value, true);
        cell.appended_bytes += data.len();
        self.unsent.insert(key);
        Outcome::Accepted
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

    /// The size of the values of an entity.
    pub fn cost(&self, entity: SceneEntity) -> Cost {
        let cells = self.cells.range(keys(entity));
        cells.map(|(&key, cell)| cell.cost(key)).fold(Cost::default(), Cost::plus)
    }

    /// Forgets a dead entity. Returns the size of its values.
    pub fn purge(&mut self, dead: SceneEntity) -> Cost {
        let mut cost = Cost::default();
        while let Some((&key, cell)) = self.cells.range(keys(dead)).next() {
            cost = cost.plus(cell.cost(key));
            self.cells.remove(&key);
            self.unsent.remove(&key);
        }
        cost
    }

    pub fn keys(&self) -> impl Iterator<Item = Key> {
        self.cells.keys().copied()
    }

    /// The value and the appended values of a component, as messages in a fixed order.
    pub fn dump(&self, key: Key, mut send: impl FnMut(&Message<'_>)) {
        let Some(cell) = self.cells.get(&key) else { return };
        cell.register.iter().for_each(|register| send(&register.message(key)));
        for (timestamp, data) in cell.values.keys() {
            send(&appended(key, *timestamp, data));
        }
    }

    pub fn take_unsent(&mut self) -> BTreeSet<Key> {
        std::mem::take(&mut self.unsent)
    }

    /// The messages of a key that were not sent yet. A message that `send` refuses stays unsent.
    pub fn send(&mut self, key: Key, mut send: impl FnMut(&Message<'_>) -> bool) {
        let Some(cell) = self.cells.get_mut(&key) else { return };
        let mut all_sent = true;
        if let Some(register) = cell.register.as_mut().filter(|register| register.unsent) {
            register.unsent = !send(&register.message(key));
            all_sent &= !register.unsent;
        }
        for ((timestamp, data), unsent) in cell.values.iter_mut().filter(|(_, unsent)| **unsent) {
            *unsent = !send(&appended(key, *timestamp, data));
            all_sent &= !*unsent;
        }
        if !all_sent {
            self.unsent.insert(key);
        }
    }
}

/// All components of an entity.
fn keys(entity: SceneEntity) -> std::ops::RangeInclusive<Key> {
    entity.key(0)..=entity.key(u32::MAX)
}

pub(super) fn written(key: Key, timestamp: u32, value: Option<&[u8]>) -> Message<'_> {
    let (network, entity, component) = (key.scene_entity().network_id(), key.entity, key.component);
    match value {
        Some(data) => Message::PutComponent { network, entity, component, timestamp, data },
        None => Message::DeleteComponent { network, entity, component, timestamp },
    }
}

fn appended(key: Key, timestamp: u32, data: &[u8]) -> Message<'_> {
    Message::AppendValue { entity: key.entity, component: key.component, timestamp, data }
}

fn cost_of_append(key: Key, timestamp: u32, data: &[u8]) -> Cost {
    Cost { appended_values: 1, ..Cost::message(appended(key, timestamp, data).len(), false) }
}
