//! The layout of messages: how each is written and read.

use super::{EntityId, FaultKind, Message};

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

/// The longest beginning of a frame that tells whether its lengths agree.
pub(super) const LONGEST_HEAD: usize = 28;

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

/// The mistake in a frame of this length, if the part of its body that is here shows one already.
pub(super) fn early_fault(kind: u32, frame: usize, body: &[u8]) -> Option<FaultKind> {
    let (numbers, has_data) = match kind {
        PUT_COMPONENT | APPEND_VALUE | AUTHORITATIVE_PUT_COMPONENT => (4, true),
        PUT_COMPONENT_NETWORK => (5, true),
        DELETE_COMPONENT => (3, false),
        DELETE_COMPONENT_NETWORK => (4, false),
        DELETE_ENTITY => (1, false),
        DELETE_ENTITY_NETWORK => (2, false),
        _ => return Some(FaultKind::UnknownType { kind, length: frame as u32 }),
    };
    let least = HEADER + 4 * numbers;
    let data = if has_data && frame >= least {
        let (_, last) = body.get(..4 * numbers)?.split_last_chunk()?;
        u32::from_le_bytes(*last)
    } else {
        0
    };
    let expected = least as u64 + u64::from(data);
    let mismatch = FaultKind::LengthMismatch { kind, length: frame as u32, expected };
    (frame as u64 != expected).then_some(mismatch)
}

/// The length of a frame whose header says this one. SDKs from December 2023 to 7.27 write 12 for
/// the deletion of an entity of a network, and then 16 bytes.
#[inline]
pub(super) fn frame_length(kind: u32, length: u32) -> usize {
    const OF_OLD_SDKS: u32 = 12;
    let is_theirs = kind == DELETE_ENTITY_NETWORK && length == OF_OLD_SDKS;
    if is_theirs { HEADER + 8 } else { length as usize }
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
