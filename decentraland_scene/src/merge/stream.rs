//! Merging a stream of messages, piece by piece.

use std::{error::Error, fmt};

use super::{
    connection::{Authority, Connection},
    corrections::{Credit, Round},
    outcome::Outcome,
    packets::PacketSize,
    replica::Replica,
    report::{MergeFault, MergeReport},
    role::{Role, Sender},
};
use crate::wire::{AUTHORITATIVE_PUT_COMPONENT, Fault, FaultKind, Message, Reader};

/// A stream that ended with a [fatal](Fault::is_fatal) fault, and the messages merged before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenStream {
    /// The fatal fault.
    pub fault: Fault,
    /// The outcomes of the messages before it, with their corrections.
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
    /// Merges the messages that are complete with `bytes`, the next piece of what the other end of
    /// a connection sent. None of them goes back to it.
    ///
    /// # Errors
    ///
    /// When the stream ends with a [fatal](Fault::is_fatal) fault (what came before it is merged,
    /// and in the report), and when `bytes` are more than the reader's limit (nothing is merged).
    pub fn receive(
        &mut self,
        connection: &mut Connection,
        bytes: &[u8],
        report: &mut MergeReport,
    ) -> Result<(), Fault> {
        self.renew_clock();
        self.clock.set_source(connection.source);
        let is_obeyed = connection.authority() == Authority::Theirs;
        let from = Sender { role: connection.role(), is_obeyed };
        let credit = &mut connection.credit;
        credit.earn(bytes.len());
        let result = self.merge_stream(&mut connection.reader, bytes, from, credit, report);
        self.clock.set_source(0);
        result
    }

    fn merge_stream(
        &mut self,
        reader: &mut Reader,
        bytes: &[u8],
        from: Sender,
        credit: &mut Credit,
        report: &mut MergeReport,
    ) -> Result<(), Fault> {
        let mut ended = Ok(());
        let mut frames = reader.read(bytes)?;
        let round = self.begin_round(&report.corrections, &mut report.corrected);
        // By reference: moving a message would read 16 bytes at once that were just written 4 by 4,
        // which the processor cannot forward.
        while let Some(item) = &frames.next() {
            match item {
                Ok(message) => {
                    let end = || frames.offset();
                    self.merge_into(report, message, from, end, round, credit);
                }
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
        reader.release();
        report.pending = reader.pending();
        ended
    }

    /// Merges a message; `end` is where it ends in the stream.
    #[inline]
    fn merge_into(
        &mut self,
        report: &mut MergeReport,
        message: &Message<'_>,
        from: Sender,
        end: impl Fn() -> u64,
        round: Round,
        credit: &mut Credit,
    ) {
        let limit = self.budget.limits.correction_bytes;
        let room = limit.saturating_sub(report.corrections.len()).min(credit.0);
        let has_room = PacketSize::LEAST.bytes() <= room;
        let (outcome, is_corrected) = self.merge_in(message, from, round.with_room(has_room));
        match outcome {
            Outcome::Accepted => report.accepted += 1,
            Outcome::Duplicate => report.duplicates += 1,
            Outcome::Outdated { winner } => {
                credit.spend(report.correct(&winner, is_corrected, room));
            }
            Outcome::DeadEntity => report.dead += 1,
            Outcome::HostPlaced => report.host_placed += 1,
            Outcome::Reserved => report.reserved += 1,
            Outcome::Dropped => report.dropped += 1,
            Outcome::NotAuthorized => {
                let length = message.len() as u32;
                let kind = FaultKind::UnknownType { kind: AUTHORITATIVE_PUT_COMPONENT, length };
                report.fault(MergeFault::Wire(Fault { offset: end() - u64::from(length), kind }));
            }
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

    /// Merges bytes that are a stream of their own, such as a file, a dump or a packet, of any
    /// size, from a program with this role. Read a dump of your own as from a [host](Role::Host).
    ///
    /// # Errors
    ///
    /// When they end with a [fatal](Fault::is_fatal) fault; what came before it is merged, and in
    /// the error.
    pub fn merge_bytes(&mut self, bytes: &[u8], from: Role) -> Result<MergeReport, BrokenStream> {
        let mut report = MergeReport::default();
        let (mut reader, mut credit) = (Reader::new(usize::MAX), Credit::default());
        credit.earn(bytes.len());
        match self.merge_stream(&mut reader, bytes, from.into(), &mut credit, &mut report) {
            Ok(()) => Ok(report),
            Err(fault) => Err(BrokenStream { fault, report: Box::new(report) }),
        }
    }
}
