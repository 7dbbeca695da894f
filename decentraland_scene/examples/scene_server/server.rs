//! The server: the host of the scene.

use std::{
    net::{SocketAddr, TcpListener},
    thread,
    time::{Duration, Instant},
};

use decentraland_scene::{
    merge::{Limits, NumberRange, Role},
    wire::SceneEntity,
};

use crate::{
    Failure,
    frames::CALL,
    guest::{Gone, Guest, Record, SHARE},
    side::{CAROUSEL, HORSES, Side, numbers_of},
};

/// How many may ever join, so that numbers and shares suffice.
pub const MOST_GUESTS: u32 = 100;
/// How long the guests may take to finish.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Server {
    pub side: Side,
    listener: TcpListener,
    guests: Vec<Guest>,
    /// Who was there, and is not any more.
    gone: Vec<Record>,
    tick: u32,
}

/// Far above what honest guests need, and the same at every time: what is refused here differs
/// from what the guest believes.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.bytes = MOST_GUESTS as usize * 2 * SHARE as usize;
    limits.entities = limits.bytes / 68;
    limits.tombstones = limits.bytes / 12;
    limits.networks = 10;
    limits.bytes_per_key = 1000;
    limits.correction_bytes = 64 << 10;
    limits
}

impl Server {
    /// A scene, and a free port that only this machine can reach.
    pub fn new() -> Result<Self, Failure> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        // The host's own numbers are those of avatars.
        let mut side = Side::new(Role::Host, NumberRange::new(3, 511), limits());
        side.put(CAROUSEL, [8.0, 0.0, 8.0], SceneEntity::ROOT)?;
        side.put(HORSES[0], [2.0, 1.0, 0.0], CAROUSEL)?;
        side.put(HORSES[1], [-2.0, 1.0, 0.0], CAROUSEL)?;
        side.show();
        Ok(Self { side, listener, guests: Vec::new(), gone: Vec::new(), tick: 0 })
    }

    pub fn address(&self) -> Result<SocketAddr, Failure> {
        Ok(self.listener.local_addr()?)
    }

    /// One tick: the five steps of the drawing in `main.rs`.
    pub fn tick(&mut self) -> Result<(), Failure> {
        self.tick += 1;
        self.accept()?;
        self.receive()?;
        self.move_things()?;
        self.side.show();
        self.guests.iter_mut().for_each(|guest| guest.send(&mut self.side.replica, 0));
        Ok(())
    }

    /// Gives everybody who knocks a number and an avatar.
    fn accept(&mut self) -> Result<(), Failure> {
        loop {
            // None waits, or one gave up waiting.
            let Ok((socket, _)) = self.listener.accept() else { return Ok(()) };
            let number = (self.guests.len() + self.gone.len()) as u32;
            // The number of one who left, with the next version, if all others are in use.
            if number < MOST_GUESTS
                && let Ok(avatar) = self.side.replica.new_entity()
            {
                socket.set_nonblocking(true)?;
                socket.set_nodelay(true)?;
                self.guests.push(Guest::new(socket, number, self.tick, avatar));
            }
        }
    }

    /// How many guests are gone, and how often one of them requested the whole state again.
    pub fn gone_and_resyncs(&self) -> (usize, u32) {
        let guests = self.guests.iter().map(|guest| guest.record.resyncs);
        let gone = self.gone.iter().map(|record| record.resyncs);
        (self.gone.len(), guests.chain(gone).sum())
    }

    /// Takes what has come, and says good-bye to those who are no longer there.
    fn receive(&mut self) -> Result<(), Failure> {
        for guest in &mut self.guests {
            guest.receive(&mut self.side.replica);
        }
        for guest in self.guests.extract_if(.., |guest| guest.record.gone.is_some()) {
            clear_away(&mut self.side, &guest)?;
            self.gone.push(guest.record);
        }
        Ok(())
    }

    /// The host's own part: it moves the avatars in the replica, and the carousel in its world.
    fn move_things(&mut self) -> Result<(), Failure> {
        for (place, guest) in self.guests.iter().enumerate() {
            let position = [place as f32, 0.0, self.tick as f32 / 10.0];
            self.side.put(guest.avatar, position, SceneEntity::ROOT)?;
        }
        self.side.move_to(CAROUSEL, [8.0, self.tick as f32 / 100.0, 8.0]);
        Ok(())
    }

    /// Asks all guests to stop, waits until each has sent its last edit, and sends the last changes
    /// to all. Returns who was there, by their numbers.
    pub fn finish(mut self) -> Result<(Side, Vec<Record>), Failure> {
        let deadline = Instant::now() + PATIENCE;
        let mut finished: Vec<Guest> = Vec::new();
        while !self.guests.is_empty() {
            wait(deadline, "a guest's last edit")?;
            for guest in &mut self.guests {
                guest.send(&mut self.side.replica, CALL);
                guest.receive(&mut self.side.replica);
            }
            finished.extend(self.guests.extract_if(.., |guest| guest.record.gone.is_some()));
        }
        self.side.show();
        for guest in &mut finished {
            if guest.record.gone.replace(Gone::Finished) != Some(Gone::Left) {
                return Err(
                    format!("guest {} was thrown out at the end", guest.record.number).into()
                );
            }
            guest.write_last_frames(&mut self.side.replica, CALL);
        }
        let mut unsent: Vec<&mut Guest> = finished.iter_mut().collect();
        while !unsent.is_empty() {
            wait(deadline, "a guest that reads")?;
            unsent.retain_mut(|guest| !guest.finish());
        }
        self.gone.extend(finished.into_iter().map(|guest| guest.record));
        self.gone.sort_by_key(|record| record.number);
        Ok((self.side, self.gone))
    }
}

/// Deletes the avatar of a guest that is gone, and all that has one of its numbers. What else it
/// wrote stays: any client of a scene may write any of its entities.
fn clear_away(side: &mut Side, guest: &Guest) -> Result<(), Failure> {
    let numbers = numbers_of(guest.record.number);
    let is_its = |entity: &SceneEntity| {
        entity.network.is_none() && (numbers.first..=numbers.last).contains(&entity.entity.number())
    };
    let its: Vec<SceneEntity> =
        side.replica.transforms().map(|(entity, _)| entity).filter(is_its).collect();
    for entity in its.into_iter().chain([guest.avatar]) {
        if side.replica.is_alive(entity) {
            side.replica.delete_entity(entity)?;
        }
    }
    Ok(())
}

/// Lets the others' threads run for a moment; an error after the deadline.
fn wait(deadline: Instant, what: &str) -> Result<(), Failure> {
    if Instant::now() > deadline {
        return Err(format!("waited {PATIENCE:?} for {what}").into());
    }
    thread::sleep(Duration::from_millis(1));
    Ok(())
}
