//! Writes of our own.

use super::{
    cell::written,
    entities::NoSlot,
    last_writer::is_outdone,
    outcome::Outcome,
    replica::Replica,
    slot::{State, TransformState},
    write_error::{WriteError, WriteErrorKind},
};
use crate::wire::{EntityId, Key, Message, SceneEntity, SceneTransform, TRANSFORM};

impl Replica {
    /// Writes an entity's `Transform`; returns the message to send. If it has this value already,
    /// nothing changes: the message is the one that was sent then.
    ///
    /// # Errors
    ///
    /// When the entity is dead or the host's, its timestamp cannot grow, or a limit is reached.
    pub fn put_transform(
        &mut self,
        entity: SceneEntity,
        transform: &SceneTransform,
    ) -> Result<Message<'_>, WriteError> {
        self.write_transform(entity, Some(&transform.to_bytes()))
    }

    /// Deletes an entity's `Transform`; returns the message to send. If it is deleted already,
    /// nothing changes.
    ///
    /// # Errors
    ///
    /// When the entity is dead or the host's, its timestamp cannot grow, or a limit is reached.
    pub fn delete_transform(&mut self, entity: SceneEntity) -> Result<Message<'_>, WriteError> {
        self.write_transform(entity, None)
    }

    /// Writes a component, with a timestamp one above the last; returns the message to send. If it
    /// has this value already, nothing changes: the message is the one that was sent then.
    ///
    /// # Errors
    ///
    /// When the entity is dead, the component is not kept or not this replica's to write, the value
    /// has the wrong length, the timestamp cannot grow, or a limit is reached.
    pub fn put(&mut self, key: Key, data: &[u8]) -> Result<Message<'_>, WriteError> {
        match key.component {
            TRANSFORM => self.write_transform(key.scene_entity(), Some(transform(key, data)?)),
            _ => self.write_raw(key, Some(data)),
        }
    }

    /// Deletes a component, with a timestamp one above the last; returns the message to send. If it
    /// is deleted already, nothing changes.
    ///
    /// # Errors
    ///
    /// When the entity is dead, the component is not kept or not this replica's to write, the
    /// timestamp cannot grow, or a limit is reached.
    pub fn delete(&mut self, key: Key) -> Result<Message<'_>, WriteError> {
        match key.component {
            TRANSFORM => self.write_transform(key.scene_entity(), None),
            _ => self.write_raw(key, None),
        }
    }

    /// Appends a value to a component's set; returns the message to send.
    ///
    /// # Errors
    ///
    /// When the entity is dead, the component is not kept, the timestamp cannot grow, or a limit is
    /// reached.
    pub fn append<'a>(
        &mut self,
        entity: EntityId,
        component: u32,
        data: &'a [u8],
    ) -> Result<Message<'a>, WriteError> {
        let key = SceneEntity::local(entity).key(component);
        self.check_raw(key, data.len())?;
        let departed = self.entities.departures.timestamp(key.scene_entity());
        let timestamp = next(key, self.raw.last_append(key).unwrap_or(0).max(departed))?;
        let message = Message::AppendValue { entity, component, timestamp, data };
        accepted(key, self.merge(&message, self.options.role))?;
        Ok(message)
    }

    /// Deletes an entity for good, a plain one with those of its number and a lower version;
    /// returns the message to send.
    ///
    /// A reserved entity, which only a host deletes, goes alone, and may come back: its components
    /// are gone, no tombstone stays, and later writes count on from the timestamps of before. With
    /// it goes what scenes wrote for lower versions that had left already.
    ///
    /// An entity that [stands for](Self::network_entity) one of a network is not known to other
    /// replicas by this message: delete that one, too.
    ///
    /// # Errors
    ///
    /// When it is dead already; when it is reserved, and not there or this replica is not a host;
    /// when a limit is reached.
    pub fn delete_entity(&mut self, scene: SceneEntity) -> Result<Message<'static>, WriteError> {
        let SceneEntity { network, entity } = scene;
        let message = Message::DeleteEntity { network, entity };
        if self.options.role.rules(scene) && scene.is_reserved() && !self.is_alive(scene) {
            return Err(WriteError { key: scene.key(0), kind: WriteErrorKind::DeadEntity });
        }
        accepted(scene.key(0), self.merge(&message, self.options.role))?;
        for left in self.entities.left_of_players_before(scene) {
            self.merge_death(left, self.options.role);
        }
        Ok(message)
    }

    fn write_transform(
        &mut self,
        scene: SceneEntity,
        value: Option<&[u8; SceneTransform::LEN]>,
    ) -> Result<Message<'_>, WriteError> {
        let key = scene.key(TRANSFORM);
        let error = |kind| WriteError { key, kind };
        if !self.options.role.places(scene) {
            return Err(error(WriteErrorKind::HostPlaced));
        }
        let new = State::of(value);
        // The later `Transform` of two entities that are one counts: this one has to be it.
        let twin = self.networks.twin(scene).and_then(|twin| self.entities.find(twin));
        let twin = twin.filter(|&twin| self.entities.slot(twin).is_set());
        let latest = twin.map_or(0, |twin| self.entities.slot(twin).timestamp);
        let latest = latest.max(self.entities.departures.timestamp(scene));
        if twin.is_some() && self.transform(scene) == TransformState::Unknown {
            // Before a slot is made, since that one stays.
            next(key, latest)?;
        }
        let index = match self.entities.find_or_insert(scene, &mut self.budget, || new.cost(scene))
        {
            Ok(index) => index,
            Err(NoSlot::Dead) => return Err(error(WriteErrorKind::DeadEntity)),
            Err(NoSlot::Limit(limit)) => return Err(error(WriteErrorKind::OverLimit { limit })),
        };
        let slot = self.entities.slot(index);
        let last = slot.state;
        let theirs = twin.map(|twin| self.entities.slot(twin).write());
        let is_outdone = is_outdone(Some(slot.write()), theirs);
        if last != new || is_outdone || value.is_some_and(|value| *value != slot.bytes) {
            // A new slot has timestamp 0: the first write of our own is the first after it.
            let timestamp = next(key, slot.timestamp.max(latest))?;
            let cost = new.cost(scene).minus(last.cost(scene));
            self.budget.spend(&cost).map_err(|limit| error(WriteErrorKind::OverLimit { limit }))?;
            self.entities.write(index, timestamp, value, &mut self.clock);
        }
        Ok(self.entities.slot(index).message())
    }

    fn write_raw(&mut self, key: Key, value: Option<&[u8]>) -> Result<Message<'_>, WriteError> {
        self.check_raw(key, value.map_or(0, <[u8]>::len))?;
        // Of two entities that are one, the later component counts.
        let twin = self.networks.twin(key.scene_entity());
        let theirs = twin.and_then(|twin| self.raw.last_write(twin.key(key.component)));
        let ours = self.raw.last_write(key);
        if is_outdone(ours, theirs) || ours.is_none_or(|ours| ours.1 != value) {
            let message = written(key, next(key, self.last_timestamp(key))?, value);
            accepted(key, self.merge(&message, self.options.role))?;
        }
        self.raw.message(key).ok_or(WriteError { key, kind: WriteErrorKind::NotKept })
    }

    /// The last timestamp of a component: the later one of two entities that are one, and at least
    /// that of a player who left.
    pub(super) fn last_timestamp(&self, key: Key) -> u32 {
        let scene = key.scene_entity();
        let twin = self.networks.twin(scene).map(|twin| twin.key(key.component));
        let writes = [Some(key), twin].into_iter().flatten().filter_map(|key| self.write_of(key));
        let last = writes.map(|(timestamp, _)| timestamp).max().unwrap_or(0);
        last.max(self.entities.departures.timestamp(scene))
    }

    /// Whether a component may be written with this value.
    pub(super) fn check_write(&self, key: Key, data: &[u8]) -> Result<(), WriteError> {
        match key.component {
            TRANSFORM if !self.options.role.places(key.scene_entity()) => {
                Err(WriteError { key, kind: WriteErrorKind::HostPlaced })
            }
            TRANSFORM => transform(key, data).map(|_| ()),
            _ => self.check_raw(key, data.len()),
        }
    }

    /// Whether a component other than `Transform` may be written.
    fn check_raw(&self, key: Key, length: usize) -> Result<(), WriteError> {
        // The longest header of a message with data has 28 bytes.
        let kind = if !self.keeps(key.component) {
            WriteErrorKind::NotKept
        } else if length > u32::MAX as usize - 28 {
            WriteErrorKind::TooLong { length }
        } else if self.entities.is_dead(key.scene_entity()) {
            WriteErrorKind::DeadEntity
        } else if !self.may_write(self.options.role, key) {
            WriteErrorKind::HostPlaced
        } else {
            return Ok(());
        };
        Err(WriteError { key, kind })
    }
}

/// The bytes of a `Transform`.
fn transform(key: Key, data: &[u8]) -> Result<&[u8; SceneTransform::LEN], WriteError> {
    let kind = WriteErrorKind::WrongLength { length: data.len() };
    data.try_into().map_err(|_| WriteError { key, kind })
}

/// The outcome of a message of our own, which wins unless it is refused.
pub(super) fn accepted(key: Key, outcome: Outcome<'_>) -> Result<(), WriteError> {
    let kind = match outcome {
        Outcome::Accepted => return Ok(()),
        Outcome::OverLimit { limit } => WriteErrorKind::OverLimit { limit },
        Outcome::Reserved => WriteErrorKind::Reserved,
        Outcome::Dropped => WriteErrorKind::NotKept,
        Outcome::HostPlaced => WriteErrorKind::TimestampExhausted,
        _ => WriteErrorKind::DeadEntity,
    };
    Err(WriteError { key, kind })
}

/// One above the last timestamp, which is 0 if there is none.
fn next(key: Key, last: u32) -> Result<u32, WriteError> {
    last.checked_add(1).ok_or(WriteError { key, kind: WriteErrorKind::TimestampExhausted })
}
