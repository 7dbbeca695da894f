//! A replica: its state, and questions about it.

use super::{
    changes::{ChangeCursor, TransformChanges},
    entities::Entities,
    limits::{Budget, Limits, Usage},
    numbers::{NumberRange, Reusable},
    raw::RawStore,
    slot::{Slot, SlotIndex, State},
};
use crate::decentraland::wire::{Key, SceneEntity, SceneTransform};

/// Options: what a [`Replica`] keeps, and how much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaOptions {
    /// Keep components other than `Transform`, and appended values, as raw bytes: they are merged,
    /// dumped and sent on. Otherwise they are counted and dropped.
    pub keep_other_components: bool,
    /// How much is kept.
    pub limits: Limits,
    /// Where [new entities](Replica::new_entity) get their numbers from.
    pub numbers: NumberRange,
}

/// One replica of a scene's state.
///
/// A `Transform` and a tombstone cost about 120 bytes each. A merge is two memory accesses, in
/// scenes of every size. A clone is a replica of its own.
#[derive(Clone, Debug, Default)]
pub struct Replica {
    pub(super) options: ReplicaOptions,
    pub(super) entities: Entities,
    pub(super) raw: RawStore,
    pub(super) budget: Budget,
    /// The last round of corrections; see [`corrections`](super::corrections).
    pub(super) round: u64,
}

/// The state of an entity's `Transform` in a replica.
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
        let mut replica = Self { options, ..Self::default() };
        replica.budget = Budget::new(options.limits);
        replica.entities.reusable = Reusable::new(options.numbers);
        replica
    }

    /// How much is kept.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.budget.usage
    }

    /// The state of an entity's `Transform`.
    #[must_use]
    pub fn transform(&self, entity: SceneEntity) -> TransformState<'_> {
        self.transform_at(entity, self.entities.find(entity))
    }

    /// [`transform`](Self::transform) of an entity whose slot is known.
    pub(in crate::decentraland) fn transform_at(
        &self,
        entity: SceneEntity,
        slot: Option<SlotIndex>,
    ) -> TransformState<'_> {
        match slot.map(|slot| self.entities.slot(slot)) {
            Some(Slot { state: State::Live, timestamp, bytes, .. }) => {
                TransformState::Live { timestamp: *timestamp, bytes }
            }
            Some(Slot { state: State::Deleted, timestamp, .. }) => {
                TransformState::Deleted { timestamp: *timestamp }
            }
            Some(_) => TransformState::Unknown,
            None if self.entities.is_dead(entity) => TransformState::Dead,
            None => TransformState::Unknown,
        }
    }

    /// The raw value of another component, if it is live and other components are kept.
    #[must_use]
    pub fn component(&self, key: Key) -> Option<&[u8]> {
        self.raw.value(key)
    }

    /// The entities that have a `Transform` and its value as it came, in no particular order.
    pub fn transforms(&self) -> impl Iterator<Item = (SceneEntity, &[u8; SceneTransform::LEN])> {
        self.entities
            .slots()
            .iter()
            .filter(|slot| slot.state == State::Live)
            .map(|slot| (slot.scene, &slot.bytes))
    }

    /// The entities whose `Transform` changed since the cursor was last used, deaths included. For
    /// followers that keep a copy of the state, like [`apply`](crate::decentraland::apply). Each
    /// has a cursor of its own.
    pub fn changed_transforms(&mut self, cursor: &mut ChangeCursor) -> TransformChanges {
        let (everything, entities) = self.entities.read_changes(cursor);
        TransformChanges {
            everything,
            entities: entities.into_iter().map(|(entity, _)| entity).collect(),
        }
    }

    /// [`changed_transforms`](Self::changed_transforms), with the slots.
    pub(in crate::decentraland) fn read_changes(
        &mut self,
        cursor: &mut ChangeCursor,
    ) -> (bool, Vec<(SceneEntity, Option<SlotIndex>)>) {
        self.entities.read_changes(cursor)
    }

    /// Whether the cursor was last used with this replica.
    pub(in crate::decentraland) fn is_followed_by(&self, cursor: &ChangeCursor) -> bool {
        self.entities.is_followed_by(cursor)
    }
}
