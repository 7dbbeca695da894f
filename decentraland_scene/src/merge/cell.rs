//! A component other than `Transform`, as it is kept.

use std::collections::BTreeMap;

use super::limits::Cost;
use crate::wire::{Key, Message};

/// One component of one entity.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub register: Option<Register>,
    /// The appended values by timestamp, and the epoch of each.
    pub values: BTreeMap<(u32, Box<[u8]>), u32>,
    /// The bytes of the appended values.
    pub appended_bytes: usize,
}

/// The value that won, or the tombstone.
#[derive(Clone, Debug)]
pub(super) struct Register {
    pub timestamp: u32,
    pub value: Option<Box<[u8]>>,
    /// The epoch in which it was written.
    pub logged: u32,
}

impl Register {
    pub fn message(&self, key: Key) -> Message<'_> {
        written(key, self.timestamp, self.value.as_deref())
    }

    pub fn cost(&self, key: Key) -> Cost {
        Cost::message(self.message(key).len(), self.value.is_none())
    }
}

impl Cell {
    pub fn register_bytes(&self) -> usize {
        self.register.as_ref().and_then(|register| register.value.as_deref()).map_or(0, <[u8]>::len)
    }

    pub fn cost(&self, key: Key) -> Cost {
        let register =
            self.register.as_ref().map_or(Cost::default(), |register| register.cost(key));
        let values = self.values.len() as isize;
        let bytes = values * APPEND_HEADER + self.appended_bytes as isize;
        register.plus(Cost { bytes, appended_values: values, ..Cost::default() })
    }

    /// The highest timestamp of its values.
    pub fn timestamp(&self) -> u32 {
        let appended = self.values.last_key_value().map(|((timestamp, _), _)| *timestamp);
        self.register.as_ref().map(|last| last.timestamp).max(appended).unwrap_or(0)
    }

    pub fn set_epoch(&mut self, epoch: u32) {
        self.register.iter_mut().for_each(|register| register.logged = epoch);
        self.values.values_mut().for_each(|logged| *logged = epoch);
    }

    /// The epochs of its values, each with the key.
    pub fn epochs(&self, key: Key) -> impl Iterator<Item = (Key, u32)> {
        let register = self.register.iter().map(|register| register.logged);
        register.chain(self.values.values().copied()).map(move |epoch| (key, epoch))
    }
}

/// The length of an appended value's message without the value.
const APPEND_HEADER: isize = 24;

pub(super) fn written(key: Key, timestamp: u32, value: Option<&[u8]>) -> Message<'_> {
    let Key { network, entity, component } = key;
    match value {
        Some(data) => Message::PutComponent { network, entity, component, timestamp, data },
        None => Message::DeleteComponent { network, entity, component, timestamp },
    }
}

pub(super) fn appended(key: Key, timestamp: u32, data: &[u8]) -> Message<'_> {
    Message::AppendValue { entity: key.entity, component: key.component, timestamp, data }
}

pub(super) fn cost_of_append(key: Key, timestamp: u32, data: &[u8]) -> Cost {
    Cost { appended_values: 1, ..Cost::message(appended(key, timestamp, data).len(), false) }
}
