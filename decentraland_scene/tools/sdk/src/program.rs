//! One program: what it does, and what is under way.

use std::collections::{BTreeSet, VecDeque};

use decentraland_scene::{merge::*, wire::*};

use crate::{
    compare,
    sdk::{Sdk, hex, unhex},
};

/// The id that the SDK gives to the component "test::bytes".
pub const BYTES: u32 = 2_759_375;
/// A scene's number is its network's, less one.
pub const SCENES: usize = 2;
/// The network of our peer, and its first entity: other numbers than those of the scenes.
const PEER: u32 = 9;
const PEER_ENTITIES: u16 = 40_000;
const STEPS: u32 = 60;

/// A scene of the SDK, its renderer, and what is under way to and from it.
pub struct Scene {
    pub renderer: Replica,
    to_scene: Connection,
    from_renderer: VecDeque<Vec<u8>>,
    from_network: VecDeque<Vec<u8>>,
    to_renderer: VecDeque<Vec<u8>>,
    to_peer: VecDeque<Vec<u8>>,
    /// Its own entities.
    entities: Vec<u32>,
    /// The entities that stood here for those that others deleted in their network. The SDK tells
    /// its renderer so under the number that the entity has there, so the renderer keeps it.
    pub left_over: BTreeSet<EntityId>,
}

pub struct Program<'a> {
    pub sdk: &'a mut Sdk,
    pub scenes: [Scene; SCENES],
    pub peer: Replica,
    to_peers: [Connection; SCENES],
    /// The entities of networks, as all know them.
    pub synced: Vec<SceneEntity>,
    players: Vec<SceneEntity>,
    is_old: bool,
    random: u64,
}

impl<'a> Program<'a> {
    /// Runs the program with this seed, and returns how many values were the same.
    pub fn run(sdk: &'a mut Sdk, version: &str, seed: u64) -> Result<usize, String> {
        sdk.say(&format!("new {version} {SCENES}"));
        // Each scene has numbers of its own, because of what is `left_over`.
        for _ in 0..100 {
            sdk.say("add 1");
        }
        let mut options = ReplicaOptions::default();
        (options.keep_other_components, options.role) = (true, Role::Host);
        options.numbers = NumberRange::new(32, 40);
        let scene = |_| Scene {
            renderer: Replica::new(options),
            to_scene: Connection::new(Role::Scene),
            from_renderer: VecDeque::new(),
            from_network: VecDeque::new(),
            to_renderer: VecDeque::new(),
            to_peer: VecDeque::new(),
            entities: Vec::new(),
            left_over: BTreeSet::new(),
        };
        let scenes = [0, 1].map(scene);
        options.role = Role::Scene;
        options.numbers = NumberRange::new(PEER_ENTITIES, u16::MAX);
        let mut program = Self {
            sdk,
            scenes,
            peer: Replica::new(options),
            to_peers: [(); SCENES].map(|()| Connection::new(Role::Peer)),
            synced: Vec::new(),
            players: Vec::new(),
            is_old: version == "7.4",
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        };
        for _ in 0..program.below(STEPS) {
            program.step();
        }
        program.settle();
        compare::all(&mut program)
    }

    fn step(&mut self) {
        let at = self.below(SCENES as u32) as usize;
        let what = self.below(26);
        match what {
            0 | 1 => self.make(at, false),
            2 => self.make(at, true),
            3..6 => self.edit(at),
            6 => self.delete_component(at),
            7 => self.delete_entity(at),
            8 | 9 => self.make(at, true),
            10 | 11 => self.tie(at),
            12 => self.peer_makes(),
            13..15 => self.peer_edits(),
            15..17 => self.renderer_writes(at),
            17 => self.player_comes(at),
            // Old SDKs give the numbers of players who left to entities of the scene.
            18 if !self.is_old => self.player_leaves(at),
            19..22 => {
                let packets = self.below(3) as usize;
                self.tick(at, packets);
            }
            22 | 23 => _ = self.renderer_tick(at),
            _ => _ = self.peer_tick(),
        }
        // Systems edit between what comes and what is sent in a tick. (Of a value that is not sent
        // yet when a write of another comes at its timestamp, SDKs forget that the last one won.)
        if what < 12 && self.below(3) > 0 {
            self.edit(at);
        }
        if what < 12 {
            self.update(at);
        }
    }

    /// A new entity of a scene. A synced one is so from the beginning: the SDK does not send peers
    /// what was written before.
    fn make(&mut self, at: usize, is_synced: bool) {
        let entity: u32 = self.sdk.say(&format!("add {at}")).parse().expect("an id");
        self.scenes[at].entities.push(entity);
        self.put(at, entity, TRANSFORM);
        if is_synced {
            let name = SceneEntity::networked(at as u32 + 1, EntityId(entity));
            self.name(at, entity, NETWORK_ENTITY, name);
            self.synced.push(name);
        }
    }

    fn put(&mut self, at: usize, entity: u32, component: u32) {
        let value = self.value(component);
        self.sdk.say(&format!("put {at} {entity} {component} {}", hex(&value)));
    }

    /// An own entity of a scene.
    fn own(&mut self, at: usize) -> Option<u32> {
        let place = self.below(self.scenes[at].entities.len().max(1) as u32);
        self.scenes[at].entities.get(place as usize).copied()
    }

    fn edit(&mut self, at: usize) {
        let component = self.component();
        match self.own_or_synced(at) {
            Some(entity) => self.put(at, entity, component),
            None => self.make(at, false),
        }
    }

    /// An own entity of a scene, or one that stands there for one of a network.
    fn own_or_synced(&mut self, at: usize) -> Option<u32> {
        let own = self.own(at);
        let place = self.below(self.synced.len().max(1) as u32) as usize;
        match self.synced.get(place).copied() {
            Some(there) if self.below(2) == 0 => compare::local(self, at, there).or(own),
            _ => own,
        }
    }

    fn delete_component(&mut self, at: usize) {
        let component = self.component();
        if let Some(entity) = self.own_or_synced(at) {
            self.sdk.say(&format!("delete {at} {entity} {component}"));
        }
    }

    /// A plain entity at any time; a synced one where nothing is under way: SDKs make one anew if
    /// a write of another comes after the deletion, and then they do not agree among themselves.
    fn delete_entity(&mut self, at: usize) {
        let Some(entity) = self.own(at) else { return };
        let name = SceneEntity::networked(at as u32 + 1, EntityId(entity));
        let is_synced = self.synced.contains(&name);
        if is_synced {
            self.settle();
            let left_over = compare::local(self, 1 - at, name);
            self.scenes[1 - at].left_over.extend(left_over.map(EntityId));
        }
        self.sdk.say(&format!("remove {at} {entity}"));
        self.update(at);
        self.scenes[at].entities.retain(|&own| own != entity);
        if is_synced {
            self.settle();
            self.synced.retain(|&synced| synced != name);
        }
    }

    fn name(&mut self, at: usize, entity: u32, component: u32, name: SceneEntity) {
        let network = name.network.unwrap_or(0);
        let value = NetworkEntity { network, entity: name.entity }.to_bytes();
        self.sdk.say(&format!("put {at} {entity} {component} {}", hex(&value)));
    }

    /// Makes a synced entity the child of another one.
    fn tie(&mut self, at: usize) {
        let Some(entity) = self.own(at) else { return };
        let child = SceneEntity::networked(at as u32 + 1, EntityId(entity));
        let place = self.below(self.synced.len().max(1) as u32) as usize;
        if let Some(&parent) = self.synced.get(place)
            && self.synced.contains(&child)
            && parent != child
        {
            self.name(at, entity, NETWORK_PARENT, parent);
        }
    }

    fn peer_makes(&mut self) {
        let Ok(entity) = self.peer.new_entity() else { return };
        let name = SceneEntity::networked(PEER, entity.entity);
        let named = NetworkEntity { network: PEER, entity: entity.entity }.to_bytes();
        let transform = self.value(TRANSFORM);
        let puts = [(TRANSFORM, transform), (NETWORK_ENTITY, named.to_vec())];
        for (component, value) in puts {
            self.peer.put(entity.key(component), &value).expect("a new entity");
        }
        self.synced.push(name);
    }

    /// Our peer writes or deletes under the network's name, or under a plain one that it gives.
    fn peer_edits(&mut self) {
        let place = self.below(self.synced.len().max(1) as u32) as usize;
        let Some(&name) = self.synced.get(place) else { return };
        let mut entity = self.peer.local_entity(name).unwrap_or(name);
        if entity == name && self.below(4) == 0 {
            entity = self.peer.new_entity().expect("many numbers");
            let network = name.network.unwrap_or(0);
            let named = NetworkEntity { network, entity: name.entity }.to_bytes();
            self.peer.put(entity.key(NETWORK_ENTITY), &named).expect("a new entity");
        }
        let entity = if self.below(3) == 0 { name } else { entity };
        let component = self.component();
        let value = self.value(component);
        if self.below(5) == 0 {
            self.peer.delete(entity.key(component)).expect("it lives");
        } else {
            self.peer.put(entity.key(component), &value).expect("it lives");
        }
    }

    fn renderer_writes(&mut self, at: usize) {
        let value = self.value(BYTES);
        if let Some(entity) = self.own(at) {
            // It may be dead there already.
            let key = SceneEntity::local(EntityId(entity)).key(BYTES);
            _ = self.scenes[at].renderer.put(key, &value);
        }
        let value = SceneTransform::from_bytes(&self.transform(EntityId::ROOT));
        let own = [SceneEntity::PLAYER, SceneEntity::CAMERA][self.below(2) as usize];
        self.scenes[at].renderer.put_transform(own, &value).expect("a host moves players");
    }

    fn player_comes(&mut self, at: usize) {
        let value = SceneTransform::from_bytes(&self.transform(EntityId::ROOT));
        let again = self.below(2) == 0;
        let renderer = &mut self.scenes[at].renderer;
        let known = self.players.first().copied().filter(|_| again);
        let Some(player) = known.or_else(|| renderer.new_entity().ok()) else { return };
        renderer.put_transform(player, &value).expect("a host moves players");
        renderer.put(player.key(BYTES), b"player").expect("a host names players");
        self.players.push(player);
    }

    fn player_leaves(&mut self, at: usize) {
        let place = self.below(self.players.len().max(1) as u32) as usize;
        if let Some(&player) = self.players.get(place) {
            // It may be a player of the other scene.
            _ = self.scenes[at].renderer.delete_entity(player);
        }
    }

    /// A tick of a scene: what came from the network, and a packet of its renderer. Two would be
    /// one batch, and the SDK deletes entities at the end of a batch: who leaves and is back has a
    /// packet for each.
    fn tick(&mut self, at: usize, packets: usize) -> bool {
        let scene = &mut self.scenes[at];
        let from_network = packets.min(scene.from_network.len());
        let network = scene.from_network.drain(..from_network).map(|packet| (1, packet));
        let from_renderer = scene.from_renderer.pop_front().map(|packet| (0, packet));
        let lines: Vec<String> = from_renderer
            .into_iter()
            .chain(network)
            .map(|(transport, packet)| format!("receive {at} {transport} {}", hex(&packet)))
            .collect();
        lines.iter().for_each(|line| _ = self.sdk.say(line));
        self.update(at) || !lines.is_empty()
    }

    fn update(&mut self, at: usize) -> bool {
        let sent = self.sdk.say(&format!("update {at}"));
        let (renderer, network) = sent.split_once(' ').expect("two transports");
        let packets = |text: &str| -> Vec<Vec<u8>> {
            text.split(',').filter(|packet| !packet.is_empty()).map(unhex).collect()
        };
        self.scenes[at].to_renderer.extend(packets(renderer));
        self.scenes[at].to_peer.extend(packets(network));
        self.scenes[1 - at].from_network.extend(packets(network));
        sent.len() > 1
    }

    /// A renderer takes what has come, and sends what the scene does not know.
    fn renderer_tick(&mut self, at: usize) -> bool {
        let Scene { renderer, to_scene, to_renderer, from_renderer, .. } = &mut self.scenes[at];
        let mut report = MergeReport::default();
        for packet in to_renderer.drain(..) {
            renderer.receive_packet(to_scene, &packet, &mut report);
        }
        assert_eq!(report.faults, []);
        // SDKs misread answers about `Transform`s beside a `NetworkParent`: 7.4 by four bytes, and
        // 7.28 has those of two messages in one buffer.
        let mut packet = chosen(&report.corrections, |message| {
            message.key().is_some_and(|key| key.component != TRANSFORM)
        });
        packet.extend(renderer.delta(to_scene));
        from_renderer.extend(Some(packet).filter(|packet| !packet.is_empty()));
        !from_renderer.is_empty() || to_scene.has_more()
    }

    /// Our peer takes what has come, and sends what each scene does not know: of networks alone, as
    /// the SDK's transport does.
    fn peer_tick(&mut self) -> bool {
        let mut is_sent = false;
        for (scene, to_peer) in self.scenes.iter_mut().zip(&mut self.to_peers) {
            let mut report = MergeReport::default();
            for packet in scene.to_peer.drain(..) {
                self.peer.receive_packet(to_peer, &packet, &mut report);
            }
            assert_eq!(report.faults, []);
            let mut messages = report.corrections;
            messages.extend(self.peer.delta(to_peer));
            let packet = chosen(&messages, |message| message.scene_entity().network.is_some());
            is_sent |= !packet.is_empty();
            scene.from_network.extend(Some(packet).filter(|packet| !packet.is_empty()));
        }
        is_sent
    }

    /// Lets all arrive.
    fn settle(&mut self) {
        let mut quiet = 0;
        for _ in 0..100 {
            let mut is_quiet = true;
            for at in 0..SCENES {
                is_quiet &= !self.renderer_tick(at);
                is_quiet &= !self.tick(at, usize::MAX);
            }
            is_quiet &= !self.peer_tick();
            quiet = if is_quiet { quiet + 1 } else { 0 };
            if quiet == 2 {
                return;
            }
        }
        panic!("the scenes do not come to rest");
    }

    fn component(&mut self) -> u32 {
        [TRANSFORM, BYTES][self.below(2) as usize]
    }

    fn value(&mut self, component: u32) -> Vec<u8> {
        if component == TRANSFORM {
            let parent = [0, 1, 2, 512, 513][self.below(5) as usize];
            return self.transform(EntityId(parent)).to_vec();
        }
        (0..self.below(4)).map(|_| self.below(256) as u8).collect()
    }

    fn transform(&mut self, parent: EntityId) -> [u8; SceneTransform::LEN] {
        let position = [(); 3].map(|()| self.below(8) as f32 - 3.5);
        SceneTransform { position, parent, ..SceneTransform::IDENTITY }.to_bytes()
    }

    pub fn below(&mut self, limit: u32) -> u32 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as u32 % limit.max(1)
    }
}

/// Some of these messages.
fn chosen(messages: &[u8], is_chosen: impl Fn(&Message<'_>) -> bool) -> Vec<u8> {
    let mut packet = Vec::new();
    for message in Reader::default().read(messages).expect("messages of ours") {
        let message = message.expect("messages of ours");
        if is_chosen(&message) {
            message.write(&mut packet).expect("a short message");
        }
    }
    packet
}
