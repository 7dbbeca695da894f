//! A slot: an entity and its `Transform`.

use super::limits::Cost;
use crate::wire::{Message, SceneEntity, SceneTransform, TRANSFORM};

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
        let network = if scene.network == 0 { 0 } else { 4 };
        match self {
            Self::Vacant | Self::Unset => Cost::default(),
            Self::Deleted => Cost::message(20 + network, true),
            Self::Live => Cost::message(24 + SceneTransform::LEN + network, false),
        }
    }
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

/// An entity and its `Transform`: the size of a cache line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub scene: SceneEntity,
    pub timestamp: u32,
    /// The last epoch in which it stands in the log of changes.
    pub logged: u32,
    pub bytes: [u8; SceneTransform::LEN],
    pub state: State,
    /// Whether it stands in the list of unsent ones.
    pub unsent: bool,
}

impl Slot {
    /// Its state as a message; for slots that are live or deleted.
    pub fn message(&self) -> Message<'_> {
        let (network, entity, component, timestamp) =
            (self.scene.network_id(), self.scene.entity, TRANSFORM, self.timestamp);
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

    pub fn is_set(&self) -> bool {
        matches!(self.state, State::Live | State::Deleted)
    }
}
