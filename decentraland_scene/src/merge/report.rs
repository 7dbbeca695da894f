//! The outcomes of messages, and the answers to messages that lost.

use std::fmt;

use super::{corrections::Corrected, limits::LimitKind, packets::PacketSize};
use crate::wire::{Fault, Message, SceneEntity};

/// The outcomes of some messages. Counts and corrections add up over several calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MergeReport {
    /// Messages that are part of the state now, as they came.
    pub accepted: u64,
    /// Messages that were part of it already.
    pub duplicates: u64,
    /// Messages that lost; they are answered in `corrections`.
    pub outdated: u64,
    /// The number of these, and of those refused, without an answer: it would have exceeded
    /// [`Limits::correction_bytes`](super::Limits::correction_bytes), or what the sender may cause.
    /// It learns from a dump or delta, or when it sends them again.
    pub uncorrected: u64,
    /// Messages that a [check](super::Check) refused or corrected; `authoritative` has the answers.
    pub refused: u64,
    /// Messages for entities that are gone for good.
    pub dead: u64,
    /// `Transform`s of reserved entities, and [host's
    /// components](super::ReplicaOptions::host_components) of players, that did not come from a
    /// host; `Transform`s of the root.
    pub host_placed: u64,
    /// Deletions of reserved entities that did not come from a host, or of the root.
    pub reserved: u64,
    /// Messages about components that are not kept, and appended values older than those kept.
    pub dropped: u64,
    /// The first [`MAX_FAULTS`](Self::MAX_FAULTS) faults.
    pub faults: Vec<MergeFault>,
    /// How many faults there were in all.
    pub fault_count: u64,
    /// Messages to send back to the sender of the messages that lost: one for each key, even if
    /// several messages about it lost. When you have sent them, take or clear them: the next ones
    /// begin anew.
    pub corrections: Vec<u8>,
    /// Messages to send back to the sender of messages that a [check](super::Check) did not accept,
    /// in a packet that it takes [whatever it has](super::Replica::receive_corrections), of the
    /// kind `CRDT_AUTHORITATIVE`. Take or clear them as the `corrections`.
    pub authoritative: Vec<u8>,
    /// Bytes at the end that are no whole message yet.
    pub pending: usize,
    pub(super) corrected: Corrected,
}

/// Something wrong with a message. It changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeFault {
    /// The bytes are no message.
    Wire(Fault),
    /// A `Transform` that has not 44 bytes.
    TransformLength {
        /// The entity it was for.
        entity: SceneEntity,
        /// Its length.
        length: usize,
    },
    /// A packet of corrections from one who is not the host. Nothing of it was read.
    NotAuthorized,
    /// One of the replica's [`Limits`](super::Limits) is reached.
    OverLimit {
        /// The entity that the message was about.
        entity: SceneEntity,
        /// Its component, if it was about one.
        component: Option<u32>,
        /// Which limit.
        limit: LimitKind,
    },
}

impl fmt::Display for MergeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wire(fault) => fault.fmt(f),
            Self::TransformLength { entity, length } => {
                write!(f, "a Transform of {length} bytes for {entity} was rejected: it has 44")
            }
            Self::NotAuthorized => f.write_str(
                "corrections were not read, since they are not the host's: receive them on its \
                 connection, which is Connection::new(Role::Host)",
            ),
            Self::OverLimit { entity, component, limit } => {
                match component {
                    Some(component) => write!(f, "component {component} of {entity}")?,
                    None => write!(f, "the deletion of {entity}")?,
                }
                write!(
                    f,
                    " was refused, the limit of {limit} is reached: raise Limits::{limit} if such \
                     scenes are wanted"
                )
            }
        }
    }
}

impl MergeReport {
    /// How many faults are kept; the rest is counted, so that no stream can fill the memory with
    /// its faults.
    pub const MAX_FAULTS: usize = 1000;

    /// How many messages there were, faults not counted.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.accepted
            + self.duplicates
            + self.outdated
            + self.refused
            + self.dead
            + self.host_placed
            + self.reserved
            + self.dropped
    }

    pub(super) fn fault(&mut self, fault: MergeFault) {
        self.fault_count += 1;
        if self.faults.len() < Self::MAX_FAULTS {
            self.faults.push(fault);
        }
    }

    /// Answers a message that lost, unless it was answered already, or there is no room for the
    /// answer.
    ///
    /// Returns the length of the answer.
    #[inline]
    pub(super) fn correct(
        &mut self,
        winner: &Message<'_>,
        is_corrected: bool,
        room: usize,
    ) -> usize {
        self.outdated += 1;
        if is_corrected || self.corrected.has(winner) {
            return 0;
        }
        if winner.len().max(PacketSize::LEAST.bytes()) > room {
            self.uncorrected += 1;
            return 0;
        }
        self.corrected.insert(winner);
        winner.encode(&mut self.corrections);
        winner.len()
    }
}
