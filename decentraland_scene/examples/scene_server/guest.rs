//! The server's end of one connection.
//!
//! ```text
//!  socket -> 701 bytes or fewer -> FrameReader -> Replica::receive_packet   what the guest wrote
//!  socket <- outbox <- frame <- corrections + Replica::delta                what it does not know
//! ```
//!
//! Nothing here waits, and nothing grows with what a guest does or does not do. From one that sends
//! much, some is read in each tick. For one that reads slowly there is one frame in the outbox, and
//! what happens meanwhile is in the delta after that.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
};

use decentraland_scene::{
    merge::{Connection, MergeReport, Replica, Role},
    wire::{Reader, SceneEntity},
};

use crate::frames::{CALL, FrameReader, frame};

/// How many bytes the state may grow by one guest's messages. All shares together are within the
/// server's `Limits`: so no guest uses up what is there for the others.
pub const SHARE: isize = 16 << 10;
/// How many bytes of a guest are read in a tick.
const BYTES_PER_TICK: usize = 8 << 10;
/// The longest packet that is taken from a guest.
pub const LONGEST_PACKET: usize = 64 << 10;

/// Why a guest is no longer there.
#[derive(Clone, Debug, PartialEq)]
pub enum Gone {
    /// It has said all it had to say.
    Finished,
    Left,
    /// It was thrown out for this.
    Out(String),
}

impl Gone {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Finished => "stayed to the end",
            Self::Left => "left",
            Self::Out(_) => "thrown out",
        }
    }
}

/// What the table at the end says of a guest.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub number: u32,
    pub joined: u32,
    pub gone: Option<Gone>,
    pub bytes_in: usize,
    pub bytes_out: usize,
    pub resyncs: u32,
    pub report: MergeReport,
}

pub struct Guest {
    pub record: Record,
    pub avatar: SceneEntity,
    socket: TcpStream,
    frames: FrameReader,
    connection: Connection,
    /// What the socket has not taken yet.
    outbox: Vec<u8>,
    sent: u32,
    /// How many bytes the state has grown by its messages.
    grown: isize,
}

impl Guest {
    /// Greets it: its number, and its avatar.
    pub fn new(socket: TcpStream, number: u32, joined: u32, avatar: SceneEntity) -> Self {
        let welcome = [number.to_le_bytes(), avatar.entity.0.to_le_bytes()].concat();
        Self {
            record: Record { number, joined, ..Record::default() },
            avatar,
            socket,
            frames: FrameReader::new(LONGEST_PACKET),
            connection: Connection::with_reader(Role::Scene, Reader::new(LONGEST_PACKET)),
            outbox: welcome,
            sent: 0,
            grown: 0,
        }
    }

    /// Merges what the guest sent, as much of it as there is, up to a tick's share.
    pub fn receive(&mut self, replica: &mut Replica) {
        // A frame rarely ends where a piece does.
        let mut piece = [0; 701];
        let mut read = 0;
        while read < BYTES_PER_TICK && self.record.gone.is_none() {
            match self.socket.read(&mut piece) {
                Ok(0) => self.record.gone = Some(Gone::Left),
                Ok(count) => {
                    read += count;
                    self.merge(&piece[..count], replica);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.record.gone = Some(Gone::Left),
            }
        }
        self.record.bytes_in += read;
    }

    fn merge(&mut self, mut piece: &[u8], replica: &mut Replica) {
        let before = replica.usage().bytes;
        while let Some((number, packet)) = self.frames.next(&mut piece) {
            if number & CALL != 0 {
                self.record.resyncs += 1;
                self.connection.resync();
            }
            // What is wrong in a packet ends with it.
            replica.receive_packet(&mut self.connection, &packet, &mut self.record.report);
        }
        self.grown += replica.usage().bytes as isize - before as isize;
        if self.grown > SHARE && self.record.gone.is_none() {
            self.record.gone = Some(Gone::Out(format!("its share of {SHARE} bytes is used up")));
        }
    }

    /// Sends what the guest does not know, and this call, if the last frame is through. If not, it
    /// can wait: the next one will have the changes of both.
    pub fn send(&mut self, replica: &mut Replica, call: u32) {
        // At first the welcome is in it.
        if self.outbox.is_empty() || self.sent == 0 {
            self.write_frame(replica, call);
        }
        self.flush();
    }

    /// A frame with what the guest got wrong and what it does not know.
    fn write_frame(&mut self, replica: &mut Replica, call: u32) {
        let mut messages = std::mem::take(&mut self.record.report.corrections);
        messages.extend(replica.delta(&mut self.connection));
        self.sent += 1;
        self.outbox.extend(frame(self.sent | call, &messages));
    }

    /// The last frames: who left and came back since the last one is back in a frame of its own.
    pub fn write_last_frames(&mut self, replica: &mut Replica, call: u32) {
        self.write_frame(replica, call);
        while self.connection.has_more() {
            self.write_frame(replica, call);
        }
    }

    /// Hands the socket what it takes.
    fn flush(&mut self) {
        while !self.outbox.is_empty() {
            match self.socket.write(&self.outbox) {
                Ok(count) => {
                    self.record.bytes_out += count;
                    self.outbox.drain(..count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => {
                    self.record.gone = Some(Gone::Left);
                    break;
                }
            }
        }
    }

    /// Sends the rest, if the socket takes it, and then the end of the stream. Returns whether all
    /// was sent.
    pub fn finish(&mut self) -> bool {
        self.flush();
        self.outbox.is_empty() && self.socket.shutdown(Shutdown::Write).is_ok()
    }
}
