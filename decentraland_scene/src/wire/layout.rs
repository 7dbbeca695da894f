//! The layout of messages: how each is written and read.

use super::{EntityId, Message};

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

impl<'a> Message<'a> {
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

    /// Reads the body of a frame, all that follows the header, as long as [`Frame`] says. `None` if
    /// the type is unknown.
    ///
    /// Inlined: a message that is moved is written word by word and read by several words at once.
    /// For that the processor waits until all earlier stores are done: half of the time of a merge.
    #[inline(always)]
    pub(super) fn parse(kind: u32, body: &'a [u8]) -> Option<Self> {
        Some(match kind {
            PUT_COMPONENT | APPEND_VALUE | AUTHORITATIVE_PUT_COMPONENT => {
                let ([entity, component, timestamp, _], data) = words(body)?;
                let entity = EntityId(entity);
                match kind {
                    PUT_COMPONENT => {
                        Self::PutComponent { network: None, entity, component, timestamp, data }
                    }
                    APPEND_VALUE => Self::AppendValue { entity, component, timestamp, data },
                    _ => Self::AuthoritativePutComponent { entity, component, timestamp, data },
                }
            }
            PUT_COMPONENT_NETWORK => {
                let ([entity, component, timestamp, network, _], data) = words(body)?;
                let (network, entity) = (Some(network), EntityId(entity));
                Self::PutComponent { network, entity, component, timestamp, data }
            }
            DELETE_COMPONENT => {
                let ([entity, component, timestamp], _) = words(body)?;
                let entity = EntityId(entity);
                Self::DeleteComponent { network: None, entity, component, timestamp }
            }
            DELETE_COMPONENT_NETWORK => {
                let ([entity, component, timestamp, network], _) = words(body)?;
                let (network, entity) = (Some(network), EntityId(entity));
                Self::DeleteComponent { network, entity, component, timestamp }
            }
            DELETE_ENTITY => {
                let ([entity], _) = words(body)?;
                Self::DeleteEntity { network: None, entity: EntityId(entity) }
            }
            DELETE_ENTITY_NETWORK => {
                let ([entity, network], _) = words(body)?;
                Self::DeleteEntity { network: Some(network), entity: EntityId(entity) }
            }
            _ => return None,
        })
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

/// How long a frame is.
pub(super) enum Frame {
    /// So many bytes of it are needed to tell.
    Needs(usize),
    /// Of a known type, by its fields.
    Known(u64),
    /// Of an unknown type, by its header.
    Unknown(u32),
}

impl Frame {
    /// The length of the frame with this header and these bytes. Known types are as long as their
    /// fields say, whatever the header says:
    ///
    /// ```text
    ///  1c000000 02000000 00020000 01000000 02000000     says 28, and has its fields: 20 bytes
    ///  40000000 01000000 ... 2c000000 and 44 bytes      says 64, and has 24 + 44 = 68
    /// ```
    #[inline]
    pub fn of(kind: u32, said: u32, bytes: &[u8]) -> Self {
        let (numbers, has_data) = match kind {
            PUT_COMPONENT | APPEND_VALUE | AUTHORITATIVE_PUT_COMPONENT => (4, true),
            PUT_COMPONENT_NETWORK => (5, true),
            DELETE_COMPONENT => (3, false),
            DELETE_COMPONENT_NETWORK => (4, false),
            DELETE_ENTITY => (1, false),
            DELETE_ENTITY_NETWORK => (2, false),
            _ => return Self::Unknown(said),
        };
        let fields = HEADER + 4 * numbers;
        if !has_data {
            return Self::Known(fields as u64);
        }
        match bytes.get(fields - 4..fields).and_then(|last| last.try_into().ok()) {
            Some(last) => Self::Known(fields as u64 + u64::from(u32::from_le_bytes(last))),
            None => Self::Needs(fields),
        }
    }
}

/// Whether a header may say this of a frame that is so long. SDKs from December 2023 to 7.27 say 12
/// of the deletion of an entity of a network, which has 16 bytes.
#[inline]
pub(super) fn may_say(kind: u32, said: u32, length: usize) -> bool {
    said as usize == length || kind == DELETE_ENTITY_NETWORK && said == 12
}

/// The first `N` numbers of a body, and what follows them.
#[inline(always)]
fn words<const N: usize>(body: &[u8]) -> Option<([u32; N], &[u8])> {
    let (words, _) = body.as_chunks::<4>().0.split_first_chunk::<N>()?;
    Some((words.map(u32::from_le_bytes), &body[4 * N..]))
}
