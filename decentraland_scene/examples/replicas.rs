//! Two worlds edit the same scene over a link that delays, reorders and duplicates, and end
//! identical.
//!
//! ```text
//! cargo run --example replicas [-- SEED]
//! ```
//!
//! Each side moves things by editing components of its Legion world, and writes each edit into its
//! replica. Half-way, each hangs a lamp
//! and a table off one another, and neither can know of the other: a cycle, in which both stand at
//! the root until somebody opens it.

use decentraland_scene::{
    apply::Mirror,
    merge::{Connection, MergeReport, PacketSize, Replica, Role, TransformState},
    wire::{EntityId, Reader, SceneEntity, SceneTransform},
};
use legion::*;
use legion_transform::{Findings, findings::FindingKind, prelude::*};

const TABLE: SceneEntity = SceneEntity::local(EntityId(512));
const LAMP: SceneEntity = SceneEntity::local(EntityId(513));
const CUP: SceneEntity = SceneEntity::local(EntityId(514));
const NAMES: [(SceneEntity, &str); 3] = [(TABLE, "table"), (LAMP, "lamp"), (CUP, "cup")];

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let seed = std::env::args().nth(1).map_or(Ok(7), |seed| seed.parse())?;
    println!("seed {seed}\n");
    let mut both = Both::new(seed);

    println!("Left makes a scene: a table, a lamp beside it, a cup on the table.");
    both.left.make(TABLE, [4.0, 0.0, 4.0], None)?;
    both.left.make(LAMP, [6.0, 0.0, 4.0], None)?;
    both.left.make(CUP, [0.0, 1.0, 0.0], Some(TABLE))?;
    both.settle()?;
    assert_eq!(both.right.position(CUP), Some([4.0, 1.0, 4.0]));

    println!("Both move the table at the same time. The larger bytes win, on both sides.");
    both.left.move_to(TABLE, [1.0, 0.0, 0.0])?;
    both.right.move_to(TABLE, [2.0, 0.0, 0.0])?;
    both.settle()?;
    // 1.0 is 0000803f, 2.0 is 00000040.
    assert_eq!(both.left.position(TABLE), Some([1.0, 0.0, 0.0]));

    println!(
        "Left makes the table a child of the lamp, right the lamp a child of the table: a cycle, \
         so both stand at the root."
    );
    both.left.hang(TABLE, LAMP)?;
    both.right.hang(LAMP, TABLE)?;
    both.settle()?;
    for side in [&both.left, &both.right] {
        assert_eq!(side.cycle(), 2);
        assert_eq!(side.position(TABLE), Some([1.0, 0.0, 0.0]));
        // Below the cycle, it stays with its parent.
        assert_eq!(side.position(CUP), Some([1.0, 1.0, 0.0]));
    }

    println!(
        "Right takes the lamp off the table again: the cycle opens, and the table is a child of \
         the lamp."
    );
    both.right.take_off(LAMP)?;
    both.settle()?;
    assert_eq!(both.left.position(TABLE), Some([7.0, 0.0, 4.0]));

    println!(
        "Left throws the lamp away while right still moves it. It is gone, and the table is left \
         at the root."
    );
    both.left.replica.delete_entity(LAMP)?.write(&mut both.left.outbox)?;
    both.right.move_to(LAMP, [9.0, 9.0, 9.0])?;
    both.settle()?;
    assert_eq!(both.right.position(TABLE), Some([1.0, 0.0, 0.0]));

    println!("A third one joins late, from packets in any order, and unloads the scene again.");
    let mut late = Side::new();
    for packet in both.left.replica.dump_packets(PacketSize::LEAST).packets.iter().rev() {
        late.replica.merge_bytes(packet, Role::Peer)?;
    }
    late.frame();
    assert_eq!(late.replica.dump(), both.right.replica.dump());
    assert_eq!((late.matrix(TABLE), late.outbox.len()), (both.right.matrix(TABLE), 0));
    // Its table, its cup, and what stands there for the lamp, the table's parent.
    assert_eq!(late.mirror.clear(&mut late.world), 3);
    println!();

    println!(
        "{} packets were sent, {} of them arrived twice, {} before an older one.",
        both.link.sent, both.link.twice, both.link.overtook
    );
    println!(
        "Both sides hold the same {} bytes and the same matrices.",
        both.left.replica.dump().len()
    );
    Ok(())
}

/// A world, the replica it shows, and what is to be sent.
struct Side {
    world: World,
    resources: Resources,
    schedule: Schedule,
    replica: Replica,
    mirror: Mirror,
    outbox: Vec<u8>,
}

impl Side {
    fn new() -> Self {
        Self {
            world: World::default(),
            resources: Resources::default(),
            schedule: Schedule::builder().add_transforms(TransformSystemBundle::default()).build(),
            replica: Replica::default(),
            mirror: Mirror::default(),
            outbox: Vec::new(),
        }
    }

    fn make(
        &mut self,
        what: SceneEntity,
        position: [f32; 3],
        parent: Option<SceneEntity>,
    ) -> Result<(), Failure> {
        let parent = parent.map_or(EntityId::ROOT, |parent| parent.entity);
        let transform = SceneTransform { position, parent, ..SceneTransform::IDENTITY };
        self.replica.put_transform(what, &transform)?.write(&mut self.outbox)?;
        Ok(())
    }

    fn entry(&mut self, what: SceneEntity) -> Option<world::Entry<'_>> {
        self.world.entry(self.mirror.entity(what)?)
    }

    fn move_to(&mut self, what: SceneEntity, [x, y, z]: [f32; 3]) -> Result<(), Failure> {
        if let Some(mut entry) = self.entry(what) {
            entry.add_component(Translation::new(x, y, z));
        }
        self.edited(what)
    }

    fn hang(&mut self, what: SceneEntity, parent: SceneEntity) -> Result<(), Failure> {
        let parent = self.mirror.entity(parent);
        if let (Some(parent), Some(mut entry)) = (parent, self.entry(what)) {
            entry.add_component(Parent(parent));
            entry.add_component(LocalToParent::identity());
        }
        self.edited(what)
    }

    fn take_off(&mut self, what: SceneEntity) -> Result<(), Failure> {
        if let Some(mut entry) = self.entry(what) {
            entry.remove_component::<Parent>();
            entry.remove_component::<LocalToParent>();
        }
        self.edited(what)
    }

    /// Writes what was edited into the replica.
    fn edited(&mut self, what: SceneEntity) -> Result<(), Failure> {
        let transform = self.mirror.transform_of(&self.world, what)?;
        self.replica.put_transform(what, &transform)?.write(&mut self.outbox)?;
        Ok(())
    }

    /// A frame: shows what came, and makes the matrices right.
    fn frame(&mut self) {
        self.mirror.apply(&mut self.replica, &mut self.world);
        self.schedule.execute(&mut self.world, &mut self.resources);
    }

    fn matrix(&self, what: SceneEntity) -> Option<LocalToWorld> {
        let entry = self.world.entry_ref(self.mirror.entity(what)?).ok()?;
        entry.get_component::<LocalToWorld>().ok().copied()
    }

    fn position(&self, what: SceneEntity) -> Option<[f32; 3]> {
        self.matrix(what).map(|matrix| matrix.position().coords.into())
    }

    /// How many are on a cycle.
    fn cycle(&self) -> usize {
        let findings = self.resources.get::<Findings>();
        findings.map_or(0, |findings| {
            findings.of(&self.world).filter(|f| f.kind == FindingKind::Cycle).count()
        })
    }
}

/// Both sides and the link between them.
struct Both {
    left: Side,
    right: Side,
    link: Link,
}

impl Both {
    fn new(seed: u64) -> Self {
        Self {
            left: Side::new(),
            right: Side::new(),
            link: Link { random: seed, ..Link::default() },
        }
    }

    /// Lets frames go by until nothing is under way any more.
    fn settle(&mut self) -> Result<(), Failure> {
        let mut quiet = 0;
        while quiet < 2 {
            self.link.tick += 1;
            for (side, to_right) in [(&mut self.left, false), (&mut self.right, true)] {
                for packet in self.link.arrived(to_right) {
                    let mut report = MergeReport::default();
                    let from = &mut Connection::new(Role::Peer);
                    side.replica.receive_packet(from, &packet, &mut report);
                    // Who sent what lost does not know yet.
                    side.outbox.extend(report.corrections);
                }
                side.frame();
            }
            for (side, to_right) in [(&mut self.left, true), (&mut self.right, false)] {
                self.link.send(&std::mem::take(&mut side.outbox), to_right)?;
            }
            quiet = if self.link.packets.is_empty() { quiet + 1 } else { 0 };
        }
        for (what, name) in NAMES {
            assert_eq!(self.left.matrix(what), self.right.matrix(what));
            match (self.left.replica.transform(what), self.left.position(what)) {
                (TransformState::Live { .. }, Some([x, y, z])) => {
                    println!("  {name:5} at {x} {y} {z}")
                }
                _ => println!("  {name:5} is not there"),
            }
        }
        assert_eq!(self.left.replica.dump(), self.right.replica.dump());
        println!("  tick {}, both sides the same\n", self.link.tick);
        Ok(())
    }
}

/// Every message is a packet of its own, comes after one to six ticks, and one in four comes twice.
#[derive(Default)]
struct Link {
    packets: Vec<Packet>,
    random: u64,
    tick: u32,
    sent: u32,
    twice: u32,
    overtook: u32,
}

struct Packet {
    arrives: u32,
    number: u32,
    to_right: bool,
    bytes: Vec<u8>,
}

impl Link {
    fn send(&mut self, messages: &[u8], to_right: bool) -> Result<(), Failure> {
        for message in Reader::default().read(messages)? {
            let mut bytes = Vec::new();
            message?.write(&mut bytes)?;
            self.sent += 1;
            let copies = if self.chance(4) == 0 { 2 } else { 1 };
            self.twice += copies - 1;
            for _ in 0..copies {
                let arrives = self.tick + 1 + self.chance(6);
                self.packets.push(Packet {
                    arrives,
                    number: self.sent,
                    to_right,
                    bytes: bytes.clone(),
                });
            }
        }
        Ok(())
    }

    fn arrived(&mut self, to_right: bool) -> Vec<Vec<u8>> {
        let tick = self.tick;
        let there = |packet: &mut Packet| packet.to_right == to_right && packet.arrives <= tick;
        let mut arrived: Vec<Packet> = self.packets.extract_if(.., there).collect();
        for i in (1..arrived.len()).rev() {
            let other = self.chance(i as u32 + 1) as usize;
            arrived.swap(i, other);
        }
        let older = |packet: &Packet| {
            self.packets.iter().any(|left| left.to_right == to_right && left.number < packet.number)
        };
        self.overtook += arrived.iter().filter(|packet| older(packet)).count() as u32;
        arrived.into_iter().map(|packet| packet.bytes).collect()
    }

    fn chance(&mut self, below: u32) -> u32 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as u32 % below
    }
}
