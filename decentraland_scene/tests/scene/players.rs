//! Players who come, leave and come back, as a scene of the SDK sees them.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::*;
use decentraland_scene::{merge::*, wire::*};

const NAME: u32 = 1200;
const ONE: SceneTransform =
    SceneTransform { position: [1.0, 0.0, 0.0], ..SceneTransform::IDENTITY };

/// A scene of the SDK with regard to reserved entities: it keeps its counters when they are
/// deleted, deletes at the end of a batch, and counts each deletion as a write of its own.
#[derive(Default)]
struct SdkScene {
    counters: BTreeMap<Key, u32>,
    values: BTreeMap<Key, Vec<u8>>,
}

impl SdkScene {
    fn receive(&mut self, batch: &[u8]) {
        let mut reader = Reader::default();
        let mut left = BTreeSet::new();
        for message in reader.read(batch).unwrap() {
            match message.unwrap() {
                Message::PutComponent { network, entity, component, timestamp, data } => {
                    let key = SceneEntity { network, entity }.key(component);
                    let counter = self.counters.entry(key).or_default();
                    let is_newer = timestamp > *counter;
                    let wins = |last: &Vec<u8>| data > &last[..];
                    if is_newer || timestamp == *counter && self.values.get(&key).is_none_or(wins) {
                        *counter = timestamp;
                        self.values.insert(key, data.to_vec());
                    }
                }
                Message::DeleteEntity { network, entity } => {
                    left.insert(SceneEntity { network, entity });
                }
                other => panic!("{other:?}"),
            }
        }
        let gone: Vec<Key> =
            self.values.keys().copied().filter(|key| left.contains(&key.scene_entity())).collect();
        for key in gone {
            self.values.remove(&key);
            *self.counters.entry(key).or_default() += 1;
        }
    }

    fn sees(&self, entity: SceneEntity) -> [bool; 2] {
        [TRANSFORM, NAME].map(|component| self.values.contains_key(&entity.key(component)))
    }
}

fn player(number: u16, version: u16) -> SceneEntity {
    SceneEntity::local(EntityId::new(number, version))
}

fn comes(host: &mut Replica, who: SceneEntity) {
    host.put_transform(who, &ONE).unwrap();
    host.put(who.key(NAME), b"Ada").unwrap();
}

/// With so many moves before, with so many deltas between the departure and the return.
#[test]
fn a_player_who_comes_back_on_the_same_id_is_seen() {
    for (moves, deltas) in [(0, 0), (0, 1), (9, 0), (9, 1), (9, 2)] {
        let (mut host, mut scene) = (of_role(Role::Host), SdkScene::default());
        let mut to_scene = Connection::new(Role::Scene);
        let ada = player(40, 0);
        for time in 0..3 {
            comes(&mut host, ada);
            for x in 0..moves {
                let position = [x as f32 + 2.0, 0.0, 0.0];
                host.put_transform(ada, &SceneTransform { position, ..ONE }).unwrap();
                scene.receive(&host.delta(&mut to_scene));
            }
            for _ in 0..2 {
                scene.receive(&host.delta(&mut to_scene));
            }
            assert_eq!(scene.sees(ada), [true; 2], "{moves} moves, {deltas} deltas, time {time}");
            host.delete_entity(ada).unwrap();
            for _ in 0..deltas {
                scene.receive(&host.delta(&mut to_scene));
                assert_eq!(scene.sees(ada), [false; 2]);
            }
        }
    }
}

#[test]
fn a_player_who_comes_back_with_less_has_no_more() {
    let (mut host, mut scene, ada) = (of_role(Role::Host), SdkScene::default(), player(40, 0));
    let mut to_scene = Connection::new(Role::Scene);
    comes(&mut host, ada);
    scene.receive(&host.delta(&mut to_scene));
    host.delete_entity(ada).unwrap();
    host.put_transform(ada, &ONE).unwrap();
    for has_more in [true, false] {
        scene.receive(&host.delta(&mut to_scene));
        assert_eq!(to_scene.has_more(), has_more);
    }
    assert_eq!(scene.sees(ada), [true, false]);
    assert!(host.delta(&mut to_scene).is_empty());
}

#[test]
fn a_departure_is_of_one_id_alone() {
    let (mut host, mut scene) = (of_role(Role::Host), SdkScene::default());
    let (mut to_scene, mut to_ours) = (Connection::new(Role::Scene), Connection::new(Role::Scene));
    let mut ours = Replica::default();
    let [ada, bob] = [player(33, 0), player(33, 1)];
    comes(&mut host, ada);
    comes(&mut host, bob);
    host.delete_entity(bob).unwrap();
    assert!(host.is_alive(ada) && !host.is_alive(bob));
    comes(&mut host, bob);
    scene.receive(&host.delta(&mut to_scene));
    ours.merge_bytes(&host.delta(&mut to_ours), Role::Host).unwrap();
    assert_eq!([scene.sees(ada), scene.sees(bob)], [[true; 2]; 2]);
    host.delete_entity(bob).unwrap();
    scene.receive(&host.delta(&mut to_scene));
    ours.merge_bytes(&host.delta(&mut to_ours), Role::Host).unwrap();
    assert_eq!([scene.sees(ada), scene.sees(bob)], [[true; 2], [false; 2]]);
    assert!(ours.is_alive(ada) && !ours.is_alive(bob));
}

/// A connection that reads rarely, or reads everything again, hears of all who left meanwhile.
#[test]
fn who_reads_rarely_hears_of_all_who_left() {
    let mut host = of_role(Role::Host);
    let (mut to_scene, mut scene) = (Connection::new(Role::Scene), SdkScene::default());
    let mut never = Connection::new(Role::Scene);
    for version in 0..5 {
        comes(&mut host, player(40, version));
    }
    scene.receive(&host.delta(&mut to_scene));
    let mut same = SdkScene::default();
    same.receive(&host.delta(&mut never));
    for version in 0..5 {
        host.delete_entity(player(40, version)).unwrap();
    }
    // More departures than are remembered one by one.
    for round in 0..3_000 {
        for number in 50..54 {
            comes(&mut host, player(number, round % 7));
            host.delete_entity(player(number, round % 7)).unwrap();
        }
        if round == 10 {
            scene.receive(&host.delta(&mut to_scene));
        }
    }
    comes(&mut host, player(50, 3));
    for _ in 0..2 {
        scene.receive(&host.delta(&mut to_scene));
        same.receive(&host.delta(&mut never));
    }
    for scene in [scene, same] {
        let seen: BTreeSet<SceneEntity> =
            scene.values.keys().map(|key| key.scene_entity()).collect();
        assert_eq!(seen, BTreeSet::from([player(50, 3)]));
    }
    // Begun anew, though the other end is not new.
    let mut again = Connection::new(Role::Scene);
    again.resync();
    let mut old = SdkScene::default();
    let mut bytes = Vec::new();
    let (entity, data) = (player(40, 4).entity, &ONE.to_bytes());
    put(entity, 1, 1, data).write(&mut bytes).unwrap();
    old.receive(&bytes);
    for _ in 0..2 {
        old.receive(&host.delta(&mut again));
    }
    assert!(!old.sees(player(40, 4))[0] && old.sees(player(50, 3))[0]);
}

/// The upper half of the timestamps is the host's, so that no other program uses up its counter.
#[test]
fn a_scene_cannot_end_what_a_host_counts() {
    let name = |timestamp| put(40, NAME, timestamp, b"Eve");
    for role in [Role::Scene, Role::Peer] {
        let mut host = of_role(Role::Host);
        for timestamp in [u32::MAX, 1 << 31] {
            assert_eq!(host.merge(&name(timestamp), role), Outcome::HostPlaced);
        }
        assert_eq!(host.merge(&name((1 << 31) - 1), role), Outcome::Accepted);
        let key = player(40, 0).key(NAME);
        host.put(key, b"Ada").unwrap();
        assert_eq!(host.component(key), Some(&b"Ada"[..]));
        // A scene's own write stays below, too.
        let mut scene = Replica::new({
            let mut options = ReplicaOptions::default();
            options.keep_other_components = true;
            options
        });
        scene.merge(&name((1 << 31) - 1), Role::Host);
        let refused = scene.put(key, b"Bob").unwrap_err();
        assert_eq!(refused.kind, WriteErrorKind::TimestampExhausted);
        // It is the host's word that counts beyond.
        assert_eq!(scene.merge(&name(u32::MAX), Role::Host), Outcome::Accepted);
    }
    // Of the scene's own entities the number of writes is its own matter.
    let mut replica = of_role(Role::Host);
    let own = put(600, NAME, u32::MAX, b"x");
    assert_eq!(replica.merge(&own, Role::Scene), Outcome::Accepted);
}
