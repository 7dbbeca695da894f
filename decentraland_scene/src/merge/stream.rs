//! Merging a stream of messages, piece by piece.

use std::{error::Error, fmt};

use super::{
    checks::Check,
    connection::Connection,
    corrections::{Credit, Round},
    outcome::Outcome,
    packets::PacketSize,
    replica::Replica,
    report::{MergeFault, MergeReport},
    role::{Role, Sender},
};
use crate::wire::{AUTHORITATIVE_PUT_COMPONENT, Fault, FaultKind, Frames, Message, Reader};

/// A stream that ended with a [fatal](Fault::is_fatal) fault, and the messages merged before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Merges the messages that are complete with `bytes`, the next piece of a stream from the
    /// other end of a connection. None of them goes back to it. A transport that keeps the borders
    /// of packets has [`receive_packet`](Self::receive_packet).
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
        self.receive_checked(connection, bytes, report, |_, _| Check::Accept)
    }

    /// [`receive`](Self::receive) of a server that [checks](Self::receive_packet_checked) messages
    /// before it merges them.
    ///
    /// # Errors
    ///
    /// As [`receive`](Self::receive).
    pub fn receive_checked(
        &mut self,
        connection: &mut Connection,
        bytes: &[u8],
        report: &mut MergeReport,
        check: impl FnMut(&Message<'_>, &Self) -> Check,
    ) -> Result<(), Fault> {
        self.receive_as(connection, (bytes, false), connection.sender(), report, check)
    }

    /// Merges a packet from the other end of a connection, of a transport that keeps the borders of
    /// packets, such as websockets. None of its messages goes back to it.
    ///
    /// Nothing fails: faults are in the report. A fault costs nothing of the next packet, which
    /// begins anew. An incomplete message at the end of a packet is dropped.
    ///
    /// ```
    /// use decentraland_scene::{merge::*, wire::*};
    ///
    /// let (mut replica, mut from) = (Replica::default(), Connection::new(Role::Scene));
    /// let mut report = MergeReport::default();
    /// // A frame of 4 bytes cannot be; its header has 8.
    /// replica.receive_packet(&mut from, &[4, 0, 0, 0, 1, 0, 0, 0], &mut report);
    /// // Half a message, and the next packet.
    /// replica.receive_packet(&mut from, &[12, 0, 0, 0, 3, 0, 0, 0], &mut report);
    /// replica.receive_packet(&mut from, &[12, 0, 0, 0, 3, 0, 0, 0, 0, 2, 0, 0], &mut report);
    /// assert_eq!((report.fault_count, report.accepted), (2, 1));
    /// ```
    pub fn receive_packet(
        &mut self,
        connection: &mut Connection,
        packet: &[u8],
        report: &mut MergeReport,
    ) {
        self.receive_packet_checked(connection, packet, report, |_, _| Check::Accept);
    }

    /// [`receive_packet`](Self::receive_packet) of a server that checks messages before it merges
    /// them. `check` gets each message, of whatever type, and the replica before it.
    ///
    /// What it does not accept is answered in [`MergeReport::authoritative`].
    ///
    /// ```
    /// use decentraland_scene::{merge::*, wire::*};
    ///
    /// // No entity below the ground.
    /// let check = |message: &Message<'_>, _: &Replica| match message {
    ///     Message::PutComponent { component: TRANSFORM, data, .. } => match (*data).try_into() {
    ///         Ok(bytes) => {
    ///             let mut transform = SceneTransform::from_bytes(bytes);
    ///             if transform.position[1] >= 0.0 {
    ///                 return Check::Accept;
    ///             }
    ///             transform.position[1] = 0.0;
    ///             Check::Correct(transform.to_bytes().to_vec())
    ///         }
    ///         Err(_) => Check::Refuse,
    ///     },
    ///     _ => Check::Accept,
    /// };
    ///
    /// let (mut server, mut client) = (Replica::default(), Replica::default());
    /// let mut to_client = Connection::new(Role::Scene);
    /// let mut to_server = Connection::new(Role::Host);
    /// let door = SceneEntity::local(EntityId(512));
    /// let below = SceneTransform { position: [8.0, -1.0, 8.0], ..SceneTransform::IDENTITY };
    /// client.put_transform(door, &below)?;
    ///
    /// let (packet, mut report) = (client.delta(&mut to_server), MergeReport::default());
    /// server.receive_packet_checked(&mut to_client, &packet, &mut report, check);
    /// assert_eq!(report.refused, 1);
    /// // In a packet of the kind CRDT_AUTHORITATIVE:
    /// let answer = report.authoritative;
    /// client.receive_corrections(&mut to_server, &answer, &mut MergeReport::default());
    /// assert_eq!(client.dump(), server.dump());
    /// # Ok::<(), WriteError>(())
    /// ```
    pub fn receive_packet_checked(
        &mut self,
        connection: &mut Connection,
        packet: &[u8],
        report: &mut MergeReport,
        check: impl FnMut(&Message<'_>, &Self) -> Check,
    ) {
        let sender = connection.sender();
        // Its faults are in the report.
        _ = self.receive_as(connection, (packet, true), sender, report, check);
    }

    /// Merges a packet that came from the host as one of the kind `CRDT_AUTHORITATIVE`: its puts
    /// and deletions of components (types 1, 2, 5 and 6) are taken whatever the timestamps are. Its
    /// other messages are merged like those of any packet. A connection that is not to a
    /// [host](super::Role::Host) has no corrections: nothing is merged.
    ///
    /// See [`put_with_authority`](Self::put_with_authority). A renderer that
    /// [obeys](super::Authority) has the same then.
    pub fn receive_corrections(
        &mut self,
        connection: &mut Connection,
        packet: &[u8],
        report: &mut MergeReport,
    ) {
        if connection.role() != Role::Host {
            report.fault(MergeFault::NotAuthorized);
            return;
        }
        let sender = Sender { has_authority: true, ..connection.sender() };
        _ = self.receive_as(connection, (packet, true), sender, report, |_, _| Check::Accept);
    }

    fn receive_as(
        &mut self,
        connection: &mut Connection,
        (bytes, is_packet): (&[u8], bool),
        from: Sender,
        report: &mut MergeReport,
        check: impl FnMut(&Message<'_>, &Self) -> Check,
    ) -> Result<(), Fault> {
        self.renew_clock();
        self.clock.set_source(connection.source);
        let Connection { reader, credit, .. } = connection;
        credit.earn(bytes.len());
        let result = if is_packet { reader.read_packet(bytes) } else { reader.read(bytes) }
            .inspect_err(|&fault| {
                // Of a packet the caller hears by the report alone.
                if is_packet {
                    report.fault(MergeFault::Wire(fault));
                }
            })
            .and_then(|frames| self.merge_frames(frames, from, credit, report, check));
        reader.release();
        report.pending = reader.pending();
        self.clock.set_source(0);
        result
    }

    #[inline]
    fn merge_frames(
        &mut self,
        mut frames: Frames<'_>,
        from: Sender,
        credit: &mut Credit,
        report: &mut MergeReport,
        mut check: impl FnMut(&Message<'_>, &Self) -> Check,
    ) -> Result<(), Fault> {
        let mut ended = Ok(());
        let round = self.begin_round(&report.corrections, &mut report.corrected);
        // By reference: moving a message would read 16 bytes at once that were just written 4 by 4,
        // which the processor cannot forward.
        while let Some(item) = &frames.next() {
            match item {
                Ok(message) => match check(message, self) {
                    Check::Accept => {
                        let end = || frames.offset();
                        self.merge_into(report, message, from, end, round, credit);
                    }
                    other => self.amend(message, other, from, report, credit),
                },
                &Err(fault) => {
                    report.fault(MergeFault::Wire(fault));
                    // A fatal fault is the last item.
                    if fault.is_fatal() {
                        ended = Err(fault);
                    }
                }
            }
        }
        ended
    }

    /// Merges a message; `end` is where it ends in the stream.
    #[inline]
    pub(super) fn merge_into(
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
        let accept = |_: &Message<'_>, _: &Self| Check::Accept;
        let frames = reader.read(bytes);
        let merged = frames.and_then(|frames| {
            self.merge_frames(frames, from.into(), &mut credit, &mut report, accept)
        });
        report.pending = reader.pending();
        match merged {
            Ok(()) => Ok(report),
            Err(fault) => Err(BrokenStream { fault, report: Box::new(report) }),
        }
    }
}
