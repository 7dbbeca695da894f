//! The merged state of a scene: the last writer wins, in whatever order its messages come.
//!
//! A [`Replica`] remembers, for every component of every entity, the value with the highest timestamp and the tombstone of
//! what was deleted, and for every entity number the highest version that died. That makes merging commutative,
//! associative and idempotent: replicas that saw the same messages, in any order and however often, [dump](Replica::dump)
//! the same bytes.
//!
//! ```
//! use legion_transform::decentraland::{
//!     merge::{Outcome, Replica},
//!     wire::{EntityId, Message, SceneTransform},
//! };
//!
//! let put = |timestamp, data| Message::PutComponent { network: None, entity: EntityId(512), component: 1, timestamp, data };
//! let value = SceneTransform::IDENTITY.to_bytes();
//!
//! let mut replica = Replica::default();
//! assert_eq!(replica.merge(&put(7, &value)), Outcome::Accepted);
//! assert_eq!(replica.merge(&put(7, &value)), Outcome::Duplicate);
//! // What loses is answered with what won.
//! assert_eq!(replica.merge(&put(6, &value)), Outcome::Outdated { winner: put(7, &value) });
//! ```
//!
//! Only `Transform`s are kept, unless [`ReplicaOptions::keep_other_components`] asks for the rest as raw bytes.

mod dump;
mod entities;
mod local;
mod outcome;
mod raw;
mod stream;

use std::cmp::Ordering;

use entities::{Entities, Slot, SlotIndex, State};
pub use local::{WriteError, WriteErrorKind};
pub use outcome::Outcome;
use raw::RawStore;
pub use stream::{MergeFault, MergeReport};

use super::wire::{Key, Message, SceneEntity, SceneTransform, TRANSFORM};

/// What a [`Replica`] keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaOptions {
    /// Keep components other than `Transform`, and appended values, as raw bytes: they are merged, dumped and sent on.
    /// Otherwise they are counted and dropped.
    pub keep_other_components: bool,
}

/// One replica of a scene's state.
///
/// A `Transform` costs about 120 bytes, a tombstone as much, and a merge is two memory accesses whatever the scene's size.
#[derive(Clone, Debug, Default)]
pub struct Replica {
    options: ReplicaOptions,
    entities: Entities,
    raw: RawStore,
}

/// What a replica knows of an entity's `Transform`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransformState<'a> {
    /// Nothing.
    Unknown,
    /// The entity is gone for good.
    Dead,
    /// It was deleted.
    Deleted {
        /// The deletion's timestamp.
        timestamp: u32,
    },
    /// It has this value.
    Live {
        /// The value's timestamp.
        timestamp: u32,
        /// The value, as it came.
        bytes: &'a [u8; SceneTransform::LEN],
    },
}

impl Replica {
    /// An empty one.
    #[must_use]
    pub fn new(options: ReplicaOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Merges a message.
    pub fn merge(&mut self, message: &Message<'_>) -> Outcome<'_> {
        let scene = message.scene_entity();
        match *message {
            Message::PutComponent { component: TRANSFORM, timestamp, data, .. } => match data.as_array() {
                Some(value) => self.merge_transform(scene, timestamp, Some(value)),
                None => Outcome::WrongLength { length: data.len() },
            },
            Message::DeleteComponent { component: TRANSFORM, timestamp, .. } => self.merge_transform(scene, timestamp, None),
            Message::DeleteEntity { .. } => self.merge_death(scene),
            _ if !self.options.keep_other_components => Outcome::Dropped,
            Message::PutComponent { component, timestamp, data, .. } => {
                self.merge_raw(scene.key(component), timestamp, Some(data))
            }
            Message::DeleteComponent { component, timestamp, .. } => self.merge_raw(scene.key(component), timestamp, None),
            Message::AppendValue { component, timestamp, data, .. } => {
                if self.entities.find_or_insert(scene).is_none() {
                    return Outcome::DeadEntity;
                }
                self.raw.append(scene.key(component), timestamp, data)
            }
        }
    }

    /// What is known of an entity's `Transform`.
    #[must_use]
    pub fn transform(&self, entity: SceneEntity) -> TransformState<'_> {
        self.transform_at(entity, self.entities.find(entity))
    }

    /// Likewise, for who knows the slot.
    pub(super) fn transform_at(&self, entity: SceneEntity, slot: Option<SlotIndex>) -> TransformState<'_> {
        match slot.map(|slot| self.entities.slot(slot)) {
            Some(Slot { state: State::Live, timestamp, bytes, .. }) => TransformState::Live { timestamp: *timestamp, bytes },
            Some(Slot { state: State::Deleted, timestamp, .. }) => TransformState::Deleted { timestamp: *timestamp },
            Some(_) => TransformState::Unknown,
            None if self.entities.is_dead(entity) => TransformState::Dead,
            None => TransformState::Unknown,
        }
    }

    /// The raw value of another component, where it is live and other components are kept.
    #[must_use]
    pub fn component(&self, key: Key) -> Option<&[u8]> {
        self.raw.value(key)
    }

    /// The entities that have a `Transform` and its value as it came, in no particular order.
    pub fn transforms(&self) -> impl Iterator<Item = (SceneEntity, &[u8; SceneTransform::LEN])> {
        self.entities.slots().iter().filter(|slot| slot.state == State::Live).map(|slot| (slot.scene, &slot.bytes))
    }

    /// From now on remembers whose `Transform` changes, for [`changed_transforms`](Self::changed_transforms). All that are
    /// known count as changed.
    pub fn watch_transforms(&mut self) {
        self.entities.watch();
    }

    /// Whose `Transform` changed (death included) since the last call; each entity once. For those who keep something equal to the
    /// state, as [`apply`](super::apply) does: there can be one such per replica.
    pub fn changed_transforms(&mut self) -> Vec<SceneEntity> {
        self.take_changed().into_iter().map(|(entity, _)| entity).collect()
    }

    /// Likewise, with their slots.
    pub(super) fn take_changed(&mut self) -> Vec<(SceneEntity, Option<SlotIndex>)> {
        self.entities.take_changed()
    }

    #[inline]
    fn merge_transform(
        &mut self,
        scene: SceneEntity,
        timestamp: u32,
        value: Option<&[u8; SceneTransform::LEN]>,
    ) -> Outcome<'_> {
        if scene.entity.is_host_placed() {
            return Outcome::HostPlaced;
        }
        let Some(index) = self.entities.find_or_insert(scene) else { return Outcome::DeadEntity };
        let slot = self.entities.slot(index);
        let order = match slot.state {
            State::Live => compare((timestamp, value.map(|v| &v[..])), (slot.timestamp, Some(&slot.bytes))),
            State::Deleted => compare((timestamp, value.map(|v| &v[..])), (slot.timestamp, None)),
            State::Vacant | State::Unset => Ordering::Greater,
        };
        match order {
            Ordering::Greater => {
                self.entities.write(index, timestamp, value);
                Outcome::Accepted
            }
            Ordering::Equal => Outcome::Duplicate,
            Ordering::Less => Outcome::Outdated { winner: self.entities.slot(index).message() },
        }
    }

    fn merge_raw(&mut self, key: Key, timestamp: u32, value: Option<&[u8]>) -> Outcome<'_> {
        if self.entities.find_or_insert(key.scene_entity()).is_none() {
            return Outcome::DeadEntity;
        }
        self.raw.merge(key, timestamp, value)
    }

    fn merge_death(&mut self, scene: SceneEntity) -> Outcome<'_> {
        match self.entities.death(scene) {
            Some(version) if version > scene.entity.version() => return Outcome::DeadEntity,
            Some(version) if version == scene.entity.version() => return Outcome::Duplicate,
            _ => {}
        }
        let raw = &mut self.raw;
        self.entities.kill(scene, |dead| raw.purge(dead));
        Outcome::Accepted
    }
}

/// Which of two writes wins: the later; at the same time any value before a deletion, then the longer value, then the one
/// with the larger bytes. Equal means that they are the same write.
fn compare(a: (u32, Option<&[u8]>), b: (u32, Option<&[u8]>)) -> Ordering {
    a.0.cmp(&b.0).then_with(|| a.1.map(|value| (value.len(), value)).cmp(&b.1.map(|value| (value.len(), value))))
}
