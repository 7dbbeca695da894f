//! The deltas of a tick for many connections, beside one delta that is copied for each.

use std::hint::black_box;

use decentraland_scene::{
    merge::{ChangeCursor, Connection, Replica, ReplicaOptions, Role},
    wire::{EntityId, Message, Reader, SceneEntity, SceneTransform, TRANSFORM},
};

use crate::clock::{best, nanoseconds, timed};

const MOVERS: u32 = 1000;

/// Ways in turns. Each delta is dropped at once, as if it was sent.
pub fn print(ticks: u32) {
    println!("us a tick, {MOVERS} movers\n");
    println!("| connections | encoded once, copied | deltas | ratio | where each moves one, too |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for connections in [1, 10, 100, 400] {
        let mut host = Host::new(connections);
        let ways = [Host::copies, Host::deltas, Host::all_move];
        let [copies, deltas, all_move] = best(ticks, |_| {
            ways.map(|way| {
                host.moves();
                way(&mut host) / 1e3
            })
        });
        let ratio = deltas / copies;
        println!("| {connections} | {copies:.1} | {deltas:.1} | {ratio:.2} | {all_move:.1} |");
    }
    println!();
}

struct Host {
    replica: Replica,
    one: Connection,
    connections: Vec<Connection>,
    time: u32,
}

impl Host {
    fn new(connections: usize) -> Self {
        let mut options = ReplicaOptions::default();
        options.role = Role::Host;
        let mut host = Self {
            replica: Replica::new(options),
            one: Connection::new(Role::Scene),
            connections: (0..connections).map(|_| Connection::new(Role::Scene)).collect(),
            time: 0,
        };
        host.moves();
        host.deltas();
        host
    }

    fn moves(&mut self) {
        self.time += 1;
        let position = [self.time as f32, 0.0, 8.0];
        let moved = SceneTransform { position, ..SceneTransform::IDENTITY };
        for id in (512..).take(MOVERS as usize).map(EntityId) {
            self.replica.put_transform(SceneEntity::local(id), &moved).expect("it is ours");
        }
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
        for (id, end) in (2000..).map(EntityId).zip(&mut self.connections) {
            let mut bytes = Vec::new();
            let position = [self.time as f32, 0.0, 0.0];
            let data = &SceneTransform { position, ..SceneTransform::IDENTITY }.to_bytes();
            let (network, component, timestamp) = (None, TRANSFORM, self.time);
            Message::PutComponent { network, entity: id, component, timestamp, data }
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
    const ENTITIES: u32 = 10_000;
    println!("us a tick, of {ENTITIES} components of 20 bytes\n");
    println!("| that change | a delta, read again | for_each_component_change |");
    println!("| ---: | ---: | ---: |");
    let mut options = ReplicaOptions::default();
    options.keep_other_components = true;
    let mut replica = Replica::new(options);
    let (mut end, mut cursor) = (Connection::new(Role::Peer), ChangeCursor::default());
    let mut time = 0_u128;
    for changing in [10, 1000, ENTITIES] {
        let [read, followed] = best(ticks, |_| {
            time += 1;
            for id in (512..).step_by((ENTITIES / changing) as usize).take(changing as usize) {
                let value = [&time.to_le_bytes()[..], &[7; 4]].concat();
                replica.put(SceneEntity::local(EntityId(id)).key(1041), &value).expect("kept");
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
        });
        println!("| {changing} | {read:.1} | {followed:.1} |");
    }
    println!();
}
