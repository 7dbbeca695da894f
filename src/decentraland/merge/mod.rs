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
//!
//! # Bounds
//!
//! - [`Limits`] say how much is kept; what exceeds them is refused, message by message, as a [fault](MergeFault::OverLimit).
//!   [`Replica::usage`] tells how much it is.
//! - A report answers a key once, within [`Limits::correction_bytes`].
//! - No message costs more than a few others of its length: all 65,536 versions of one number cost 43 to 101 ns each.
//! - [`dump_packets`](Replica::dump_packets) and [`delta_packets`](Replica::delta_packets) make packets of bounded size, which may
//!   come in any order and again and again:
//!
//! ```
//! use legion_transform::decentraland::{merge::*, wire::*};
//!
//! let mut options = ReplicaOptions::default();
//! options.limits.entities = 20_000;
//! let mut ours = Replica::new(options);
//! for _ in 0..1000 {
//!     let entity = ours.new_entity()?;
//!     ours.put_transform(entity, &SceneTransform::IDENTITY)?;
//! }
//! let Packets { packets, too_large } = ours.dump_packets(PacketSize::SDK);
//! assert!(too_large.is_empty() && packets.iter().all(|packet| packet.len() <= 12_000));
//!
//! let mut late = Replica::new(options);
//! for packet in packets.iter().rev() {
//!     late.merge_bytes(packet)?;
//! }
//! assert_eq!((late.dump(), late.usage().entities), (ours.dump(), 1000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod changes;
mod corrections;
mod dump;
mod entities;
mod limits;
mod local;
mod numbers;
mod outcome;
mod packets;
mod raw;
mod stream;
mod versions;

use std::cmp::Ordering;

pub use changes::{ChangeCursor, TransformChanges};
use corrections::Round;
use entities::{Entities, NoSlot, Slot, SlotIndex, State};
use limits::{Budget, Cost};
pub use limits::{LimitKind, Limits, Usage};
pub use local::{WriteError, WriteErrorKind};
use numbers::Reusable;
pub use numbers::{NumberRange, NumbersExhausted};
pub use outcome::Outcome;
pub use packets::{PacketSize, Packets, TooLarge};
use raw::RawStore;
pub use stream::{BrokenStream, MergeFault, MergeReport};

use super::wire::{Key, Message, SceneEntity, SceneTransform, TRANSFORM};

/// What a [`Replica`] keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaOptions {
    /// Keep components other than `Transform`, and appended values, as raw bytes: they are merged, dumped and sent on.
    /// Otherwise they are counted and dropped.
    pub keep_other_components: bool,
    /// How much is kept.
    pub limits: Limits,
    /// Where [new entities](Replica::new_entity) get their numbers from.
    pub numbers: NumberRange,
}

/// One replica of a scene's state.
///
/// A `Transform` costs about 120 bytes, a tombstone as much, and a merge is two memory accesses whatever the scene's size.
/// A clone is a replica of its own.
#[derive(Clone, Debug, Default)]
pub struct Replica {
    options: ReplicaOptions,
    entities: Entities,
    raw: RawStore,
    budget: Budget,
    /// The last round of corrections; see [`corrections`].
    round: u64,
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
        let mut replica = Self { options, ..Self::default() };
        replica.budget = Budget::new(options.limits);
        replica.entities.reusable = Reusable::new(options.numbers);
        replica
    }

    /// Merges a message.
    pub fn merge(&mut self, message: &Message<'_>) -> Outcome<'_> {
        self.merge_in(message, Round::None).0
    }

    /// Merges a message, in a round of corrections. Returns whether its key is in that already.
    #[inline(always)] // so that neither message nor outcome are moved
    fn merge_in(&mut self, message: &Message<'_>, round: Round) -> (Outcome<'_>, bool) {
        let (timestamp, value) = match *message {
            Message::PutComponent { component: TRANSFORM, timestamp, data, .. } => match data.try_into().ok() {
                Some(value) => (timestamp, Some(value)),
                None => return (Outcome::WrongLength { length: data.len() }, false),
            },
            Message::DeleteComponent { component: TRANSFORM, timestamp, .. } => (timestamp, None),
            Message::DeleteEntity { .. } => return (self.merge_death(message.scene_entity()), false),
            _ => return (self.merge_other(message), false),
        };
        self.merge_transform(message.scene_entity(), timestamp, value, round)
    }

    /// Merges a message about another component than `Transform`.
    fn merge_other(&mut self, message: &Message<'_>) -> Outcome<'_> {
        let scene = message.scene_entity();
        match *message {
            _ if !self.options.keep_other_components => Outcome::Dropped,
            Message::PutComponent { component, timestamp, data, .. } => {
                self.merge_raw(scene.key(component), timestamp, Some(data), message)
            }
            Message::DeleteComponent { component, timestamp, .. } => {
                self.merge_raw(scene.key(component), timestamp, None, message)
            }
            Message::AppendValue { component, timestamp, data, .. } => match self.make_room(message, data.len()) {
                Ok(()) => self.raw.append(scene.key(component), timestamp, data, &mut self.budget),
                Err(refused) => refused,
            },
            Message::DeleteEntity { .. } => Outcome::Dropped,
        }
    }

    /// How much is kept.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.budget.usage
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

    /// Whose `Transform` changed since the cursor was last used, death included. For what is kept equal to the
    /// state, as [`apply`](super::apply) does; each has a cursor of its own.
    pub fn changed_transforms(&mut self, cursor: &mut ChangeCursor) -> TransformChanges {
        let (everything, entities) = self.entities.read_changes(cursor);
        TransformChanges { everything, entities: entities.into_iter().map(|(entity, _)| entity).collect() }
    }

    /// Likewise, with their slots.
    pub(super) fn read_changes(&mut self, cursor: &mut ChangeCursor) -> (bool, Vec<(SceneEntity, Option<SlotIndex>)>) {
        self.entities.read_changes(cursor)
    }

    /// Whether the cursor was last used with this replica.
    pub(super) fn is_followed_by(&self, cursor: &ChangeCursor) -> bool {
        self.entities.is_followed_by(cursor)
    }

    #[inline(always)]
    fn merge_transform(
        &mut self,
        scene: SceneEntity,
        timestamp: u32,
        value: Option<&[u8; SceneTransform::LEN]>,
        round: Round,
    ) -> (Outcome<'_>, bool) {
        if scene.entity.is_host_placed() {
            return (Outcome::HostPlaced, false);
        }
        let new = State::of(value);
        let index = match self.entities.find_or_insert(scene, &mut self.budget, || new.cost(scene)) {
            Ok(index) => index,
            Err(NoSlot::Dead) => return (Outcome::DeadEntity, false),
            Err(NoSlot::Limit(limit)) => return (Outcome::OverLimit { limit }, false),
        };
        let slot = self.entities.slot(index);
        let order = match slot.state {
            State::Live => compare((timestamp, value.map(|v| &v[..])), (slot.timestamp, Some(&slot.bytes))),
            State::Deleted => compare((timestamp, value.map(|v| &v[..])), (slot.timestamp, None)),
            State::Vacant | State::Unset => Ordering::Greater,
        };
        match order {
            Ordering::Greater => {
                let last = slot.state;
                if last != new
                    && let Err(limit) = self.budget.spend(&new.cost(scene).minus(last.cost(scene)))
                {
                    return (Outcome::OverLimit { limit }, false);
                }
                self.entities.write(index, timestamp, value);
                (Outcome::Accepted, false)
            }
            Ordering::Equal => (Outcome::Duplicate, false),
            Ordering::Less => {
                let is_corrected = round.note(&mut self.entities, index);
                (Outcome::Outdated { winner: self.entities.slot(index).message() }, is_corrected)
            }
        }
    }

    fn merge_raw(&mut self, key: Key, timestamp: u32, value: Option<&[u8]>, message: &Message<'_>) -> Outcome<'_> {
        match self.make_room(message, value.map_or(0, <[u8]>::len)) {
            Ok(()) => self.raw.merge(key, timestamp, value, &mut self.budget),
            Err(refused) => refused,
        }
    }

    /// Gives a slot to the entity of a message about another component than `Transform`, if there is room for both.
    fn make_room(&mut self, message: &Message<'_>, length: usize) -> Result<(), Outcome<'static>> {
        let over = |limit| Outcome::OverLimit { limit };
        self.budget.admits_key(length).map_err(over)?;
        let is_append = matches!(message, Message::AppendValue { .. });
        let is_tombstone = matches!(message, Message::DeleteComponent { .. });
        // A message may carry the network id 0; a dump does not.
        let spared = if matches!(
            message,
            Message::PutComponent { network: Some(0), .. } | Message::DeleteComponent { network: Some(0), .. }
        ) {
            4
        } else {
            0
        };
        let content =
            Cost { appended_values: isize::from(is_append), ..Cost::message(message.len() - spared, is_tombstone) };
        match self.entities.find_or_insert(message.scene_entity(), &mut self.budget, || content) {
            Ok(_) => Ok(()),
            Err(NoSlot::Dead) => Err(Outcome::DeadEntity),
            Err(NoSlot::Limit(limit)) => Err(over(limit)),
        }
    }

    fn merge_death(&mut self, scene: SceneEntity) -> Outcome<'_> {
        if scene.entity.is_reserved() {
            return Outcome::Reserved;
        }
        match self.entities.death(scene) {
            Some(version) if version > scene.entity.version() => return Outcome::DeadEntity,
            Some(version) if version == scene.entity.version() => return Outcome::Duplicate,
            _ => {}
        }
        let cost = self.entities.cost_of_kill(scene);
        if let Err(limit) = self.budget.admits(&cost)
            && let Err(_) = self.budget.admits(&cost.minus(self.cost_of_victims(scene)))
        {
            return Outcome::OverLimit { limit };
        }
        self.budget.charge(&cost);
        let Self { entities, raw, budget, .. } = self;
        entities.kill(scene, |dead, cost| budget.charge(&Cost::default().minus(cost.plus(raw.purge(dead)))));
        Outcome::Accepted
    }

    /// What the death of an entity frees.
    fn cost_of_victims(&self, scene: SceneEntity) -> Cost {
        let costs = self.entities.victims(scene).map(|(dead, cost)| cost.plus(self.raw.cost(dead)));
        costs.fold(Cost::default(), Cost::plus)
    }
}

/// Which of two writes wins: the later; at the same time any value before a deletion, then the longer value, then the one
/// with the larger bytes. Equal means that they are the same write.
fn compare(a: (u32, Option<&[u8]>), b: (u32, Option<&[u8]>)) -> Ordering {
    a.0.cmp(&b.0).then_with(|| a.1.map(|value| (value.len(), value)).cmp(&b.1.map(|value| (value.len(), value))))
}
