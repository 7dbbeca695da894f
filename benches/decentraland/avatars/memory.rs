//! Players come and go, all day long: the memory of the server must not grow with them.
#![allow(unsafe_code, reason = "an allocator that counts")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    collections::VecDeque,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    time::Instant,
};

use decentraland_scene::{
    merge::{ChangeCursor, Connection, MergeReport, NumberRange, Replica, ReplicaOptions, Role},
    wire::{SceneEntity, SceneTransform},
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
    /// One that never reads but once.
    idle: Connection,
    /// A world that is never shown again.
    follower: ChangeCursor,
    present: VecDeque<SceneEntity>,
    joined: usize,
}

/// How much is allocated after some numbers of players.
pub fn print(players: usize) {
    let (empty, begin) = (ALLOCATED.load(Relaxed), Instant::now());
    let (mut churn, mut allocated) = (Churn::new(), Vec::new());
    println!("{PRESENT} players at once, {CONNECTIONS} connections, and one that is idle\n");
    println!("| players | allocated, kB | resident, MB | dump, kB | us a player |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for joined in [1000, 10_000, 100_000, 1_000_000].into_iter().filter(|it| *it <= players) {
        while churn.joined < joined {
            churn.player();
        }
        let now = ALLOCATED.load(Relaxed) - empty;
        let dump = churn.host.dump().len() / 1000;
        let each = begin.elapsed().as_secs_f64() * 1e6 / joined as f64;
        println!("| {joined} | {} | {:.1} | {dump} | {each:.2} |", now / 1000, resident());
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
        let client = Replica::new(options);
        (options.role, options.numbers) = (Role::Host, NumberRange::new(3, 511));
        let mut host = Replica::new(options);
        let mut idle = Connection::new(Role::Scene);
        idle.skip(&mut host);
        let mut follower = ChangeCursor::default();
        host.for_each_change(&mut follower, |_, _| {});
        Self {
            host,
            client,
            to_host: Connection::new(Role::Host),
            connections: (0..CONNECTIONS).map(|_| Connection::new(Role::Scene)).collect(),
            idle,
            follower,
            present: VecDeque::new(),
            joined: 0,
        }
    }

    /// A player comes, moves and has a name, perhaps; one leaves, and some read.
    fn player(&mut self) {
        let Self { host, present, joined, .. } = self;
        let player = host.new_entity().expect("numbers come back");
        for x in [0.0, *joined as f32] {
            let value = SceneTransform { position: [x, 0.0, 0.0], ..SceneTransform::IDENTITY };
            host.put_transform(player, &value).expect("the host's");
        }
        if joined.is_multiple_of(4) {
            host.put(player.key(NAME), joined.to_string().as_bytes()).expect("kept");
        }
        present.push_back(player);
        if present.len() > PRESENT {
            host.delete_entity(present.pop_front().expect("many")).expect("the host's");
        }
        *joined += 1;
        if joined.is_multiple_of(READ_EVERY) {
            let connection = *joined / READ_EVERY % CONNECTIONS;
            self.read(connection);
        }
    }

    fn read(&mut self, connection: usize) {
        let delta = self.host.delta(&mut self.connections[connection]);
        if connection == 0 {
            let mut report = MergeReport::default();
            self.client.receive(&mut self.to_host, &delta, &mut report).expect("honest");
            assert_eq!(report.fault_count, 0);
        }
    }

    /// The client knows who is there, and nobody else; the idle ones can begin again.
    fn check(&mut self) {
        self.read(0);
        let present = self.host.delta(&mut Connection::new(Role::Scene));
        assert!(self.client.dump() == present, "the client knows others");
        assert_eq!(self.client.usage().entities, self.present.len());
        assert_eq!(self.host.usage().entities, self.present.len());
        let mut late = Replica::new(ReplicaOptions::default());
        let delta = self.host.delta(&mut self.idle);
        late.merge_bytes(&delta, Role::Host).expect("honest");
        assert_eq!(late.usage().entities, self.present.len());
        let mut seen = 0;
        let began_anew = self.host.begins_anew(&self.follower);
        self.host.for_each_change(&mut self.follower, |_, _| seen += 1);
        assert!(began_anew && seen == self.present.len());
    }
}

/// The resident memory of the process in MB, where the platform shows it.
fn resident() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = pages.split(' ').nth(1).map_or(0.0, |it| it.parse().unwrap_or(0.0));
    pages * 4096.0 / 1e6
}
