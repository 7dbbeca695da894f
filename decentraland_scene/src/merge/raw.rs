//! Components other than `Transform`, and appended values: bytes that are merged, but never read.

use std::{cmp::Ordering, collections::BTreeMap};

use hashbrown::HashSet;

use super::{
    cell::{Cell, Register, appended, cost_of_append, written},
    last_writer::{Write, compare},
    limits::{Budget, Cost, LimitKind},
    log::{Clock, Entry, Log, Stamp},
    outcome::Outcome,
};
use crate::wire::{Key, Message, SceneEntity};

#[derive(Clone, Debug, Default)]
pub(super) struct RawStore {
    cells: BTreeMap<Key, Cell>,
    /// How many appended values there are.
    values: usize,
    /// The components that changed. An entry counts while something of its epoch is left.
    changes: Log<Key>,
}

impl RawStore {
    /// Merges a write. Returns how it compares with the last one; the greater has won.
    pub fn merge(
        &mut self,
        key: Key,
        timestamp: u32,
        value: Option<&[u8]>,
        budget: &mut Budget,
        clock: &mut Clock,
    ) -> Result<Ordering, LimitKind> {
        let last = self.last_write(key);
        let order = last.map_or(Ordering::Greater, |last| compare((timestamp, value), last));
        if order.is_gt() {
            self.write(key, timestamp, value, budget, clock)?;
        }
        Ok(order)
    }

    fn register(&self, key: Key) -> Option<&Register> {
        self.cells.get(&key)?.register.as_ref()
    }

    /// Replaces a value, by a tombstone if there is no new one.
    pub fn write(
        &mut self,
        key: Key,
        timestamp: u32,
        value: Option<&[u8]>,
        budget: &mut Budget,
        clock: &mut Clock,
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
        let stamp = clock.stamp();
        let (value, logged) = (value.map(Box::from), stamp.epoch);
        let register = Register { timestamp, value, logged };
        self.cells.entry(key).or_default().register = Some(register);
        self.log(key, stamp);
        Ok(())
    }

    fn log(&mut self, key: Key, stamp: Stamp) {
        // Several values of one key that come together stand once.
        let is_logged = |last: Entry<Key>| last.item == key && last.stamp.epoch == stamp.epoch;
        if !self.changes.last().is_some_and(is_logged) {
            self.changes.push(key, stamp);
        }
        if self.changes.is_long(self.cells.len() + self.values) {
            self.clean_log();
        }
    }

    fn clean_log(&mut self) {
        let mut counting: HashSet<_> =
            self.cells.iter().flat_map(|(key, cell)| cell.epochs(*key)).collect();
        // Once each: two keys that are written in turns within an epoch stand there often.
        self.changes.clean(|entry| counting.remove(&(entry.item, entry.stamp.epoch)));
    }

    /// Logs everything anew, in the first epoch of a new clock.
    pub fn log_all(&mut self, clock: &mut Clock) {
        self.changes = Log::default();
        for (key, cell) in &mut self.cells {
            cell.set_epoch(clock.stamp().epoch);
            self.changes.push(*key, clock.stamp());
        }
    }

    /// The epochs in which the components of an entity were written.
    pub fn epochs_of(&self, entity: SceneEntity) -> impl Iterator<Item = (Key, u32)> {
        self.cells.range(keys(entity)).flat_map(|(&key, cell)| cell.epochs(key))
    }

    /// The components that changed from an epoch on; some of them several times.
    pub fn changes(&self, epoch: u32) -> impl Iterator<Item = Entry<Key>> {
        self.changes.since(epoch)
    }

    /// The epoch of the last write of a component.
    pub fn epoch(&self, key: Key) -> Option<u32> {
        Some(self.register(key)?.logged)
    }

    /// The last write of a component, to be [compared](compare).
    pub fn last_write(&self, key: Key) -> Option<Write<'_>> {
        let register = self.register(key)?;
        Some((register.timestamp, register.value.as_deref()))
    }

    /// The last write of a component.
    pub fn message(&self, key: Key) -> Option<Message<'_>> {
        Some(self.register(key)?.message(key))
    }

    /// Adds a value. Where there are more than the limit, the oldest goes.
    pub fn append(
        &mut self,
        key: Key,
        timestamp: u32,
        data: &[u8],
        budget: &mut Budget,
        clock: &mut Clock,
    ) -> Outcome<'static> {
        let value = (timestamp, Box::from(data));
        let none = Cell::default();
        let cell = self.cells.get(&key).unwrap_or(&none);
        if cell.values.contains_key(&value) {
            return Outcome::Duplicate;
        }
        let mut oldest = None;
        if cell.values.len() >= budget.limits.values_per_key {
            match cell.values.first_key_value() {
                Some((first, _)) if *first < value => oldest = Some(first.clone()),
                _ => return Outcome::Dropped,
            }
        }
        let mut bytes = cell.appended_bytes + cell.register_bytes() + data.len();
        let mut cost = cost_of_append(key, timestamp, data);
        if let Some((timestamp, data)) = &oldest {
            bytes -= data.len();
            cost = cost.minus(cost_of_append(key, *timestamp, data));
        }
        if let Err(limit) = budget.admits_key(bytes).and_then(|()| budget.spend(&cost)) {
            return Outcome::OverLimit { limit };
        }
        let stamp = clock.stamp();
        let cell = self.cells.entry(key).or_default();
        if let Some(oldest) = oldest {
            cell.values.remove(&oldest);
            self.values -= 1;
            cell.appended_bytes -= oldest.1.len();
        }
        cell.values.insert(value, stamp.epoch);
        self.values += 1;
        cell.appended_bytes += data.len();
        self.log(key, stamp);
        Outcome::Accepted
    }

    /// The appended values of a component, with their timestamps.
    pub fn values(&self, key: Key) -> impl Iterator<Item = (u32, &[u8])> {
        let values = self.cells.get(&key).into_iter().flat_map(|cell| cell.values.keys());
        values.map(|(timestamp, data)| (*timestamp, &data[..]))
    }

    pub fn value(&self, key: Key) -> Option<&[u8]> {
        self.register(key)?.value.as_deref()
    }

    /// The highest timestamp of an appended value.
    pub fn last_append(&self, key: Key) -> Option<u32> {
        Some(self.cells.get(&key)?.values.last_key_value()?.0.0)
    }

    /// The size of the first components of an entity.
    pub fn cost_of_components(&self, entity: SceneEntity, count: usize) -> Cost {
        let cells = self.cells.range(keys(entity)).take(count);
        cells.fold(Cost::default(), |sum, (&key, cell)| sum.plus(cell.cost(key)))
    }

    /// Forgets a dead entity. Calls `purged` with each of its components and its highest timestamp,
    /// and returns their size.
    pub fn purge(&mut self, dead: SceneEntity, mut purged: impl FnMut(Key, u32)) -> Cost {
        let mut cost = Cost::default();
        while let Some((&key, cell)) = self.cells.range(keys(dead)).next() {
            cost = cost.plus(cell.cost(key));
            self.values -= cell.values.len();
            let timestamp = cell.timestamp();
            self.cells.remove(&key);
            purged(key, timestamp);
        }
        cost
    }

    pub fn keys(&self) -> impl Iterator<Item = Key> {
        self.cells.keys().copied()
    }

    /// The value and the appended values of a component, as messages in a fixed order: those whose
    /// epoch is wanted, each with its epoch.
    pub fn write_to(
        &self,
        key: Key,
        is_wanted: impl Fn(u32) -> bool,
        mut send: impl FnMut(&Message<'_>, u32),
    ) {
        let Some(cell) = self.cells.get(&key) else { return };
        if let Some(register) = cell.register.as_ref().filter(|last| is_wanted(last.logged)) {
            send(&register.message(key), register.logged);
        }
        let values = cell.values.iter().filter(|(_, logged)| is_wanted(**logged));
        values.for_each(|((timestamp, data), &logged)| {
            send(&appended(key, *timestamp, data), logged);
        });
    }

    /// The appended values of a component whose epoch is wanted.
    pub fn write_appended(
        &self,
        key: Key,
        is_wanted: impl Fn(u32) -> bool,
        send: &mut impl FnMut(&Message<'_>),
    ) {
        self.write_to(key, is_wanted, |message, _| {
            if matches!(message, Message::AppendValue { .. }) {
                send(message);
            }
        });
    }
}

/// All components of an entity.
fn keys(entity: SceneEntity) -> std::ops::RangeInclusive<Key> {
    entity.key(0)..=entity.key(u32::MAX)
}
