//! What a filter lets through, and what the other end has to hear when it lets no more through.
//!
//! What leaves is deleted at the other end, and what comes back is written again. Both have to win
//! there, though nothing was written here meanwhile. So the timestamps of a component run ahead for
//! this connection, by one each time that it left unchanged:
//!
//! ```text
//!  here        put at 3            put at 4
//!              leaves   is back    leaves, unchanged   is back     put at 5
//!  sent   3    delete 4   put 4    delete 5            put 5       put 6
//! ```
//!
//! (At one timestamp, a value wins over a deletion.)

use std::collections::{BTreeMap, BTreeSet};

use super::{cell::written, replica::Replica};
use crate::wire::{EntityId, Key, Message, SceneEntity, TRANSFORM};

/// Whether a message goes to the other end.
type Wants = Box<dyn Fn(&Message<'_>) -> bool + Send + Sync>;

/// What the other end has of a component.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    is_there: bool,
    /// The last timestamp that was sent.
    sent: u32,
    /// How far the timestamps that are sent run ahead of ours.
    ahead: u32,
}

/// A filter, and the components that the other end has from us.
pub(super) struct Filtered {
    wants: Wants,
    known: BTreeMap<Key, Known>,
    /// Components that were sent in this delta because their entity came.
    entered: BTreeSet<Key>,
}

impl Filtered {
    pub fn new(wants: Wants) -> Self {
        Self { wants, known: BTreeMap::new(), entered: BTreeSet::new() }
    }

    /// The other end knows the whole state.
    pub fn knows_all(&mut self, replica: &Replica) {
        let transforms = replica.transforms().map(|(entity, _)| entity.key(TRANSFORM));
        for key in transforms.chain(replica.raw.keys()) {
            let last = replica.write_of(key);
            let known = self.known.entry(key).or_default();
            known.sent = known.sent.max(last.map_or(0, |(timestamp, _)| timestamp));
            known.is_there = last.is_none_or(|(_, value)| value.is_some());
        }
    }

    /// Call at the end of a delta.
    pub fn finish(&mut self) {
        self.entered.clear();
    }

    /// Sends a message if it is wanted, and what follows from it.
    pub fn pass(
        &mut self,
        replica: &Replica,
        message: &Message<'_>,
        send: &mut impl FnMut(&Message<'_>),
    ) {
        let scene = message.scene_entity();
        let is_wanted = (self.wants)(message);
        let (Some(key), Some(timestamp)) = (message.key(), message.timestamp()) else {
            let was_there = self.die(scene);
            if was_there || is_wanted {
                send(message);
            }
            return;
        };
        if let Message::AppendValue { .. } = message {
            if is_wanted {
                self.known.entry(key).or_default().is_there = true;
                send(message);
            }
        } else if is_wanted {
            let has_come = !self.entered.remove(&key) && self.send(key, message, send);
            if has_come && key.component == TRANSFORM {
                self.enter(replica, scene, send);
            }
        } else if self.take(key, timestamp, true, send) && key.component == TRANSFORM {
            self.leave(replica, scene, send);
        }
    }

    /// Sends a write. Returns whether the component is there now, and was not before.
    fn send(
        &mut self,
        key: Key,
        message: &Message<'_>,
        send: &mut impl FnMut(&Message<'_>),
    ) -> bool {
        let known = self.known.entry(key).or_default();
        let is_there = !matches!(message, Message::DeleteComponent { .. });
        let was_there = std::mem::replace(&mut known.is_there, is_there);
        let timestamp = message.timestamp().unwrap_or(0).saturating_add(known.ahead);
        known.sent = timestamp;
        send(&message.at(timestamp));
        is_there && !was_there
    }

    /// Sends the other components of an entity whose `Transform` was not there.
    fn enter(
        &mut self,
        replica: &Replica,
        scene: SceneEntity,
        send: &mut impl FnMut(&Message<'_>),
    ) {
        for original in [Some(scene), replica.networks.twin(scene)].into_iter().flatten() {
            for key in replica.raw.keys_of(original) {
                let Some((timestamp, Some(value))) = replica.later_write(key) else { continue };
                let key = scene.key(key.component);
                let message = written(key, timestamp, Some(value));
                let is_there = self.known.get(&key).is_some_and(|known| known.is_there);
                if !is_there && (self.wants)(&message) {
                    self.send(key, &message, send);
                    self.entered.insert(key);
                }
            }
        }
    }

    /// Takes an entity from the other end, whose `Transform` left.
    fn leave(
        &mut self,
        replica: &Replica,
        scene: SceneEntity,
        send: &mut impl FnMut(&Message<'_>),
    ) {
        for key in self.keys_of(scene) {
            if let Some((timestamp, _)) = replica.later_write(key) {
                self.take(key, timestamp, false, send);
            }
        }
    }

    /// Deletes a component at the other end, if it is there, and returns whether it was.
    fn take(
        &mut self,
        key: Key,
        timestamp: u32,
        is_new: bool,
        send: &mut impl FnMut(&Message<'_>),
    ) -> bool {
        let Some(known) = self.known.get_mut(&key).filter(|known| known.is_there) else {
            return false;
        };
        let ahead = timestamp.saturating_add(known.ahead);
        let least = known.sent.max(if is_new { 0 } else { ahead }).saturating_add(1);
        let at = ahead.max(least);
        *known = Known { is_there: false, sent: at, ahead: at - timestamp };
        send(&written(key, at, None));
        true
    }

    fn keys_of(&self, scene: SceneEntity) -> Vec<Key> {
        self.known.range(scene.key(0)..=scene.key(u32::MAX)).map(|(&key, _)| key).collect()
    }

    /// Forgets a dead entity, and all that die with it; of players, who may come back, only that
    /// they are there. Returns whether one was there.
    fn die(&mut self, dead: SceneEntity) -> bool {
        let has_versions = dead.network.is_none() && !dead.is_reserved();
        let first = if has_versions { u32::from(dead.entity.number()) } else { dead.entity.0 };
        let mut was_there = false;
        for id in (first..=dead.entity.0).step_by(1 << 16) {
            for key in self.keys_of(SceneEntity { entity: EntityId(id), ..dead }) {
                if let Some(known) = self.known.get_mut(&key) {
                    was_there |= std::mem::take(&mut known.is_there);
                }
                if !dead.is_reserved() {
                    self.known.remove(&key);
                }
            }
        }
        was_there
    }
}
