//! Merging what comes in on a stream, and reporting on it.

use std::{error::Error, fmt};

use super::{
    corrections::{Corrected, Round},
    limits::LimitKind,
    outcome::Outcome,
    packets::PacketSize,
    replica::Replica,
};
use crate::decentraland::wire::{Fault, Message, Reader, SceneEntity};

/// What became of some messages. Counts and corrections add up over the calls it is passed to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// Messages that are part of the state now.
    pub accepted: u64,
    /// Messages that were part of it already.
    pub duplicates: u64,
    /// Messages that lost; they are answered in `corrections`.
    pub outdated: u64,
    /// Of those, how many were left without an answer, because `corrections` would have exceeded
    /// [`Limits::correction_bytes`](super::Limits::correction_bytes). Their sender learns from a
    /// dump or delta, or when it sends them again.
    pub uncorrected: u64,
    /// Messages for entities that are gone for good.
    pub dead: u64,
    /// Transforms of the root, the player or the camera.
    pub host_placed: u64,
    /// Deletions of entities with a reserved number.
    pub reserved: u64,
    /// Messages about components that are not kept.
    pub dropped: u64,
    /// What was wrong: the first [`MAX_FAULTS`](Self::MAX_FAULTS).
    pub faults: Vec<MergeFault>,
    /// How many faults there were in all.
    pub fault_count: u64,
    /// Messages to send back to the sender of what lost: for each key one, however many messages
    /// about it lost. Take or clear them once they are sent, and the next ones begin anew.
    pub corrections: Vec<u8>,
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
        /// Whose it was to be.
        entity: SceneEntity,
        /// How many it had.
        length: usize,
    },
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
            + self.dead
            + self.host_placed
            + self.reserved
            + self.dropped
    }

    fn fault(&mut self, fault: MergeFault) {
        self.fault_count += 1;
        if self.faults.len() < Self::MAX_FAULTS {
            self.faults.push(fault);
        }
    }

    /// Answers a message that lost, unless it was answered already, or there is no room for the
    /// answer.
    fn correct(&mut self, winner: &Message<'_>, is_corrected: bool, limit: usize) {
        self.outdated += 1;
        if is_corrected || self.corrected.has(winner) {
            return;
        }
        if self.corrections.len() + winner.len().max(PacketSize::LEAST.bytes()) > limit {
            self.uncorrected += 1;
            return;
        }
        self.corrected.insert(winner);
        winner.encode(&mut self.corrections);
    }
}

/// A stream that ended with a [fatal](Fault::is_fatal) fault, and what was merged before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenStream {
    /// What ended it.
    pub fault: Fault,
    /// What became of the messages before it, their corrections included.
    pub report: Box<MergeReport>,
}

impl fmt::Display for BrokenStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} messages before it were merged)", self.fault, self.report.messages())
    }
}

impl Error for BrokenStream {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.fault)
    }
}

impl Replica {
    /// Merges the messages that are complete with `bytes`, the next piece of the stream that
    /// `reader` follows.
    ///
    /// # Errors
    ///
    /// When the stream ends with a [fatal](Fault::is_fatal) fault (what came before it is merged,
    /// and in the report), and when `bytes` are more than the reader's limit (nothing is merged).
    pub fn merge_stream(
        &mut self,
        reader: &mut Reader,
        bytes: &[u8],
        report: &mut MergeReport,
    ) -> Result<(), Fault> {
        let mut ended = Ok(());
        let mut frames = reader.read(bytes)?;
        let round = self.begin_round(report);
        // By reference: to move a message is to read by 16 bytes what was just written by 4, which
        // the processor cannot forward.
        while let Some(item) = &frames.next() {
            match item {
                Ok(message) => self.merge_into(report, message, round),
                &Err(fault) => {
                    report.fault(MergeFault::Wire(fault));
                    // A fatal fault is the last item.
                    if fault.is_fatal() {
                        ended = Err(fault);
                    }
                }
            }
        }
        drop(frames);
        report.pending = reader.pending();
        ended
    }

    #[inline]
    fn merge_into(&mut self, report: &mut MergeReport, message: &Message<'_>, round: Round) {
        let limit = self.budget.limits.correction_bytes;
        let has_room = report.corrections.len() + PacketSize::LEAST.bytes() <= limit;
        let (outcome, is_corrected) = self.merge_in(message, round.with_room(has_room));
        match outcome {
            Outcome::Accepted => report.accepted += 1,
            Outcome::Duplicate => report.duplicates += 1,
            Outcome::Outdated { winner } => report.correct(&winner, is_corrected, limit),
            Outcome::DeadEntity => report.dead += 1,
            Outcome::HostPlaced => report.host_placed += 1,
            Outcome::Reserved => report.reserved += 1,
            Outcome::Dropped => report.dropped += 1,
            Outcome::WrongLength { length } => {
                report
                    .fault(MergeFault::TransformLength { entity: message.scene_entity(), length });
            }
            Outcome::OverLimit { limit } => {
                let component = message.key().map(|key| key.component);
                report.fault(MergeFault::OverLimit {
                    entity: message.scene_entity(),
                    component,
                    limit,
                });
            }
        }
    }

    /// Merges bytes that are a stream of their own, such as a file, a dump or a delta, of any size.
    ///
    /// # Errors
    ///
    /// When they end with a [fatal](Fault::is_fatal) fault; what came before it is merged, and in
    /// the error.
    pub fn merge_bytes(&mut self, bytes: &[u8]) -> Result<MergeReport, BrokenStream> {
        let mut report = MergeReport::default();
        match self.merge_stream(&mut Reader::new(usize::MAX), bytes, &mut report) {
            Ok(()) => Ok(report),
            Err(fault) => Err(BrokenStream { fault, report: Box::new(report) }),
        }
    }
}
