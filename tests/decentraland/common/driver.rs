//! Two worlds that edit one scene, driven by bytes: whatever the order of edits, runs and messages,
//! only edits are sent, and both sides end alike. Property tests and the fuzz target share it.

use legion::{Entity, IntoQuery, World};
use legion_transform::{
    decentraland::{apply::*, merge::*, wire::*},
    prelude::*,
};

use super::live::*;

/// Numbers out of bytes; zeros when they are used up.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn next(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    pub fn below(&mut self, end: u8) -> u8 {
        self.next() % end
    }

    fn number(&mut self) -> f32 {
        match self.next() {
            250 => f32::NAN,
            251 => f32::INFINITY,
            252 => -0.0,
            byte => f32::from(byte as i8) / 8.0,
        }
    }

    /// An entity out of few, one of them reserved.
    fn scene(&mut self) -> SceneEntity {
        let byte = self.next();
        let network = if byte >= 240 { 7 } else { 0 };
        let number = [511, 512, 513, 514, 515, 516][usize::from(byte % 6)];
        SceneEntity { network, entity: EntityId::new(number, u16::from(byte / 6 % 8 == 7)) }
    }

    fn transform(&mut self) -> SceneTransform {
        let parent = if self.below(3) == 0 { EntityId::ROOT } else { self.scene().entity };
        let mut transform = SceneTransform { parent, ..SceneTransform::IDENTITY };
        match self.below(4) {
            0 => {}
            1 => transform.scale = [self.number(), 1.0, 2.0],
            2 => transform.rotation = [0.0, self.number(), 0.0, self.number()],
            _ => transform.position = [self.number(), self.number(), 0.0],
        }
        transform
    }
}

/// One of the two sides, and what it knows that a real program would not ask.
struct Side {
    live: Live,
    inbox: Vec<Vec<u8>>,
    strangers: Vec<Entity>,
    below_root: bool,
    /// Whether the user did something since edits were last sent.
    edited: bool,
    /// Whether edits were refused, which may succeed later.
    refused: bool,
}

impl Side {
    fn new(limits: Limits, below_root: bool) -> Self {
        let mut world = World::default();
        let mut options = MirrorOptions::default();
        if below_root {
            options.root = Some(world.push((LocalToWorld::identity(),)));
        }
        let mut keeping_all = ReplicaOptions::default();
        keeping_all.keep_other_components = true;
        keeping_all.limits = limits;
        let live = Live { world, replica: Replica::new(keeping_all), ..Live::new(options) };
        Self {
            live,
            inbox: Vec::new(),
            strangers: Vec::new(),
            below_root,
            edited: false,
            refused: false,
        }
    }

    /// Sends edits, and checks that there were some if there are messages.
    fn send(&mut self) -> Vec<u8> {
        let Live { mirror, replica, world, .. } = &mut self.live;
        let report = mirror.send_edits(replica, world);
        if report.not_ready.is_none() {
            let is_silent = report.sent == 0 && report.refused.is_empty();
            assert!(self.edited || self.refused || is_silent, "sent without an edit: {report:?}");
            assert_eq!(report.sent == 0, report.messages.is_empty());
            self.edited = false;
            self.refused |= !report.refused.is_empty();
            if !self.refused {
                let again = mirror.send_edits(replica, world);
                assert_eq!(again, EditReport::default(), "sent twice");
            }
        }
        report.messages
    }

    fn merge(&mut self, bytes: &[u8]) -> Vec<u8> {
        let report = self.live.replica.merge_bytes(bytes).unwrap_or_else(|broken| *broken.report);
        let usage = self.live.replica.usage();
        assert_eq!(usage.bytes, self.live.replica.dump().len());
        report.corrections
    }

    /// A Legion entity of the scene.
    fn any_entity(&self, bytes: &mut Bytes<'_>) -> Option<Entity> {
        let entity = self.live.mirror.entity(bytes.scene())?;
        self.live.world.contains(entity).then_some(entity)
    }

    /// An edit by hand.
    fn edit(&mut self, bytes: &mut Bytes<'_>) {
        let (what, entity) = (bytes.below(16), self.any_entity(bytes));
        let other = self.any_entity(bytes);
        let Some(entity) = entity else { return };
        self.edited = true;
        let Some(mut entry) = self.live.world.entry(entity) else { return };
        match what {
            0 | 1 => entry.add_component(Translation::new(bytes.number(), bytes.number(), 0.0)),
            2 => {
                entry.add_component(Rotation::from_euler_angles(0.0, f32::from(bytes.next()), 0.0))
            }
            3 => entry.add_component(NonUniformScale::new(bytes.number(), 1.0, 1.0)),
            4 => entry.add_component(Scale(bytes.number())),
            5 => entry.remove_component::<Translation>(),
            6 => entry.remove_component::<Rotation>(),
            7 => {
                entry.remove_component::<NonUniformScale>();
                entry.remove_component::<Scale>();
            }
            8 => entry.remove_component::<LocalToWorld>(),
            9 => entry.remove_component::<LocalToParent>(),
            10 => entry.remove_component::<Parent>(),
            11 => {
                entry.remove_component::<Translation>();
                entry.remove_component::<Rotation>();
                entry.remove_component::<NonUniformScale>();
                entry.remove_component::<Scale>();
            }
            12 if bytes.below(2) == 0 => {
                let stranger = self.live.world.push((LocalToWorld::identity(),));
                self.strangers.push(stranger);
                self.parent(entity, stranger, bytes);
            }
            12 | 13 => {
                if let Some(parent) = other {
                    self.parent(entity, parent, bytes);
                }
            }
            14 => entry.remove_component::<PreviousParent>(),
            _ => _ = self.live.world.remove(entity),
        }
    }

    fn parent(&mut self, entity: Entity, parent: Entity, bytes: &mut Bytes<'_>) {
        let Some(mut entry) = self.live.world.entry(entity) else { return };
        entry.add_component(Parent(parent));
        if bytes.below(2) == 0 {
            entry.add_component(LocalToParent::identity());
        }
    }

    /// A write through the replica; returns its message.
    fn write(&mut self, bytes: &mut Bytes<'_>) -> Vec<u8> {
        let (what, scene) = (bytes.below(8), bytes.scene());
        let replica = &mut self.live.replica;
        let result = match what {
            0 => replica.delete_transform(scene),
            1 => replica.delete_entity(scene),
            2 => replica.put(scene.key(9), &[what; 5][..usize::from(bytes.below(6))]),
            3 => replica.delete(scene.key(9)),
            4 => replica.append(scene.entity, 9, &[7]),
            5 => match replica.new_entity() {
                Ok(new) => replica.put_transform(
                    new,
                    &SceneTransform { parent: scene.entity, ..SceneTransform::IDENTITY },
                ),
                Err(_) => return Vec::new(),
            },
            _ => replica.put_transform(scene, &bytes.transform()),
        };
        let mut out = Vec::new();
        if let Ok(message) = result {
            message.write(&mut out).expect("a short message");
        }
        out
    }

    /// Starts anew in some way.
    fn restart(&mut self, bytes: &mut Bytes<'_>) {
        let Live { mirror, replica, world, .. } = &mut self.live;
        match bytes.below(4) {
            0 => {
                mirror.clear(world);
                (self.edited, self.refused) = (false, false);
            }
            1 => *replica = replica.clone(),
            2 => _ = mirror.place(world, SceneEntity::PLAYER),
            _ => _ = mirror.place(world, bytes.scene()),
        }
    }

    /// Takes back what can never be sent, so that what remains is the scene.
    fn tidy(&mut self) {
        for stranger in std::mem::take(&mut self.strangers) {
            self.live.world.remove(stranger);
        }
        self.live.run();
    }
}

/// Drives two sides by bytes.
pub fn drive(bytes: &[u8]) {
    let bytes = &mut Bytes(bytes);
    let mut limits = Limits::default();
    let mode = bytes.below(4);
    if mode == 3 {
        (limits.entities, limits.tombstones, limits.bytes_per_key) = (4, 2, 3);
    }
    let size = PacketSize::new(72 + usize::from(bytes.next())).unwrap_or_default();
    let mut sides = [Side::new(limits, mode == 1), Side::new(limits, false)];
    while !bytes.0.is_empty() {
        let step = bytes.next();
        let (number, step) = (usize::from(step & 1), step >> 1);
        let mut sent = Vec::new();
        let side = &mut sides[number];
        match step % 12 {
            0..3 => side.edit(bytes),
            3 | 4 => side.live.run(),
            5 => sent.push(side.send()),
            6 | 7 => _ = side.live.mirror.apply(&mut side.live.replica, &mut side.live.world),
            8 => {
                let index = bytes.next();
                if let Some(packet) =
                    side.inbox.get(usize::from(index) % side.inbox.len().max(1)).cloned()
                {
                    sent.push(side.merge(&packet));
                }
            }
            9 => sent.push(side.write(bytes)),
            10 if bytes.below(2) == 0 => sent.extend(side.live.replica.dump_packets(size).packets),
            10 => sent.extend(side.live.replica.delta_packets(size).packets),
            _ => side.restart(bytes),
        }
        assert!(sent.len() < 2 || sent.iter().all(|packet| packet.len() <= size.bytes()));
        sides[1 - number].inbox.extend(sent.into_iter().filter(|packet| !packet.is_empty()));
    }
    if mode == 3 {
        for side in &sides {
            let usage = side.live.replica.usage();
            assert!(usage.entities <= limits.entities && usage.tombstones <= limits.tombstones);
        }
    } else {
        settle(&mut sides);
    }
}

/// Lets everything arrive: both sides end in the same bytes and the same matrices.
fn settle(sides: &mut [Side; 2]) {
    for side in &mut *sides {
        side.live.mirror.apply(&mut side.live.replica, &mut side.live.world);
        side.send();
        side.tidy();
        side.send();
    }
    for number in [0, 1, 0, 1] {
        let dump = sides[1 - number].live.replica.dump();
        let side = &mut sides[number];
        side.merge(&dump);
        side.live.update();
        side.edited = false;
        side.send();
        side.live.update();
    }
    let dump = sides[0].live.replica.dump();
    for side in sides {
        // A root entity of the identity makes 0 of -0.
        let mut fresh = Side::new(Limits::default(), side.below_root).live;
        fresh.replica.merge_bytes(&dump).expect("a dump is a good stream");
        fresh.update();
        assert!(side.live.replica.dump() == dump || side.refused, "dumps differ");
        assert_eq!(
            side.live.mirror.findings().len(),
            fresh.mirror.findings().len() + two_scales(&side.live)
        );
        if side.refused {
            continue;
        }
        let found = side.live.matrices();
        for (scene, matrix) in fresh.matrices() {
            assert_eq!(found.get(&scene), Some(&matrix), "{scene}");
        }
    }
}

fn two_scales(live: &Live) -> usize {
    <(&SceneNode, &Scale, &NonUniformScale)>::query().iter(&live.world).count()
}
