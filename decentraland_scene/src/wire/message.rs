//! The messages, and the layout of each.

use std::{error::Error, fmt};

use super::{EntityId, FaultKind, Key, SceneEntity};

const PUT_COMPONENT: u32 = 1;
const DELETE_COMPONENT: u32 = 2;
const DELETE_ENTITY: u32 = 3;
const APPEND_VALUE: u32 = 4;
const PUT_COMPONENT_NETWORK: u32 = 5;
const DELETE_COMPONENT_NETWORK: u32 = 6;
const DELETE_ENTITY_NETWORK: u32 = 7;
pub(crate) const AUTHORITATIVE_PUT_COMPONENT: u32 = 8;

/// Length and type, which every frame begins with.
pub(super) const HEADER: usize = 8;

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
    /// `DELETE_ENTITY` and `DELETE_ENTITY_NETWORK`: the entity is gone for good, and all with its
    /// number and a lower version.
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
    /// `AUTHORITATIVE_PUT_COMPONENT`, of a host only: the component has this value and timestamp,
    /// whatever they were.
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

    /// Writes a message that is known to fit.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let (length, bytes) = (self.len() as u32, self.data().len() as u32);
        out.reserve(length as usize);
        let mut words = Words(out);
        match *self {
            Self::PutComponent { network: None, entity, component, timestamp, data } => {
                words.value([length, PUT_COMPONENT, entity.0, component, timestamp, bytes], data);
            }
            Self::PutComponent { network: Some(network), entity, component, timestamp, data } => {
                let kind = PUT_COMPONENT_NETWORK;
                words.value([length, kind, entity.0, component, timestamp, network, bytes], data);
            }
            Self::DeleteComponent { network: None, entity, component, timestamp } => {
                words.write([length, DELETE_COMPONENT, entity.0, component, timestamp]);
            }
            Self::DeleteComponent { network: Some(network), entity, component, timestamp } => {
                words.write([
                    length,
                    DELETE_COMPONENT_NETWORK,
                    entity.0,
                    component,
                    timestamp,
                    network,
                ]);
            }
            Self::DeleteEntity { network: None, entity } => {
                words.write([length, DELETE_ENTITY, entity.0])
            }
            Self::DeleteEntity { network: Some(network), entity } => {
                words.write([length, DELETE_ENTITY_NETWORK, entity.0, network]);
            }
            Self::AppendValue { entity, component, timestamp, data } => {
                words.value([length, APPEND_VALUE, entity.0, component, timestamp, bytes], data);
            }
            Self::AuthoritativePutComponent { entity, component, timestamp, data } => {
                let kind = AUTHORITATIVE_PUT_COMPONENT;
                words.value([length, kind, entity.0, component, timestamp, bytes], data);
            }
        }
    }

    /// Reads the body of a frame, all that follows the header.
    ///
    /// Inlined: a message that is moved is written word by word and read by several words at once.
    /// For that the processor waits until all earlier stores are done: half of the time of a merge.
    #[inline(always)]
    pub(super) fn parse(kind: u32, body: &'a [u8]) -> Result<Self, FaultKind> {
        match kind {
            PUT_COMPONENT | APPEND_VALUE | AUTHORITATIVE_PUT_COMPONENT => {
                let ([entity, component, timestamp, len], data) = words(kind, body)?;
                exact(kind, body, 16 + u64::from(len))?;
                let entity = EntityId(entity);
                Ok(match kind {
                    PUT_COMPONENT => {
                        Self::PutComponent { network: None, entity, component, timestamp, data }
                    }
                    APPEND_VALUE => Self::AppendValue { entity, component, timestamp, data },
                    _ => Self::AuthoritativePutComponent { entity, component, timestamp, data },
                })
            }
            PUT_COMPONENT_NETWORK => {
                let ([entity, component, timestamp, network, len], data) = words(kind, body)?;
                exact(kind, body, 20 + u64::from(len))?;
                let (network, entity) = (Some(network), EntityId(entity));
                Ok(Self::PutComponent { network, entity, component, timestamp, data })
            }
            DELETE_COMPONENT => {
                let ([entity, component, timestamp], _) = words(kind, body)?;
                exact(kind, body, 12)?;
                Ok(Self::DeleteComponent {
                    network: None,
                    entity: EntityId(entity),
                    component,
                    timestamp,
                })
            }
            DELETE_COMPONENT_NETWORK => {
                let ([entity, component, timestamp, network], _) = words(kind, body)?;
                exact(kind, body, 16)?;
                Ok(Self::DeleteComponent {
                    network: Some(network),
                    entity: EntityId(entity),
                    component,
                    timestamp,
                })
            }
            DELETE_ENTITY => {
                let ([entity], _) = words(kind, body)?;
                exact(kind, body, 4)?;
                Ok(Self::DeleteEntity { network: None, entity: EntityId(entity) })
            }
            DELETE_ENTITY_NETWORK => {
                let ([entity, network], _) = words(kind, body)?;
                exact(kind, body, 8)?;
                Ok(Self::DeleteEntity { network: Some(network), entity: EntityId(entity) })
            }
            _ => Err(FaultKind::UnknownType { kind, length: length(body) }),
        }
    }
}

/// Numbers that go out together.
struct Words<'a>(&'a mut Vec<u8>);

impl Words<'_> {
    fn write<const N: usize>(&mut self, words: [u32; N]) {
        self.value(words, &[]);
    }

    /// Numbers, and data behind them.
    ///
    /// Each number is written where it stays: together, they would be written one by one and read
    /// by several at once, for which the processor waits.
    #[inline(always)]
    fn value<const N: usize>(&mut self, head: [u32; N], data: &[u8]) {
        let start = self.0.len();
        self.0.resize(start + 4 * N + data.len(), 0);
        let (words, rest) = self.0[start..].split_at_mut(4 * N);
        for (place, word) in words.as_chunks_mut().0.iter_mut().zip(head) {
            *place = word.to_le_bytes();
        }
        rest.copy_from_slice(data);
    }
}

/// The first `N` numbers of a body, and what follows them.
fn words<const N: usize>(kind: u32, body: &[u8]) -> Result<([u32; N], &[u8]), FaultKind> {
    let (words, rest) = body.as_chunks::<4>();
    let Some((words, _)) = words.split_first_chunk::<N>() else {
        return Err(FaultKind::LengthMismatch {
            kind,
            length: length(body),
            expected: (HEADER + 4 * N) as u64,
        });
    };
    let data = body.get(4 * N..).unwrap_or(rest);
    Ok((words.map(u32::from_le_bytes), data))
}

/// Whether the body is as long as its fields say.
fn exact(kind: u32, body: &[u8], expected: u64) -> Result<(), FaultKind> {
    if body.len() as u64 == expected {
        return Ok(());
    }
    Err(FaultKind::LengthMismatch {
        kind,
        length: length(body),
        expected: expected + HEADER as u64,
    })
}

/// The length of the frame around `body`; frames are measured by 32 bits, so it fits.
fn length(body: &[u8]) -> u32 {
    (body.len() + HEADER) as u32
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
