//! A replica: its state, and questions about it.

use super::{
    changes::ChangeCursor,
    entities::Entities,
    limits::{Budget, Limits, Usage},
    numbers::{NumberRange, Reusable},
    raw::RawStore,
    slot::{Slot, State, TransformState},
};
use crate::wire::{Key, SceneEntity, SceneTransform};

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
        match self.entities.find(entity) {
            Some(slot) => self.entities.slot(slot).transform(),
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

    /// Calls `follow` with each entity whose `Transform` changed since the cursor was last used, and
    /// its state now; deaths included. Each entity comes once, in no particular order. For
    /// followers that keep a copy of the state, such as an ECS; each has a cursor of its own.
    ///
    /// Returns whether it began anew, because the cursor is new, from another replica or too far
    /// behind. Then `follow` saw all entities with a `Transform` or the tombstone of one, and all
    /// others are gone.
    pub fn for_each_change(
        &mut self,
        cursor: &mut ChangeCursor,
        mut follow: impl FnMut(SceneEntity, TransformState<'_>),
    ) -> bool {
        let began_anew = self.entities.for_each_change(cursor, |entity, slot| {
            follow(entity, slot.map_or(TransformState::Dead, Slot::transform));
        });
        self.entities.finish_reading(cursor);
        began_anew
    }

    /// Whether the cursor was last used with this replica. (A clone is another one.)
    #[must_use]
    pub fn is_followed_by(&self, cursor: &ChangeCursor) -> bool {
        self.entities.is_followed_by(cursor)
    }
}
