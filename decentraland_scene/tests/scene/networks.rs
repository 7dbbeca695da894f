//! Entities of networks: which plain entity stands for them, and who their parents are.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    common::*,
    messages::{Owned, any_transform, encode},
};
use decentraland_scene::{merge::*, wire::*};
use proptest::prelude::*;

fn with(messages: &[Message<'_>]) -> Replica {
    let mut replica = Replica::default();
    let report = replica.merge_bytes(&encode(messages), Role::Host).unwrap();
    assert_eq!(report.accepted, messages.len() as u64);
    replica
}

/// The bytes of a live `Transform`, the parent, and the entity whose `Transform` it is.
fn shown(replica: &Replica, entity: SceneEntity) -> (&[u8; 44], SceneEntity, SceneEntity) {
    let EffectiveTransform { state, parent, source, .. } = replica.effective(entity);
    let TransformState::Live { bytes, .. } = state else { panic!("{entity} is {state:?}") };
    (bytes, parent, source)
}

#[test]
fn the_ids_are_those_of_the_sdk() {
    // crc32 of the name with zeros up to 128 bytes, plus 2048; as in main.crdt of real scenes.
    assert_eq!((NETWORK_ENTITY, NETWORK_PARENT), (1_075_645_054, 1_420_531_287));
    // networkId as Int64, then entityId: entity 8002 of network 0.
    let bytes = [0, 0, 0, 0, 0, 0, 0, 0, 0x42, 0x1f, 0, 0];
    let value = NetworkEntity { network: 0, entity: EntityId(8002) };
    assert_eq!((NetworkEntity::from_bytes(&bytes), value.to_bytes()), (Some(value), bytes));
    for bad in [&[][..], &[0; 11], &[0; 13], &[0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], &[0xff; 12]] {
        assert_eq!(NetworkEntity::from_bytes(bad), None, "{bad:?}");
    }
}

#[test]
fn two_that_are_one_have_the_later_transform() {
    let mut replica = with(&[
        put(local(512), NETWORK_ENTITY, 1, reference(0, 8001)),
        put(local(512), TRANSFORM, 1, at(1.0, 0)),
    ]);
    let door = SceneEntity::networked(0, EntityId(8001));
    let unknown = TransformState::Unknown;
    assert_eq!(replica.local_entity(door), Some(local(512)));
    assert_eq!(replica.network_entity(local(512)), Some(door));
    replica.merge(&put(door, TRANSFORM, 2, at(2.0, 0)), Role::Peer);
    assert_eq!(shown(&replica, local(512)), (at(2.0, 0), SceneEntity::ROOT, door));
    assert_eq!(replica.effective(door).state, unknown);
    // Each is dumped in the form in which it came.
    assert_eq!(replica.dump().len(), 36 + 68 + 72);
    // A write of either is the later one, also of the value that it has.
    let ours = replica.put_transform(local(512), &SceneTransform::from_bytes(at(1.0, 0)));
    assert_eq!(ours, Ok(put(local(512), TRANSFORM, 3, at(1.0, 0))));
    assert_eq!(shown(&replica, local(512)), (at(1.0, 0), SceneEntity::ROOT, local(512)));
    let ours = replica.put_transform(door, &SceneTransform::from_bytes(at(5.0, 0)));
    assert_eq!(ours, Ok(put(door, TRANSFORM, 4, at(5.0, 0))));
    assert!(replica.delete_transform(local(512)).is_ok());
    assert_eq!(replica.effective(local(512)).state, TransformState::Deleted { timestamp: 5 });
    // The death of the entity of the network is that of the plain one.
    let death = death(SceneEntity::networked(0, EntityId(8001)));
    replica.merge(&death, Role::Peer);
    assert_eq!(replica.effective(local(512)).state, TransformState::Dead);
}

#[test]
fn a_parent_of_many_that_changes_back_and_forth_costs_one_look() {
    let mut replica = Replica::default();
    for id in 1000..21_000 {
        replica.put(there(id).key(NETWORK_PARENT), reference(A, 40)).unwrap();
        replica.put(there(id).key(TRANSFORM), at(1.0, 0)).unwrap();
    }
    let mut cursor = ChangeCursor::default();
    replica.for_each_change(&mut cursor, |_, _| {});
    for _ in 0..5_000 {
        replica.put(local(512).key(NETWORK_ENTITY), reference(A, 40)).unwrap();
        replica.delete(local(512).key(NETWORK_ENTITY)).unwrap();
    }
    replica.put(local(512).key(NETWORK_ENTITY), reference(A, 40)).unwrap();
    let mut seen = BTreeSet::new();
    let begins_anew = replica.begins_anew(&cursor);
    replica.for_each_change(&mut cursor, |entity, effective| {
        assert!(seen.insert(entity), "{entity} comes twice");
        if entity.network.is_some() && entity != there(40) {
            assert_eq!(effective.parent, local(512));
        }
    });
    assert!(!begins_anew);
    assert_eq!(seen.len(), 20_000 + 2);
}

#[test]
fn a_death_is_no_reason_to_look_at_those_who_died_before() {
    let mut replica = Replica::default();
    let mut cursor = ChangeCursor::default();
    let version = |version| EntityId::new(40, version);
    for (id, version) in [(512, version(0)), (513, version(1)), (514, version(2))] {
        replica.put(local(id).key(NETWORK_ENTITY), reference(A, version.0)).unwrap();
    }
    replica.for_each_change(&mut cursor, |_, _| {});
    for (id, version) in [(512, version(0)), (513, version(1)), (514, version(2))] {
        replica.delete_entity(SceneEntity::networked(A, version)).unwrap();
        let mut seen = Vec::new();
        replica.for_each_change(&mut cursor, |entity, _| seen.push(entity));
        assert_eq!(seen, [local(id), SceneEntity::networked(A, version)]);
    }
}

/// 34465 and 100001 have the same lower half; the SDK's scenes number synced entities so.
#[test]
fn ids_of_a_network_are_not_split() {
    let (low, high) = (there(34_465), there(100_001));
    assert_eq!(low.entity.number(), high.entity.number());
    let mut replica = Replica::default();
    replica.merge(&put(low, TRANSFORM, 1, at(1.0, 0)), Role::Peer);
    replica.merge(&put(high, TRANSFORM, 1, at(2.0, 0)), Role::Peer);
    assert!(replica.is_alive(low) && replica.is_alive(high));
    replica.delete_entity(high).unwrap();
    assert!(replica.is_alive(low) && replica.is_dead(high) && !replica.is_dead(low));
    replica.delete_entity(low).unwrap();
    assert_eq!(replica.usage().tombstones, 2);
    assert_eq!(replica.usage().bytes, replica.dump().len());
    let mut copy = Replica::default();
    copy.merge_bytes(&replica.dump(), Role::Peer).unwrap();
    assert!(copy.is_dead(low) && copy.is_dead(high) && copy.dump() == replica.dump());
    assert_eq!(low.to_string(), "entity 34465 of network 7");
}

/// A timestamp and a value.
type Write<'a> = (u32, Option<&'a [u8]>);

fn later<'a>(a: Option<&Write<'a>>, b: Option<&Write<'a>>) -> Option<Write<'a>> {
    let rank = |write: &Write<'_>| (write.0, write.1.map(|data| (data.len(), data.to_vec())));
    match (a, b) {
        (Some(a), Some(b)) if rank(b) > rank(a) => Some(*b),
        (a, b) => a.or(b).copied(),
    }
}

/// What is shown, by the rules, from the messages of a dump.
fn expected(dump: &[u8]) -> BTreeMap<SceneEntity, (Option<[u8; 44]>, SceneEntity)> {
    let mut reader = Reader::new(usize::MAX);
    let messages: Vec<Message<'_>> = reader.read(dump).unwrap().map(|item| item.unwrap()).collect();
    let mut writes: BTreeMap<(SceneEntity, u32), Write<'_>> = BTreeMap::new();
    let mut deaths = Vec::new();
    for message in &messages {
        let scene = message.scene_entity();
        match *message {
            Message::PutComponent { component, timestamp, data, .. } => {
                writes.insert((scene, component), (timestamp, Some(data)));
            }
            Message::DeleteComponent { component, timestamp, .. } => {
                writes.insert((scene, component), (timestamp, None));
            }
            Message::DeleteEntity { .. } => deaths.push(scene),
            _ => {}
        }
    }
    let is_dead = |scene: SceneEntity| {
        // Only of a twin, whose id is opaque.
        deaths.contains(&scene)
    };
    let value = |scene, component| {
        let (_, data) = *writes.get(&(scene, component))?;
        Some(SceneEntity::from(NetworkEntity::from_bytes(data?)?))
    };
    // The lowest plain entity that names each.
    let mut locals: BTreeMap<SceneEntity, SceneEntity> = BTreeMap::new();
    for &(scene, component) in writes.keys() {
        let may_name = scene.network.is_none() && scene.entity.number() >= 512;
        if component == NETWORK_ENTITY
            && may_name
            && let Some(named) = value(scene, component)
        {
            locals.entry(named).or_insert(scene);
        }
    }
    let shown = |scene: SceneEntity| locals.get(&scene).copied().unwrap_or(scene);
    let scenes: BTreeSet<SceneEntity> = writes.keys().map(|&(scene, _)| shown(scene)).collect();
    let mut expected = BTreeMap::new();
    for scene in scenes {
        let named = value(scene, NETWORK_ENTITY)
            .filter(|_| scene.network.is_none() && scene.entity.number() >= 512);
        let twin = named.filter(|&named| shown(named) == scene);
        let of = |component| {
            let theirs = twin.and_then(|twin| writes.get(&(twin, component)));
            later(writes.get(&(scene, component)), theirs)
        };
        let Some((_, transform)) = of(TRANSFORM) else { continue };
        if twin.is_some_and(is_dead) {
            continue;
        }
        let bytes: Option<[u8; 44]> = transform.map(|data| data.try_into().unwrap());
        let is_synced = named.is_some() || scene.network.is_some();
        let parent = of(NETWORK_PARENT)
            .and_then(|(_, data)| NetworkEntity::from_bytes(data?))
            .filter(|_| is_synced)
            .map(|parent| shown(parent.into()));
        let parent = bytes.map_or(SceneEntity::ROOT, |bytes| {
            parent.unwrap_or(SceneEntity::local(SceneTransform::from_bytes(&bytes).parent))
        });
        expected.insert(scene, (bytes, parent));
    }
    expected
}

/// Messages about few entities of one network and plain ones, which name one another.
fn any_tie() -> impl Strategy<Value = Owned> {
    let network = prop_oneof![Just(None), Just(Some(A))];
    let id = (510u16..516, 0u16..2).prop_map(|(number, version)| EntityId::new(number, version));
    let named = (510u16..516, 0u16..2)
        .prop_map(|(number, version)| reference(A, EntityId::new(number, version).0).to_vec());
    let named = prop_oneof![9 => named, 1 => Just(vec![1, 2, 3])];
    let value = (0u8..16, network, id, 0u32..4, named, any_transform());
    value.prop_map(|(kind, network, entity, timestamp, named, transform)| {
        let (component, data) = match kind {
            0..4 => (NETWORK_ENTITY, named),
            4..8 => (NETWORK_PARENT, named),
            _ => (TRANSFORM, transform.to_bytes().to_vec()),
        };
        match kind {
            0 | 4 | 8 => Owned::DeleteComponent { network, entity, component, timestamp },
            9 => Owned::DeleteEntity { network, entity },
            _ => Owned::PutComponent { network, entity, component, timestamp, data },
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::soak::cases(120)))]

    /// What is shown follows from the state alone, and a follower that reads now and then knows it.
    #[test]
    fn what_is_shown_is_a_function_of_the_state(
        messages in prop::collection::vec((any_tie(), any::<bool>()), 0..60),
    ) {
        let mut replica = Replica::default();
        let (mut cursor, mut followed) = (ChangeCursor::default(), BTreeMap::new());
        for (message, reads) in &messages {
            replica.merge(&message.message(), Role::Host);
            if !reads {
                continue;
            }
            let mut changes = Vec::new();
            let begins_anew = replica.begins_anew(&cursor);
    replica.for_each_change(&mut cursor, |entity, effective| {
                let shown = match effective.state {
                    TransformState::Live { bytes, .. } => Some((Some(*bytes), effective.parent)),
                    TransformState::Deleted { .. } => Some((None, effective.parent)),
                    _ => None,
                };
                changes.push((entity, shown));
            });
            if begins_anew {
                followed.clear();
            }
            let count = changes.len();
            let entities: BTreeSet<_> = changes.iter().map(|(entity, _)| *entity).collect();
            prop_assert_eq!(entities.len(), count, "one comes twice");
            for (entity, shown) in changes {
                match shown {
                    Some(shown) => _ = followed.insert(entity, shown),
                    None => _ = followed.remove(&entity),
                }
            }
            prop_assert_eq!(&followed, &expected(&replica.dump()));
        }
        let mut backwards = Replica::default();
        let all: Vec<Owned> = messages.into_iter().map(|(message, _)| message).rev().collect();
        // Reserved deletions of a host depend on their order, as they leave no tombstone.
        if !all.iter().any(|message| {
            matches!(message, Owned::DeleteEntity { network: None, entity } if entity.is_reserved())
        }) {
            backwards.merge_bytes(&encode_owned(&all), Role::Host).unwrap();
            prop_assert_eq!(backwards.dump(), replica.dump());
            prop_assert_eq!(expected(&backwards.dump()), expected(&replica.dump()));
        }
    }
}
