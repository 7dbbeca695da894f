//! The messages.

use std::{error::Error, fmt};

use super::{EntityId, Key, SceneEntity};

/// A message. Its data stays where it was read from.
///
/// `network` is `Some` for the types that carry a network id (5, 6 and 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Message<'a> {
    /// `PUT_COMPONENT` and `PUT_COMPONENT_NETWORK`: the component has this value.
    PutComponent {
        /// The network id, if the message carries one.
        network: Option<u32>,
        /// The entity.
        entity: EntityId,
        /// The component's id.
        component: u32,
        /// The writer's count of its writes.
        timestamp: u32,
        /// The value.
        data: &'a [u8],
    },
    /// `DELETE_COMPONENT` and `DELETE_COMPONENT_NETWORK`: the entity has no such component any
    /// more.
    DeleteComponent {
        /// The network id, if the message carries one.
        network: Option<u32>,
        /// The entity.
        entity: EntityId,
        /// The component's id.
        component: u32,
        /// The writer's count of its writes.
        timestamp: u32,
    },
    /// `DELETE_ENTITY` and `DELETE_ENTITY_NETWORK`: the entity is gone for good; a plain one with
    /// all of its number and a lower version.
    DeleteEntity {
        /// The network id, if the message carries one.
        network: Option<u32>,
        /// The entity.
        entity: EntityId,
    },
    /// `APPEND_VALUE`: one more value in the component's set of values.
    AppendValue {
        /// The entity.
        entity: EntityId,
        /// The component's id.
        component: u32,
        /// The writer's count of its writes.
        timestamp: u32,
        /// The value.
        data: &'a [u8],
    },
    /// `AUTHORITATIVE_PUT_COMPONENT`, from a scene to its renderer: where the sender is
    /// [obeyed](crate::merge::Authority), the component has this value and timestamp, whatever they
    /// were.
    AuthoritativePutComponent {
        /// The entity.
        entity: EntityId,
        /// The component's id.
        component: u32,
        /// The timestamp from which the next writer counts on.
        timestamp: u32,
        /// The value.
        data: &'a [u8],
    },
}

impl<'a> Message<'a> {
    /// The entity it is about.
    #[must_use]
    pub fn scene_entity(&self) -> SceneEntity {
        let (network, entity) = match *self {
            Self::PutComponent { network, entity, .. }
            | Self::DeleteComponent { network, entity, .. }
            | Self::DeleteEntity { network, entity } => (network, entity),
            Self::AppendValue { entity, .. } | Self::AuthoritativePutComponent { entity, .. } => {
                (None, entity)
            }
        };
        SceneEntity { network, entity }
    }

    /// The component it is about, if it is about one.
    #[must_use]
    pub fn key(&self) -> Option<Key> {
        match *self {
            Self::PutComponent { component, .. }
            | Self::DeleteComponent { component, .. }
            | Self::AppendValue { component, .. }
            | Self::AuthoritativePutComponent { component, .. } => {
                Some(self.scene_entity().key(component))
            }
            Self::DeleteEntity { .. } => None,
        }
    }

    /// The writer's count of its writes, if it is about a component.
    #[must_use]
    pub fn timestamp(&self) -> Option<u32> {
        match *self {
            Self::PutComponent { timestamp, .. }
            | Self::DeleteComponent { timestamp, .. }
            | Self::AppendValue { timestamp, .. }
            | Self::AuthoritativePutComponent { timestamp, .. } => Some(timestamp),
            Self::DeleteEntity { .. } => None,
        }
    }

    /// The data that it carries; empty if it carries none.
    #[must_use]
    pub fn data(&self) -> &'a [u8] {
        match *self {
            Self::PutComponent { data, .. }
            | Self::AppendValue { data, .. }
            | Self::AuthoritativePutComponent { data, .. } => data,
            Self::DeleteComponent { .. } | Self::DeleteEntity { .. } => &[],
        }
    }

    /// A put of a plain entity's component, with authority; other messages stay as they are.
    pub(crate) fn with_authority(self) -> Self {
        match self {
            Self::PutComponent { network: None, entity, component, timestamp, data } => {
                Self::AuthoritativePutComponent { entity, component, timestamp, data }
            }
            other => other,
        }
    }

    /// Its length on the wire, in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        match *self {
            Self::PutComponent { network, data, .. } => {
                24 + 4 * usize::from(network.is_some()) + data.len()
            }
            Self::DeleteComponent { network, .. } => 20 + 4 * usize::from(network.is_some()),
            Self::DeleteEntity { network, .. } => 12 + 4 * usize::from(network.is_some()),
            Self::AppendValue { data, .. } | Self::AuthoritativePutComponent { data, .. } => {
                24 + data.len()
            }
        }
    }

    /// Never: every message has a header.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Writes it behind what `out` holds already.
    ///
    /// # Errors
    ///
    /// When it is longer than a length of 32 bits can say; nothing is written then.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<(), MessageTooLong> {
        let length = self.len();
        if u32::try_from(length).is_err() {
            return Err(MessageTooLong { length });
        }
        self.encode(out);
        Ok(())
    }
}

/// A message that is longer than its length field can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageTooLong {
    /// Its length in bytes.
    pub length: usize,
}

impl fmt::Display for MessageTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a message of {} bytes cannot be sent, its length has 32 bits: send less data",
            self.length
        )
    }
}

impl Error for MessageTooLong {}
