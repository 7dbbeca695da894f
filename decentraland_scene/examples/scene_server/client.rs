//! A client: it plays a part, in a thread of its own.

use std::{
    collections::BTreeMap,
    io::{ErrorKind, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    time::Duration,
};

use decentraland_scene::{
    merge::{Connection, Limits, MergeReport, Role},
    wire::{EntityId, SceneEntity},
};

use crate::{
    Failure,
    frames::{CALL, HEADER, frame, header},
    lies::Lie,
    side::{Bits, CAROUSEL, Dice, HORSES, NAME, Side, numbers_of},
};

/// How long the server may be silent.
const PATIENCE: Duration = Duration::from_secs(20);
/// One who leaves does so after this many frames.
const VISIT: u32 = 20;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    Stays,
    Leaves,
    /// Throws away every fourth frame that it gets.
    Loses,
    Lies(Lie),
}

/// What a client knows at the end.
#[derive(Debug)]
pub struct Told {
    pub number: u32,
    pub part: Part,
    /// Frames that it got and read, and those that it threw away.
    pub frames: u32,
    pub lost: u32,
    /// The whole scene; `None` if it was not there at the end.
    pub scene: Option<(Vec<u8>, BTreeMap<SceneEntity, Bits>)>,
}

pub struct Client {
    told: Told,
    socket: TcpStream,
    side: Side,
    server: Connection,
    report: MergeReport,
    dice: Dice,
    avatar: SceneEntity,
    balloons: Vec<SceneEntity>,
    /// The number of the next frame, if none is lost.
    expected: u32,
    /// Whether a frame was lost, and the server does not know yet.
    has_gap: bool,
    sent: u32,
}

impl Client {
    /// Joins, and waits for the server's welcome.
    pub fn join(address: SocketAddr, part: Part, seed: u64) -> Result<Self, Failure> {
        let mut socket = TcpStream::connect(address)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        let mut welcome = [0; HEADER];
        socket.read_exact(&mut welcome)?;
        let (number, avatar) = header(welcome);
        Ok(Self {
            told: Told { number, part, frames: 0, lost: 0, scene: None },
            socket,
            side: Side::new(Role::Scene, numbers_of(number), Limits::default()),
            server: Connection::new(Role::Host),
            report: MergeReport::default(),
            dice: Dice(seed),
            avatar: SceneEntity::local(EntityId(avatar)),
            balloons: Vec::new(),
            expected: 1,
            has_gap: false,
            sent: 0,
        })
    }

    /// A step for each frame, until the server closes the stream or the client leaves.
    pub fn play(mut self) -> Result<Told, Failure> {
        let mut is_last_call = false;
        while let Some((number, messages)) = self.read_frame()? {
            self.take(number, &messages)?;
            if is_last_call {
                self.side.show();
                continue;
            }
            is_last_call = number & CALL != 0;
            self.edit()?;
            self.side.show();
            let goes_on = self.send();
            match self.told.part {
                Part::Leaves if self.told.frames == VISIT => return Ok(self.told),
                // A liar is thrown out in the middle of a sentence.
                Part::Lies(_) if goes_on.is_err() => return Ok(self.told),
                _ => goes_on?,
            }
            if is_last_call {
                self.socket.shutdown(Shutdown::Write)?;
            }
        }
        self.end(is_last_call)
    }

    /// The next frame; `None` at the end of the stream.
    fn read_frame(&mut self) -> Result<Option<(u32, Vec<u8>)>, Failure> {
        let mut head = [0; HEADER];
        match self.socket.read_exact(&mut head) {
            Ok(()) => {}
            Err(error) if ended(error.kind()) => return Ok(None),
            Err(error) => return Err(format!("no frame from the server: {error}").into()),
        }
        let (length, number) = header(head);
        let mut messages = vec![0; length as usize];
        match self.socket.read_exact(&mut messages) {
            Ok(()) => Ok(Some((number, messages))),
            Err(error) if ended(error.kind()) => Ok(None),
            Err(error) => Err(format!("half a frame from the server: {error}").into()),
        }
    }

    /// Merges a frame, or loses it. Sees by the number that others were lost before.
    fn take(&mut self, number: u32, messages: &[u8]) -> Result<(), Failure> {
        let may_lose = self.told.part == Part::Loses && number & CALL == 0;
        if may_lose && self.dice.roll(4) == 0 {
            self.told.lost += 1;
            return Ok(());
        }
        self.told.frames += 1;
        self.has_gap |= number & !CALL != self.expected;
        self.expected = (number & !CALL) + 1;
        self.side.replica.receive_packet(&mut self.server, messages, &mut self.report);
        Ok(())
    }

    /// What the player does: edits of components in the client's own world, mostly.
    fn edit(&mut self) -> Result<(), Failure> {
        let everybody = [CAROUSEL, HORSES[0], HORSES[1], self.avatar];
        match self.dice.roll(6) {
            0 => {
                // New things have to be written into the replica first.
                let balloon = self.side.replica.new_entity()?;
                self.side.put(balloon, [0.0, 2.0, 0.0], self.avatar)?;
                let name = format!("balloon of {}", self.told.number);
                self.side.replica.put(balloon.key(NAME), name.as_bytes())?;
                self.balloons.push(balloon);
            }
            // Several move the horses at once. The later one wins, everywhere.
            1 => self.side.move_to(HORSES[self.dice.roll(2) as usize], self.dice.position()),
            2 if self.balloons.len() > 3 => {
                self.side.replica.delete_entity(self.balloons.remove(0))?;
            }
            // Names a player who may be there, has left, or never comes.
            3 => {
                let player = SceneEntity::local(EntityId(3 + self.dice.roll(12)));
                let name = format!("a friend of {}", self.told.number);
                self.side.replica.put(player.key(NAME), name.as_bytes())?;
            }
            roll => {
                let Some(&balloon) = self.balloons.last() else { return Ok(()) };
                let other = everybody[self.dice.roll(4) as usize];
                match roll {
                    4 => self.side.hang(balloon, other)?,
                    _ => self.side.move_to(balloon, self.dice.position()),
                }
            }
        }
        Ok(())
    }

    /// Sends what the server got wrong and what it does not know, and perhaps a lie.
    fn send(&mut self) -> Result<(), Failure> {
        let mut messages = std::mem::take(&mut self.report.corrections);
        messages.extend(self.side.replica.delta(&mut self.server));
        let call = if std::mem::take(&mut self.has_gap) { CALL } else { 0 };
        self.sent += 1;
        self.socket.write_all(&frame(self.sent | call, &messages))?;
        if let Part::Lies(lie) = self.told.part
            && let Some(packet) = lie.packet(self.sent)?
        {
            self.socket.write_all(&frame(self.sent, &packet))?;
        }
        Ok(())
    }

    /// The server has closed the stream.
    fn end(mut self, was_called: bool) -> Result<Told, Failure> {
        if was_called {
            // The server sent nothing but messages, and knows all that this replica knows.
            assert_eq!(self.report.faults, []);
            assert!(self.side.replica.delta(&mut self.server).is_empty());
            self.told.scene = Some((self.side.replica.dump(), self.side.matrices()));
        } else if !matches!(self.told.part, Part::Lies(_)) {
            return Err(format!("the server threw out honest client {}", self.told.number).into());
        }
        Ok(self.told)
    }
}

/// Whether an error means that the server has closed the connection.
fn ended(kind: ErrorKind) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}
