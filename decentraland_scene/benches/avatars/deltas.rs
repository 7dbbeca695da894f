//! The deltas of a tick for many connections, beside one delta that is copied for each.

use std::{hint::black_box, time::Instant};

use decentraland_scene::{
    merge::{Connection, Replica, ReplicaOptions, Role},
    wire::{EntityId, Message, SceneEntity, SceneTransform},
};

const MOVERS: u32 = 1000;

/// Prints the best of some ticks, in turns. What is made is dropped at once, as if it was sent.
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

    /// Likewise, where each connection has moved an entity of its own.
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
