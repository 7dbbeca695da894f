//! One second: the host moves its avatars, all clients follow, and each moves a thing of its own.

use decentraland_scene::{
    merge::{Connection, MergeReport, NumberRange, Replica, ReplicaOptions, Role},
    wire::{EntityId, Message, Reader, SceneEntity, SceneTransform},
};

use crate::clock::{best, timed};

const AVATARS: usize = 1000;
const CLIENTS: usize = 100;
const TICKS: u32 = 30;
/// The numbers from 3 to 511 are for 509 avatars. The others have plain numbers from here on, and
/// the clients' things the numbers after them.
const FIRST_OTHER: u32 = 512;
const FIRST_THING: u32 = 2000;

/// What one second takes, in all of it.
#[derive(Default)]
struct Second {
    host_puts: f64,
    host_receives: f64,
    host_deltas: f64,
    /// Of all clients.
    client_writes: f64,
    client_receives: f64,
    messages_out: u64,
    bytes_out: usize,
    messages_in: u64,
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

pub fn print(rounds: u32) {
    println!("{AVATARS} avatars, {CLIENTS} clients, {TICKS} ticks a second: us a second\n");
    println!(
        "| who moves | host: puts | receives | {CLIENTS} deltas | messages out | MB out | \
         a client: puts and delta | receives | messages in |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (who, things_move) in [("the host", false), ("the host and all clients", true)] {
        let mut server = Server::new();
        let mut second = server.second(things_move);
        let [puts, receives, deltas, writes, reads] = best(rounds, |_| {
            second = server.second(things_move);
            let clients = [second.client_writes, second.client_receives];
            let [writes, reads] = clients.map(|time| time / CLIENTS as f64);
            let host = [second.host_puts, second.host_receives, second.host_deltas];
            let [puts, receives, deltas] = host;
            [puts, receives, deltas, writes, reads].map(|nanoseconds| nanoseconds / 1e3)
        });
        let Second { messages_out, messages_in, bytes_out, .. } = second;
        let megabytes = bytes_out as f64 / 1e6;
        println!(
            "| {who} | {puts:.0} | {receives:.0} | {deltas:.0} | {messages_out} | \
             {megabytes:.1} | {writes:.1} | {reads:.0} | {messages_in} |"
        );
        server.check(things_move);
    }
    println!();
}

impl Server {
    fn new() -> Self {
        let mut options = ReplicaOptions::default();
        (options.role, options.numbers) = (Role::Host, NumberRange::new(3, 511));
        let mut host = Replica::new(options);
        let plain = |id| SceneEntity::local(EntityId(id));
        let reserved: Vec<_> = std::iter::from_fn(|| host.new_entity().ok()).collect();
        let others = (FIRST_OTHER..).map(plain).take(AVATARS - reserved.len());
        let client = |thing| Client {
            replica: Replica::default(),
            host: Connection::new(Role::Host),
            at_host: Connection::new(Role::Scene),
            thing,
        };
        let clients = (FIRST_THING..).map(plain).map(client).take(CLIENTS).collect();
        Self { avatars: reserved.into_iter().chain(others).collect(), clients, host, tick: 0 }
    }

    fn second(&mut self, things_move: bool) -> Second {
        let mut second = Second::default();
        (0..TICKS).for_each(|_| self.tick(things_move, &mut second));
        second
    }

    fn tick(&mut self, things_move: bool, second: &mut Second) {
        self.tick += 1;
        if things_move {
            self.things_move(second);
        }
        let Self { host, avatars, clients, tick } = self;
        timed(&mut second.host_puts, || avatars.iter().for_each(|it| put(host, *it, *tick)));
        for Client { replica, host: to_host, at_host, .. } in clients {
            let delta = timed(&mut second.host_deltas, || host.delta(at_host));
            second.messages_out +=
                timed(&mut second.client_receives, || receive(replica, to_host, &delta));
            second.bytes_out += delta.len();
        }
    }

    fn things_move(&mut self, second: &mut Second) {
        for Client { replica, host, at_host, thing } in &mut self.clients {
            let delta = timed(&mut second.client_writes, || {
                put(replica, *thing, self.tick);
                replica.delta(host)
            });
            second.messages_in +=
                timed(&mut second.host_receives, || receive(&mut self.host, at_host, &delta));
        }
    }

    /// All have the same state, and nobody gets back what it sent.
    fn check(&mut self, things_move: bool) {
        self.tick(things_move, &mut Second::default());
        let dump = self.host.dump();
        assert!(self.clients.iter().all(|client| client.replica.dump() == dump));
        self.tick += 1;
        self.things_move(&mut Second::default());
        for client in &mut self.clients {
            let delta = self.host.delta(&mut client.at_host);
            let mut reader = Reader::default();
            let messages: Vec<Message<'_>> = reader.read(&delta).unwrap().flatten().collect();
            assert_eq!(messages.len(), CLIENTS - 1);
            assert!(messages.iter().all(|message| message.scene_entity() != client.thing));
        }
    }
}

fn put(replica: &mut Replica, entity: SceneEntity, tick: u32) {
    let position = [tick as f32, 0.0, 8.0];
    let value = SceneTransform { position, ..SceneTransform::IDENTITY };
    replica.put_transform(entity, &value).expect("it is theirs to move");
}

/// Returns how many messages came.
fn receive(replica: &mut Replica, from: &mut Connection, bytes: &[u8]) -> u64 {
    let mut report = MergeReport::default();
    replica.receive(from, bytes, &mut report).expect("an honest stream");
    assert_eq!(report.accepted, report.messages());
    report.messages()
}
