//! The deltas of a tick for many connections, beside one delta that is copied for each.

use std::hint::black_box;

use decentraland_scene::{
    merge::{ChangeCursor, Connection, Replica, Role},
    wire::{EntityId, Message, Reader, TRANSFORM},
};

use crate::{
    clock::{best, head, nanoseconds, row, timed},
    host::{entities, host, moved, put, to_scenes},
};

const MOVERS: u32 = 1000;

/// Ways in turns. Each delta is dropped at once, as if it was sent.
pub fn print(ticks: u32) {
    head(
        &format!("us a tick, {MOVERS} movers"),
        "connections | encoded once, copied | deltas | deltas where each moves one, too",
    );
    for connections in [1, 10, 100, 400] {
        let mut host = Host::new(connections);
        let ways = [Host::copies, Host::deltas, Host::all_move];
        let round = |_| {
            ways.map(|way| {
                host.moves();
                way(&mut host) / 1e3
            })
        };
        row(connections, best(ticks, round));
    }
}

struct Host {
    replica: Replica,
    one: Connection,
    connections: Vec<Connection>,
    time: u32,
}

impl Host {
    fn new(connections: usize) -> Self {
        let (replica, one) = (host(), Connection::new(Role::Scene));
        let mut host = Self { replica, one, connections: to_scenes(connections), time: 0 };
        host.moves();
        host.deltas();
        host
    }

    fn moves(&mut self) {
        self.time += 1;
        let movers = entities(512).take(MOVERS as usize);
        movers.for_each(|entity| put(&mut self.replica, entity, self.time));
    }

    /// Nanoseconds for a delta that is copied for each connection.
    fn copies(&mut self) -> f64 {
        let Self { replica, one, connections, .. } = self;
        let mut copied = 0;
        let time = nanoseconds(|| {
            let delta = replica.delta(one);
            copied = connections.iter().map(|_| black_box(delta.clone()).len()).sum();
        });
        assert_eq!(copied, connections.len() * 68 * MOVERS as usize);
        connections.iter_mut().for_each(|end| end.skip(replica));
        time
    }

    /// Nanoseconds for the delta of each connection.
    fn deltas(&mut self) -> f64 {
        let Self { replica, one, connections, .. } = self;
        let mut sent = 0;
        let time = nanoseconds(|| {
            sent = connections.iter_mut().map(|end| black_box(replica.delta(end)).len()).sum();
        });
        assert!(sent >= connections.len() * 68 * MOVERS as usize);
        one.skip(replica);
        time
    }

    /// The same, where each connection has moved an entity of its own.
    fn all_move(&mut self) -> f64 {
        for (entity, end) in (2000..).map(EntityId).zip(&mut self.connections) {
            let mut bytes = Vec::new();
            let (timestamp, data) = (self.time, &moved(self.time).to_bytes());
            Message::PutComponent { network: None, entity, component: TRANSFORM, timestamp, data }
                .write(&mut bytes)
                .expect("a short message");
            self.replica.receive(end, &bytes, &mut Default::default()).expect("a good stream");
        }
        self.deltas()
    }
}

/// What it takes to follow components that change: by a delta that the program reads itself, and by
/// the replica's own call.
pub fn print_components(ticks: u32) {
    const ENTITIES: usize = 10_000;
    head(
        &format!("us a tick, of {ENTITIES} components of 20 bytes"),
        "that change | a delta, read again | for_each_component_change",
    );
    let mut replica = host();
    let (mut end, mut cursor) = (Connection::new(Role::Peer), ChangeCursor::default());
    let mut time = 0_u128;
    for changing in [10, 1000, ENTITIES] {
        let round = |_| {
            time += 1;
            for entity in entities(512).step_by(ENTITIES / changing).take(changing) {
                let value = [&time.to_le_bytes()[..], &[7; 4]].concat();
                replica.put(entity.key(1041), &value).expect("kept");
            }
            let (mut times, mut seen) = ([0.0; 2], [0; 2]);
            timed(&mut times[0], || {
                let delta = replica.delta(&mut end);
                for message in Reader::new(usize::MAX).read(&delta).expect("a delta").flatten() {
                    seen[0] += black_box(message).data().len();
                }
            });
            timed(&mut times[1], || {
                replica.for_each_component_change(&mut cursor, |message| {
                    seen[1] += black_box(*message).data().len();
                });
            });
            assert_eq!(seen[0], seen[1]);
            times.map(|nanoseconds| nanoseconds / 1e3)
        };
        row(changing, best(ticks, round));
    }
}
