//! The deltas of a tick for many connections, beside one delta that is copied for each.

use std::{hint::black_box, time::Instant};

use decentraland_scene::{
    merge::{ChangeCursor, Connection, Replica, ReplicaOptions, Role},
    wire::{EntityId, Message, Reader, SceneEntity, SceneTransform},
};

const MOVERS: u32 = 1000;

/// Prints the best of some ticks, in turns. Each delta is dropped at once, as if it was sent.
pub fn measure(ticks: u32) {
    println!("us a tick, {MOVERS} movers, the best of {ticks} ticks in turns\n");
    println!("| connections | encoded once, copied | deltas | ratio | where each moves one, too |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for connections in [1, 10, 100, 400] {
        let mut host = Host::new(connections);
        let mut best = [f64::INFINITY; 3];
        for tick in 0..ticks {
            for (best, way) in best.iter_mut().zip([Host::copies, Host::deltas, Host::all_move]) {
                host.moves(tick);
                *best = best.min(way(&mut host));
            }
        }
        let [copies, deltas, all_move] = best;
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
        host.moves(0);
        host.deltas();
        host
    }

    fn moves(&mut self, tick: u32) {
        self.time += 1;
        let position = [self.time as f32, tick as f32, 8.0];
        let moved = SceneTransform { position, ..SceneTransform::IDENTITY };
        for id in (512..).take(MOVERS as usize).map(EntityId) {
            self.replica.put_transform(SceneEntity::local(id), &moved).expect("it is ours");
        }
    }

    /// Microseconds for a delta that is copied for each connection.
    fn copies(&mut self) -> f64 {
        let start = Instant::now();
        let delta = self.replica.delta(&mut self.one);
        let copied: usize = self.connections.iter().map(|_| black_box(delta.clone()).len()).sum();
        let time = start.elapsed();
        assert_eq!(copied, self.connections.len() * 68 * MOVERS as usize);
        self.connections.iter_mut().for_each(|end| end.skip(&mut self.replica));
        time.as_secs_f64() * 1e6
    }

    /// Microseconds for the delta of each connection.
    fn deltas(&mut self) -> f64 {
        let Self { replica, connections, .. } = self;
        let start = Instant::now();
        let sent: usize =
            connections.iter_mut().map(|end| black_box(replica.delta(end)).len()).sum();
        let time = start.elapsed();
        assert!(sent >= connections.len() * 68 * MOVERS as usize);
        self.one.skip(&mut self.replica);
        time.as_secs_f64() * 1e6
    }

    /// The same, where each connection has moved an entity of its own.
    fn all_move(&mut self) -> f64 {
        for (id, end) in (2000..).map(EntityId).zip(&mut self.connections) {
            let mut bytes = Vec::new();
            let position = [self.time as f32, 0.0, 0.0];
            let data = &SceneTransform { position, ..SceneTransform::IDENTITY }.to_bytes();
            let (component, timestamp) = (1, self.time);
            Message::PutComponent { network: None, entity: id, component, timestamp, data }
                .write(&mut bytes)
                .expect("a short message");
            self.replica.receive(end, &bytes, &mut Default::default()).expect("a good stream");
        }
        self.deltas()
    }
}

/// Prints what it takes to follow components that change: by a delta that the program reads itself,
/// and by the replica's own call.
pub fn measure_components(ticks: u32) {
    const ENTITIES: u32 = 10_000;
    const COMPONENT: u32 = 1041;
    println!(
        "us a tick, of {ENTITIES} components of 20 bytes, the best of {ticks} ticks in turns\n"
    );
    println!("| that change | a delta, read again | for_each_component_change |");
    println!("| ---: | ---: | ---: |");
    let mut options = ReplicaOptions::default();
    options.keep_other_components = true;
    let mut replica = Replica::new(options);
    let (mut end, mut cursor) = (Connection::new(Role::Peer), ChangeCursor::default());
    let mut time = 0_u32;
    for changing in [10, 1000, ENTITIES] {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..ticks {
            time += 1;
            let mut value = [7; 20];
            value[..4].copy_from_slice(&time.to_le_bytes());
            for id in (512..).step_by((ENTITIES / changing) as usize).take(changing as usize) {
                let key = SceneEntity::local(EntityId(id)).key(COMPONENT);
                replica.put(key, &value).expect("it is kept");
            }
            let mut seen = [0; 2];
            let start = Instant::now();
            let delta = replica.delta(&mut end);
            for message in Reader::new(usize::MAX).read(&delta).expect("a delta").flatten() {
                seen[0] += black_box(message).data().len();
            }
            let read = start.elapsed();
            let start = Instant::now();
            replica.for_each_component_change(&mut cursor, |message| {
                seen[1] += black_box(*message).data().len();
            });
            let times = [read, start.elapsed()];
            assert_eq!(seen[0], seen[1]);
            for (best, time) in best.iter_mut().zip(times) {
                *best = best.min(time.as_secs_f64() * 1e6);
            }
        }
        println!("| {changing} | {:.1} | {:.1} |", best[0], best[1]);
    }
    println!();
}
