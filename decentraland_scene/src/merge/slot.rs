//! A slot: an entity and its `Transform`.

use super::{last_writer::Write, limits::Cost};
use crate::wire::{EntityId, Message, SceneEntity, SceneTransform, TRANSFORM};

/// A place in the list of slots.
pub(super) type SlotIndex = u32;

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Free, to be used again.
    Vacant,
    /// The entity has other components only.
    Unset,
    /// Holds the timestamp of the deletion.
    Deleted,
    Live,
}

impl State {
    /// Of a component with this value.
    pub fn of<T>(value: Option<T>) -> Self {
        if value.is_some() { Self::Live } else { Self::Deleted }
    }

    /// The size of a `Transform` in this state.
    pub fn cost(self, scene: SceneEntity) -> Cost {
        let network = if scene.network.is_some() { 4 } else { 0 };
        match self {
            Self::Vacant | Self::Unset => Cost::default(),
            Self::Deleted => Cost::message(20 + network, true),
            Self::Live => Cost::message(24 + SceneTransform::LEN + network, false),
        }
    }
}

/// The state of an entity's `Transform` in a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransformState<'a> {
    /// Nothing is known of it.
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

/// An entity and its `Transform`: the size of a cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// The network id, if there is one: see [`Self::scene`].
    network: u32,
    entity: EntityId,
    pub timestamp: u32,
    /// The last epoch in which it stands in the log of changes.
    pub logged: u32,
    pub bytes: [u8; SceneTransform::LEN],
    pub state: State,
    is_networked: bool,
    /// Whether a component [ties](super::networks) it to another entity, so that it may be shown in
    /// another way than its `Transform` says.
    pub is_tied: bool,
    /// Whether the present round of [corrections](super::corrections) has it.
    pub is_corrected: bool,
}

const _: () = assert!(size_of::<Slot>() <= 64);

impl Slot {
    /// The slot of an entity without a `Transform`.
    pub fn new(scene: SceneEntity) -> Self {
        Self {
            network: scene.network.unwrap_or(0),
            entity: scene.entity,
            timestamp: 0,
            logged: 0,
            bytes: [0; SceneTransform::LEN],
            state: State::Unset,
            is_networked: scene.network.is_some(),
            is_tied: false,
            is_corrected: false,
        }
    }

    pub fn scene(&self) -> SceneEntity {
        let network = self.is_networked.then_some(self.network);
        SceneEntity { network, entity: self.entity }
    }

    /// Its state as a message; for slots that are live or deleted.
    pub fn message(&self) -> Message<'_> {
        let SceneEntity { network, entity } = self.scene();
        let (component, timestamp) = (TRANSFORM, self.timestamp);
        match self.state {
            State::Live => {
                Message::PutComponent { network, entity, component, timestamp, data: &self.bytes }
            }
            _ => Message::DeleteComponent { network, entity, component, timestamp },
        }
    }

    /// Its state as users see it.
    pub fn transform(&self) -> TransformState<'_> {
        let &Self { timestamp, ref bytes, .. } = self;
        match self.state {
            State::Live => TransformState::Live { timestamp, bytes },
            State::Deleted => TransformState::Deleted { timestamp },
            State::Unset | State::Vacant => TransformState::Unknown,
        }
    }

    /// Its last write, to be [compared](super::last_writer::compare); for slots that are set.
    pub fn write(&self) -> Write<'_> {
        (self.timestamp, (self.state == State::Live).then_some(&self.bytes[..]))
    }

    pub fn is_set(&self) -> bool {
        matches!(self.state, State::Live | State::Deleted)
    }
}
