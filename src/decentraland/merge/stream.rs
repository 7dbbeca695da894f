//! Merging what comes in on a stream, and reporting on it.

use std::fmt;

use super::{Outcome, Replica};
use crate::decentraland::wire::{Fault, Reader, SceneEntity};

/// What became of some messages. Counts and corrections add up over the calls it is passed to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// Messages that are part of the state now.
    pub accepted: u64,
    /// Messages that were part of it already.
    pub duplicates: u64,
    /// Messages that lost; each is answered in `corrections`.
    pub outdated: u64,
    /// Messages for entities that are gone for good.
    pub dead: u64,
    /// Transforms of the root, the player or the camera.
    pub host_placed: u64,
    /// Messages about components that are not kept.
    pub dropped: u64,
    /// What was wrong: the first [`MAX_FAULTS`](Self::MAX_FAULTS).
    pub faults: Vec<MergeFault>,
    /// How many faults there were in all.
    pub fault_count: u64,
    /// Messages to send back to whoever sent what lost.
    pub corrections: Vec<u8>,
    /// Bytes at the end that are no whole message yet.
    pub pending: usize,
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
}

impl fmt::Display for MergeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wire(fault) => fault.fmt(f),
            Self::TransformLength { entity, length } => {
                write!(f, "a Transform of {length} bytes for {entity} was rejected: it has 44")
            }
        }
    }
}

impl MergeReport {
    /// How many faults are kept; the rest is counted, so that no stream can fill the memory with its faults.
    pub const MAX_FAULTS: usize = 1000;

    /// How many messages there were, faults not counted.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.accepted + self.duplicates + self.outdated + self.dead + self.host_placed + self.dropped
    }

    fn fault(&mut self, fault: MergeFault) {
        self.fault_count += 1;
        if self.faults.len() < Self::MAX_FAULTS {
            self.faults.push(fault);
        }
    }
}

impl Replica {
    /// Merges the messages that are complete with `bytes`, the next piece of the stream that `reader` follows.
    ///
    /// # Errors
    ///
    /// When the stream ends with a [fatal](Fault::is_fatal) fault (what came before it is merged), and when `bytes` are more
    /// than the reader's limit (nothing is merged).
    pub fn merge_stream(&mut self, reader: &mut Reader, bytes: &[u8], report: &mut MergeReport) -> Result<(), Fault> {
        for item in reader.read(bytes)? {
            let message = match item {
                Ok(message) => message,
                Err(fault) => {
                    report.fault(MergeFault::Wire(fault));
                    if fault.is_fatal() {
                        return Err(fault);
                    }
                    continue;
                }
            };
            match self.merge(&message) {
                Outcome::Accepted => report.accepted += 1,
                Outcome::Duplicate => report.duplicates += 1,
                Outcome::Outdated { winner } => {
                    report.outdated += 1;
                    winner.encode(&mut report.corrections);
                }
                Outcome::DeadEntity => report.dead += 1,
                Outcome::HostPlaced => report.host_placed += 1,
                Outcome::Dropped => report.dropped += 1,
                Outcome::WrongLength { length } => {
                    report.fault(MergeFault::TransformLength { entity: message.scene_entity(), length });
                }
            }
        }
        report.pending = reader.pending();
        Ok(())
    }

    /// Merges bytes that are a stream of their own, such as a file, a dump or a delta, of any size.
    ///
    /// # Errors
    ///
    /// When they end with a [fatal](Fault::is_fatal) fault; what came before it is merged.
    pub fn merge_bytes(&mut self, bytes: &[u8]) -> Result<MergeReport, Fault> {
        let mut report = MergeReport::default();
        self.merge_stream(&mut Reader::new(usize::MAX), bytes, &mut report)?;
        Ok(report)
    }
}
