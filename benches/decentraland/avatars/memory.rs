//! Players come and go, all day long: the memory of the server must not grow with them.
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    collections::VecDeque,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::Instant,
};

use decentraland_scene::{
    merge::{ChangeCursor, Connection, Replica, ReplicaOptions, Role},
    wire::SceneEntity,
};

use crate::{
    clock::{head, row},
    host::{host, put, to_scenes},
};

/// Players that are there at the same time.
const PRESENT: usize = 400;
const CONNECTIONS: usize = 100;
/// A connection reads each time that so many players have come, one after the other.
const READ_EVERY: usize = 10;
/// A component that some players have.
const NAME: u32 = 1200;

/// The system's allocator, counting.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is the system allocator's, with the same arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A server, and a client that follows it.
struct Churn {
    host: Replica,
    client: Replica,
    to_host: Connection,
    /// The first one is the client's.
    connections: Vec<Connection>,
    /// A connection that has read once, and a world that was shown once: they hold nothing back.
    _idle: (Connection, ChangeCursor),
    present: VecDeque<SceneEntity>,
    joined: usize,
}

/// How much is allocated after some numbers of players.
pub fn print(players: usize) {
    let (empty, begin) = (ALLOCATED.load(Relaxed), Instant::now());
    let (mut churn, mut allocated) = (Churn::new(), Vec::new());
    head(
        &format!("{PRESENT} players at once, {CONNECTIONS} connections, and one that is idle"),
        "players | allocated, kB | dump, kB | us a player",
    );
    for joined in [1000, 10_000, 100_000, 1_000_000].into_iter().filter(|it| *it <= players) {
        while churn.joined < joined {
            churn.player();
        }
        let now = ALLOCATED.load(Relaxed) - empty;
        let [kilobytes, dump] = [now, churn.host.dump().len()].map(|bytes| bytes as f64 / 1e3);
        let each = begin.elapsed().as_secs_f64() * 1e6 / joined as f64;
        row(joined, [kilobytes, dump, each]);
        allocated.push(now);
    }
    churn.check();
    let is_steady = allocated.iter().all(|now| *now < 2 * allocated[0]);
    assert!(is_steady, "memory grows with the players: {allocated:?}");
}

impl Churn {
    fn new() -> Self {
        let mut options = ReplicaOptions::default();
        options.keep_other_components = true;
        let (client, mut host) = (Replica::new(options), host());
        let mut idle = (Connection::new(Role::Scene), ChangeCursor::default());
        idle.0.skip(&mut host);
        host.for_each_change(&mut idle.1, |_, _| {});
        Self {
            host,
            client,
            to_host: Connection::new(Role::Host),
            connections: to_scenes(CONNECTIONS),
            _idle: idle,
            present: VecDeque::new(),
            joined: 0,
        }
    }

    /// A player comes, moves and has a name, perhaps; one leaves, and some read.
    fn player(&mut self) {
        let Self { host, present, joined, .. } = self;
        let player = host.new_entity().expect("numbers come back");
        [0, *joined as u32].into_iter().for_each(|time| put(host, player, time));
        if joined.is_multiple_of(4) {
            host.put(player.key(NAME), joined.to_string().as_bytes()).expect("kept");
        }
        present.push_back(player);
        if present.len() > PRESENT {
            host.delete_entity(present.pop_front().expect("many")).expect("the host's");
        }
        *joined += 1;
        if joined.is_multiple_of(READ_EVERY) {
            self.read(self.joined / READ_EVERY % CONNECTIONS);
        }
    }

    fn read(&mut self, connection: usize) {
        let delta = self.host.delta(&mut self.connections[connection]);
        if connection == 0 {
            self.client
                .receive(&mut self.to_host, &delta, &mut Default::default())
                .expect("honest");
        }
    }

    /// The client knows who is there, and nobody else.
    fn check(&mut self) {
        self.read(0);
        let present = self.host.delta(&mut Connection::new(Role::Scene));
        assert!(self.client.dump() == present, "the client knows others");
        assert_eq!(self.host.usage().entities, self.present.len());
    }
}
