//! One second: the host moves its avatars, all clients follow, and each moves a thing of its own.

use decentraland_scene::{
    merge::{Connection, MergeReport, Replica, Role},
    wire::SceneEntity,
};

use crate::{
    clock::{best, head, row, timed},
    host::{entities, host, put, to_scenes},
};

const AVATARS: usize = 1000;
const CLIENTS: usize = 100;
const TICKS: u32 = 30;
/// The numbers from 3 to 511 are for 509 avatars. The others have plain numbers from here on, and
/// the clients' things the numbers after them.
const FIRST_OTHER: u32 = 512;
const FIRST_THING: u32 = 2000;

/// What one second takes: nanoseconds for the host's puts, receives and deltas; messages and bytes
/// out; nanoseconds in which all clients write and receive.
type Second = [f64; 7];

struct Client {
    replica: Replica,
    host: Connection,
    /// The host's end.
    at_host: Connection,
    thing: SceneEntity,
}

struct Server {
    host: Replica,
    avatars: Vec<SceneEntity>,
    clients: Vec<Client>,
    tick: u32,
}

pub fn print(rounds: u32) {
    head(
        &format!("{AVATARS} avatars, {CLIENTS} clients, {TICKS} ticks a second: us a second"),
        &format!(
            "who moves | host: puts | receives | {CLIENTS} deltas | million messages out | \
             MB out | a client: puts and delta | receives"
        ),
    );
    for (who, things_move) in [("the host", false), ("the host and all clients", true)] {
        let mut server = Server::new();
        server.second(things_move);
        row(who, best(rounds, |_| server.second(things_move)));
        server.check(things_move);
    }
}

impl Server {
    fn new() -> Self {
        let mut host = host();
        let reserved: Vec<_> = std::iter::from_fn(|| host.new_entity().ok()).collect();
        let others = entities(FIRST_OTHER).take(AVATARS - reserved.len());
        let avatars = reserved.into_iter().chain(others).collect();
        let client = |(thing, at_host)| Client {
            replica: Replica::default(),
            host: Connection::new(Role::Host),
            at_host,
            thing,
        };
        let clients = entities(FIRST_THING).zip(to_scenes(CLIENTS)).map(client).collect();
        Self { avatars, clients, host, tick: 0 }
    }

    /// In microseconds and millions, and for one client.
    fn second(&mut self, things_move: bool) -> Second {
        let mut second = Second::default();
        (0..TICKS).for_each(|_| self.tick(things_move, &mut second));
        let a_client = 1e3 * CLIENTS as f64;
        let units = [1e3, 1e3, 1e3, 1e6, 1e6, a_client, a_client];
        std::array::from_fn(|column| second[column] / units[column])
    }

    fn tick(&mut self, things_move: bool, second: &mut Second) {
        self.tick += 1;
        if things_move {
            self.things_move(second);
        }
        let Self { host, avatars, clients, tick } = self;
        let [puts, _, deltas, messages_out, bytes_out, _, reads] = second;
        timed(puts, || avatars.iter().for_each(|it| put(host, *it, *tick)));
        for Client { replica, host: to_host, at_host, .. } in clients {
            let delta = timed(deltas, || host.delta(at_host));
            *messages_out += timed(reads, || receive(replica, to_host, &delta));
            *bytes_out += delta.len() as f64;
        }
    }

    fn things_move(&mut self, second: &mut Second) {
        let [_, receives, _, _, _, writes, _] = second;
        for Client { replica, host, at_host, thing } in &mut self.clients {
            let delta = timed(writes, || {
                put(replica, *thing, self.tick);
                replica.delta(host)
            });
            timed(receives, || receive(&mut self.host, at_host, &delta));
        }
    }

    /// All have the same state.
    fn check(&mut self, things_move: bool) {
        self.tick(things_move, &mut Second::default());
        let dump = self.host.dump();
        assert!(self.clients.iter().all(|client| client.replica.dump() == dump));
    }
}

/// Returns how many messages came.
fn receive(replica: &mut Replica, from: &mut Connection, bytes: &[u8]) -> f64 {
    let mut report = MergeReport::default();
    replica.receive(from, bytes, &mut report).expect("an honest stream");
    assert_eq!(report.accepted, report.messages());
    report.messages() as f64
}
