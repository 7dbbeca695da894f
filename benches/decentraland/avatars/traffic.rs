//! One second: the host moves its avatars, all clients follow, and each moves a thing of its own.

use std::time::{Duration, Instant};

use decentraland_scene::{
    merge::{Connection, MergeReport, NumberRange, Replica, ReplicaOptions, Role},
    wire::{EntityId, Message, Reader, SceneEntity, SceneTransform},
};

const AVATARS: usize = 1000;
const CLIENTS: usize = 100;
const TICKS: u32 = 30;
/// The numbers from 3 to 511 are for 509 avatars. The others have plain numbers from here on, and
/// the clients' things the numbers after them.
const FIRST_OTHER: u16 = 512;
const FIRST_THING: u16 = 2000;

/// What one second takes, in all of it.
#[derive(Clone, Copy, Default)]
struct Second {
    host_puts: Duration,
    host_receives: Duration,
    host_deltas: Duration,
    /// Of all clients.
    client_puts: Duration,
    client_receives: Duration,
    client_deltas: Duration,
    messages_out: u64,
    bytes_out: u64,
    messages_in: u64,
    bytes_in: u64,
}

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

/// Prints the best of some rounds.
pub fn measure(rounds: usize) {
    println!("{AVATARS} avatars, {CLIENTS} clients, {TICKS} ticks a second: us a second\n");
    println!(
        "| who moves | host: puts | receives | {CLIENTS} deltas | messages out | MB out | \
         a client: puts and delta | receives | messages in |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for things_move in [false, true] {
        let mut server = Server::new();
        server.second(things_move);
        let best = (0..rounds).map(|_| server.second(things_move)).reduce(Second::best);
        if let Some(best) = best {
            best.print(if things_move { "the host and all clients" } else { "the host" });
        }
        server.check(things_move);
    }
    println!();
}

fn transform(tick: u32) -> SceneTransform {
    SceneTransform { position: [tick as f32, 0.0, 8.0], ..SceneTransform::IDENTITY }
}

impl Server {
    fn new() -> Self {
        let mut options = ReplicaOptions::default();
        (options.role, options.numbers) = (Role::Host, NumberRange::new(3, 511));
        let mut host = Replica::new(options);
        let reserved: Vec<_> = std::iter::from_fn(|| host.new_entity().ok()).collect();
        let others = (FIRST_OTHER..).map(plain).take(AVATARS - reserved.len());
        let client = |number| Client {
            replica: Replica::default(),
            host: Connection::new(Role::Host),
            at_host: Connection::new(Role::Scene),
            thing: plain(number),
        };
        Self {
            avatars: reserved.into_iter().chain(others).collect(),
            clients: (FIRST_THING..).take(CLIENTS).map(client).collect(),
            host,
            tick: 0,
        }
    }

    fn second(&mut self, things_move: bool) -> Second {
        let mut second = Second::default();
        (0..TICKS).for_each(|_| self.tick(things_move, &mut second));
        second
    }

    fn tick(&mut self, things_move: bool, second: &mut Second) {
        self.tick += 1;
        let moved = transform(self.tick);
        let host = &mut self.host;
        if things_move {
            for client in &mut self.clients {
                timed(&mut second.client_puts, || put(&mut client.replica, client.thing, &moved));
                let delta =
                    timed(&mut second.client_deltas, || client.replica.delta(&mut client.host));
                timed(&mut second.host_receives, || {
                    receive(host, &mut client.at_host, &delta);
                });
                second.bytes_in += delta.len() as u64;
                second.messages_in += 1;
            }
        }
        timed(&mut second.host_puts, || {
            self.avatars.iter().for_each(|&avatar| put(host, avatar, &moved));
        });
        for client in &mut self.clients {
            let delta = timed(&mut second.host_deltas, || host.delta(&mut client.at_host));
            let report = timed(&mut second.client_receives, || {
                receive(&mut client.replica, &mut client.host, &delta)
            });
            second.bytes_out += delta.len() as u64;
            second.messages_out += report.messages();
        }
    }

    /// All have the same state, and nobody gets back what it sent.
    fn check(&mut self, things_move: bool) {
        self.tick(things_move, &mut Second::default());
        let dump = self.host.dump();
        let moved = transform(self.tick + 1);
        for client in &mut self.clients {
            assert_eq!(client.replica.dump(), dump);
            put(&mut client.replica, client.thing, &moved);
            let delta = client.replica.delta(&mut client.host);
            receive(&mut self.host, &mut client.at_host, &delta);
        }
        for client in &mut self.clients {
            let delta = self.host.delta(&mut client.at_host);
            let mut reader = Reader::default();
            let messages: Vec<Message<'_>> = reader.read(&delta).unwrap().flatten().collect();
            assert_eq!(messages.len(), CLIENTS - 1);
            assert!(messages.iter().all(|message| message.scene_entity() != client.thing));
        }
    }
}

impl Second {
    /// The lowest time of each.
    fn best(self, other: Self) -> Self {
        Self {
            host_puts: self.host_puts.min(other.host_puts),
            host_receives: self.host_receives.min(other.host_receives),
            host_deltas: self.host_deltas.min(other.host_deltas),
            client_puts: self.client_puts.min(other.client_puts),
            client_receives: self.client_receives.min(other.client_receives),
            client_deltas: self.client_deltas.min(other.client_deltas),
            ..self
        }
    }

    fn print(&self, who: &str) {
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        let clients = CLIENTS as f64;
        println!(
            "| {who} | {:.0} | {:.0} | {:.0} | {} | {:.1} | {:.1} | {:.0} | {} |",
            us(self.host_puts),
            us(self.host_receives),
            us(self.host_deltas),
            self.messages_out,
            self.bytes_out as f64 / 1e6,
            us(self.client_puts + self.client_deltas) / clients,
            us(self.client_receives) / clients,
            self.messages_in,
        );
    }
}

fn plain(number: u16) -> SceneEntity {
    SceneEntity::local(EntityId::new(number, 0))
}

fn put(replica: &mut Replica, entity: SceneEntity, value: &SceneTransform) {
    replica.put_transform(entity, value).expect("it is theirs to move");
}

fn receive(replica: &mut Replica, from: &mut Connection, bytes: &[u8]) -> MergeReport {
    let mut report = MergeReport::default();
    replica.receive(from, bytes, &mut report).expect("an honest stream");
    assert_eq!(report.accepted, report.messages());
    report
}

fn timed<T>(sum: &mut Duration, step: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = step();
    *sum += begin.elapsed();
    result
}
