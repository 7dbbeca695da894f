//! One of the two sides that the driver drives.

use std::collections::BTreeSet;

use decentraland_scene::{apply::*, merge::*, wire::*};
use legion::{Entity, IntoQuery, World, component};
use legion_transform::{components::PreviousParent, prelude::*};

use super::{super::live::*, bytes::Bytes};

/// One of the two sides, and what it knows that a real program would not ask.
pub struct Side {
    pub live: Live,
    pub inbox: Vec<Vec<u8>>,
    strangers: Vec<Entity>,
    pub below_root: bool,
    /// What the user edited since edits were last sent.
    pub edited: BTreeSet<SceneEntity>,
    /// What edits were refused of, which may succeed later.
    pub refused: BTreeSet<SceneEntity>,
    /// Those that had a `LocalOverride` at the last apply, or at a send since.
    overridden: BTreeSet<SceneEntity>,
}

impl Side {
    pub fn new(limits: Limits, below_root: bool) -> Self {
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
            edited: BTreeSet::new(),
            refused: BTreeSet::new(),
            overridden: BTreeSet::new(),
        }
    }

    /// Those that have a `LocalOverride`.
    fn marked(&self) -> BTreeSet<SceneEntity> {
        let mut query = <&SceneNode>::query().filter(component::<LocalOverride>());
        query.iter(&self.live.world).map(|node| node.scene).collect()
    }

    pub fn apply(&mut self) {
        self.live.mirror.apply(&mut self.live.replica, &mut self.live.world);
        self.overridden = self.marked();
    }

    /// Sends edits, and checks that each message is about an entity that was edited, and none but
    /// its death about one that is overridden.
    pub fn send(&mut self) -> Vec<u8> {
        let marked = self.marked();
        let Live { mirror, replica, world, .. } = &mut self.live;
        // The edit of an entity is one of the other that is one with it by now.
        let twin = |&scene| replica.network_entity(scene).or(replica.local_entity(scene));
        let twins: Vec<_> = self.edited.iter().filter_map(twin).collect();
        self.edited.extend(&twins);
        let report = mirror.send_edits(replica, world);
        if report.not_ready.is_some() {
            assert!(report.messages.is_empty() && report.refused.is_empty());
            return report.messages;
        }
        let mut reader = Reader::default();
        let messages: Vec<Message<'_>> =
            reader.read(&report.messages).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(report.sent, messages.len());
        self.overridden.extend(marked);
        for message in &messages {
            let is_death = matches!(message, Message::DeleteEntity { .. });
            let scene = message.scene_entity();
            let is_overridden = self.overridden.contains(&scene) && !twins.contains(&scene);
            assert!(is_death || !is_overridden, "overridden: {message:?}");
        }
        let sent = messages.iter().map(Message::scene_entity);
        let refused: Vec<SceneEntity> = report.refused.iter().map(|error| error.scene).collect();
        for scene in sent.chain(refused.iter().copied()) {
            // What was refused of one may be sent of the other.
            let shown = replica.local_entity(scene).unwrap_or(scene);
            let is_refused = self.refused.contains(&scene) || self.refused.contains(&shown);
            assert!(
                self.edited.contains(&scene) || is_refused,
                "{scene} was not edited: {report:?}"
            );
        }
        self.edited.clear();
        self.refused.extend(refused);
        if self.refused.is_empty() {
            let again = mirror.send_edits(replica, world);
            assert_eq!(again, EditReport::default(), "sent twice");
        }
        report.messages
    }

    pub fn merge(&mut self, bytes: &[u8]) -> Vec<u8> {
        let merged = self.live.replica.merge_bytes(bytes, Role::Peer);
        let report = merged.unwrap_or_else(|broken| *broken.report);
        let usage = self.live.replica.usage();
        assert_eq!(usage.bytes, self.live.replica.dump().len());
        report.corrections
    }

    /// A Legion entity of the scene.
    fn any_entity(&self, bytes: &mut Bytes<'_>) -> Option<(SceneEntity, Entity)> {
        let scene = bytes.scene();
        let entity = self.live.mirror.entity(scene)?;
        self.live.world.contains(entity).then_some((scene, entity))
    }

    /// An edit by hand.
    pub fn edit(&mut self, bytes: &mut Bytes<'_>) {
        let (what, entity) = (bytes.below(21), self.any_entity(bytes));
        let other = self.any_entity(bytes);
        // What belongs to the host is never sent.
        let Some((scene, entity)) = entity.filter(|(scene, _)| !scene.is_reserved()) else {
            return;
        };
        let Some(mut entry) = self.live.world.entry(entity) else { return };
        if what == 19 {
            match entry.get_component::<LocalOverride>() {
                Ok(_) => entry.remove_component::<LocalOverride>(),
                Err(_) => entry.add_component(LocalOverride),
            }
            return;
        }
        self.edited.insert(scene);
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
            11 | 16 | 17 => {
                entry.remove_component::<Translation>();
                entry.remove_component::<Rotation>();
                entry.remove_component::<NonUniformScale>();
                entry.remove_component::<Scale>();
                if what > 11 {
                    entry.remove_component::<Parent>();
                    entry.remove_component::<LocalToParent>();
                }
                if what > 16 {
                    entry.remove_component::<LocalToWorld>();
                }
            }
            12 if bytes.below(2) == 0 => {
                let stranger = self.live.world.push((LocalToWorld::identity(),));
                self.strangers.push(stranger);
                self.parent(entity, stranger, bytes);
            }
            12 | 13 => {
                if let Some((_, parent)) = other {
                    self.parent(entity, parent, bytes);
                }
            }
            14 => entry.remove_component::<PreviousParent>(),
            18 => self.say_what_is_merged(scene, entity),
            _ => _ = self.live.world.remove(entity),
        }
    }

    /// Sets the value that the merged state has already, applied or not.
    fn say_what_is_merged(&mut self, scene: SceneEntity, entity: Entity) {
        let TransformState::Live { bytes, .. } = self.live.replica.transform(scene) else { return };
        let [x, y, z] = SceneTransform::from_bytes(bytes).position;
        let Some(mut entry) = self.live.world.entry(entity) else { return };
        entry.add_component(Translation::new(x, y, z));
    }

    fn parent(&mut self, entity: Entity, parent: Entity, bytes: &mut Bytes<'_>) {
        let Some(mut entry) = self.live.world.entry(entity) else { return };
        entry.add_component(Parent(parent));
        if bytes.below(2) == 0 {
            entry.add_component(LocalToParent::identity());
        }
    }

    /// A write through the replica; returns its message.
    pub fn write(&mut self, bytes: &mut Bytes<'_>) -> Vec<u8> {
        let (what, scene) = (bytes.below(10), bytes.scene());
        let SceneEntity { network, entity } = bytes.scene();
        let named = NetworkEntity { network: network.unwrap_or(1), entity }.to_bytes();
        let replica = &mut self.live.replica;
        let result = match what {
            0 => replica.delete_transform(scene),
            1 => replica.delete_entity(scene),
            2 => replica.put(scene.key(9), &[what; 5][..usize::from(bytes.below(6))]),
            3 => {
                let components = [9, NETWORK_ENTITY, NETWORK_PARENT];
                replica.delete(scene.key(components[usize::from(bytes.below(3))]))
            }
            4 => replica.append(scene.entity, 9, &[7]),
            5 => match replica.new_entity() {
                Ok(new) => replica.put_transform(
                    new,
                    &SceneTransform { parent: scene.entity, ..SceneTransform::IDENTITY },
                ),
                Err(_) => return Vec::new(),
            },
            6 => replica.put(scene.key(NETWORK_ENTITY), &named),
            7 => replica.put(scene.key(NETWORK_PARENT), &named),
            _ => replica.put_transform(scene, &bytes.transform()),
        };
        let mut out = Vec::new();
        if let Ok(message) = result {
            message.write(&mut out).expect("a short message");
        }
        out
    }

    /// Starts anew in some way.
    pub fn restart(&mut self, bytes: &mut Bytes<'_>) {
        let Live { mirror, replica, world, .. } = &mut self.live;
        match bytes.below(4) {
            0 => {
                mirror.clear(world);
                self.edited.clear();
                self.refused.clear();
                self.overridden.clear();
            }
            1 => *replica = replica.clone(),
            2 => _ = mirror.place(world, SceneEntity::PLAYER),
            _ => _ = mirror.place(world, bytes.scene()),
        }
    }

    /// Takes back what can never be sent, so that what remains is the scene once more is applied.
    pub fn tidy(&mut self) {
        for stranger in std::mem::take(&mut self.strangers) {
            self.live.world.remove(stranger);
        }
        for scene in self.marked() {
            let entity = self.live.mirror.entity(scene).unwrap();
            self.live.world.entry(entity).unwrap().remove_component::<LocalOverride>();
        }
        self.live.run();
    }
}
