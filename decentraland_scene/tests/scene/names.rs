//! The names under which components go to renderers and to peers.

use std::collections::BTreeMap;

use crate::{common::*, messages::encode};
use decentraland_scene::{merge::*, wire::*};
use proptest::prelude::*;

/// A delta to a peer as the SDK's transport sends it: without entities of no network.
fn networked(scene: &mut Replica, to_peer: &mut Connection) -> Vec<u8> {
    let delta = scene.delta(to_peer);
    let mut reader = Reader::default();
    let messages = reader.read(&delta).unwrap().map(|message| message.unwrap());
    let synced: Vec<_> = messages.filter(|m| m.scene_entity().network.is_some()).collect();
    encode(&synced)
}

fn to_renderer() -> Connection {
    Connection::new(Role::Host).with_names(Names::Plain)
}

#[test]
fn the_first_edit_of_a_synced_entity_reaches_peers() {
    let mut scene = keeping_all();
    let (mut to_peer, mut to_renderer) = (Connection::new(Role::Peer), to_renderer());
    scene.put(local(600).key(TRANSFORM), at(1.0, 0)).unwrap();
    scene.put(local(600).key(GLTF), b"door").unwrap();
    // Not synced yet.
    assert!(networked(&mut scene, &mut to_peer).is_empty());
    scene.put(local(600).key(NETWORK_ENTITY), reference(A, 600)).unwrap();
    let first = [
        put(there(600), TRANSFORM, 1, at(1.0, 0)),
        put(there(600), GLTF, 1, b"door"),
        put(there(600), NETWORK_ENTITY, 1, reference(A, 600)),
    ];
    assert_eq!(networked(&mut scene, &mut to_peer), encode(&first));
    scene.put(local(600).key(TRANSFORM), at(2.0, 0)).unwrap();
    scene.delete(local(600).key(GLTF)).unwrap();
    let (network, entity) = (Some(A), EntityId(600));
    let gone = Message::DeleteComponent { network, entity, component: GLTF, timestamp: 2 };
    assert_eq!(
        networked(&mut scene, &mut to_peer),
        encode(&[put(there(600), TRANSFORM, 2, at(2.0, 0)), gone])
    );
    // The renderer knows plain names.
    let plain = delete(entity, GLTF, 2);
    let all = [
        put(local(600), TRANSFORM, 2, at(2.0, 0)),
        plain,
        put(local(600), NETWORK_ENTITY, 1, reference(A, 600)),
    ];
    assert_eq!(scene.delta(&mut to_renderer), encode(&all));
    // The default of a peer, and what has no name there.
    assert_eq!(Connection::new(Role::Peer).names(), Names::Networked);
    scene.append(EntityId(600), 1063, b"clicked").unwrap();
    assert!(scene.delta(&mut Connection::new(Role::Peer)).len() > 100);
    assert!(networked(&mut scene, &mut to_peer).is_empty());
}

#[test]
fn an_edit_of_a_peer_goes_to_the_renderer_under_its_plain_name() {
    let mut scene = keeping_all();
    let (mut to_renderer, mut from_peer) = (to_renderer(), Connection::new(Role::Peer));
    let mut receive = |scene: &mut Replica, messages: &[Message<'_>]| {
        scene.receive(&mut from_peer, &encode(messages), &mut MergeReport::default()).unwrap();
    };
    // Nothing stands for it yet.
    receive(&mut scene, &[put(there(41), TRANSFORM, 3, at(1.0, 9))]);
    receive(&mut scene, &[put(there(41), NETWORK_PARENT, 1, reference(A, 40))]);
    assert!(scene.delta(&mut to_renderer).is_empty());
    scene.put(local(513).key(NETWORK_ENTITY), reference(A, 41)).unwrap();
    let named = |parent| {
        let value = at(1.0, parent);
        let all = [
            put(local(513), NETWORK_ENTITY, 1, reference(A, 41)),
            put(local(513), TRANSFORM, 3, value),
            put(local(513), NETWORK_PARENT, 1, reference(A, 40)),
        ];
        encode(&all)
    };
    // The parent has no plain name: the root.
    assert_eq!(scene.delta(&mut to_renderer), named(0));
    scene.put(local(512).key(NETWORK_ENTITY), reference(A, 40)).unwrap();
    let parent = [
        put(local(512), NETWORK_ENTITY, 1, reference(A, 40)),
        put(local(513), TRANSFORM, 3, at(1.0, 512)),
    ];
    let mut both = scene.delta(&mut to_renderer);
    both.truncate(encode(&parent).len());
    assert_eq!(both, encode(&parent));
    // An older write of the other name counts for nothing; a death is that of the plain one.
    scene.merge(&put(local(513), TRANSFORM, 2, at(8.0, 0)), Role::Scene);
    assert!(scene.delta(&mut to_renderer).is_empty());
    receive(&mut scene, &[death(SceneEntity::networked(A, EntityId(41)))]);
    let death = death(513);
    assert_eq!(scene.delta(&mut to_renderer), encode(&[death]));
}

/// Other readers in between change nothing.
#[test]
fn appended_values_go_in_their_order() {
    let mut deltas = Vec::new();
    for is_read in [false, true] {
        let mut scene = keeping_all();
        scene.put(local(600).key(NETWORK_ENTITY), reference(A, 600)).unwrap();
        let mut end = to_renderer();
        let _ = scene.delta(&mut end);
        for timestamp in [9, 3] {
            let (entity, component, data) = (EntityId(512), 1063, b"x");
            let value = Message::AppendValue { entity, component, timestamp, data };
            scene.merge(&value, Role::Scene);
            if is_read {
                let _ = scene.delta(&mut Connection::new(Role::Peer));
            }
        }
        deltas.push(scene.delta(&mut end));
    }
    assert_eq!(deltas[0], deltas[1]);
}

/// What a scene does in one step: makes a tie, or writes under one of the two names.
#[derive(Clone, Debug)]
enum Step {
    Tie(u32),
    Write { id: u32, is_plain: bool, component: u32, value: u8 },
    Delta,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0u32..4).prop_map(Step::Tie),
        (0u32..4, any::<bool>(), prop_oneof![Just(TRANSFORM), Just(GLTF)], any::<u8>()).prop_map(
            |(id, is_plain, component, value)| Step::Write { id, is_plain, component, value }
        ),
        Just(Step::Delta),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::soak::cases(150)))]

    /// A peer knows the later write of the two names of each synced entity, and a renderer, too.
    #[test]
    fn both_know_the_later_of_two_names(steps in prop::collection::vec(any_step(), 0..40)) {
        let mut scene = keeping_all();
        let (mut to_peer, mut to_renderer) = (Connection::new(Role::Peer), to_renderer());
        let [mut peer, mut renderer] = [keeping_all(), keeping_all()];
        for step in steps.into_iter().chain([Step::Delta]) {
            match step {
                Step::Tie(id) => {
                    let key = local(600 + id).key(NETWORK_ENTITY);
                    scene.put(key, reference(A, 40 + id)).unwrap();
                }
                Step::Write { id, is_plain, component, value } => {
                    let entity = if is_plain { local(600 + id) } else { there(40 + id) };
                    let transform = at(value.into(), 0);
                    let is_transform = component == TRANSFORM;
                    let data = if is_transform { &transform[..] } else { &[value] };
                    scene.put(entity.key(component), data).unwrap();
                }
                Step::Delta => {
                    let deltas =
                        [networked(&mut scene, &mut to_peer), scene.delta(&mut to_renderer)];
                    for (replica, delta) in [&mut peer, &mut renderer].into_iter().zip(deltas) {
                        let report = replica.merge_bytes(&delta, Role::Host);
                        prop_assert_eq!(report.unwrap().fault_count, 0);
                    }
                }
            }
        }
        let mut writes: BTreeMap<(u32, u32), (u32, Vec<u8>)> = BTreeMap::new();
        let dump = scene.dump();
        for message in Reader::default().read(&dump).unwrap() {
            let Ok(Message::PutComponent { network, entity, component, timestamp, data }) = message
            else { continue };
            let id = if network.is_some() { entity.0 - 40 } else { entity.0 - 600 };
            let tied = scene.local_entity(there(40 + id)).is_some();
            if component == NETWORK_ENTITY || !tied {
                continue;
            }
            let write = (timestamp, data.to_vec());
            let last = writes.entry((id, component)).or_insert_with(|| write.clone());
            *last = write.max(last.clone());
        }
        for ((id, component), (_, value)) in writes {
            let value_in = |replica: &Replica, entity: SceneEntity| match component {
                TRANSFORM => match replica.transform(entity) {
                    TransformState::Live { bytes, .. } => Some(bytes.to_vec()),
                    _ => None,
                },
                _ => replica.component(entity.key(component)).map(<[u8]>::to_vec),
            };
            prop_assert_eq!(value_in(&peer, there(40 + id)), Some(value.clone()));
            prop_assert_eq!(value_in(&renderer, local(600 + id)), Some(value));
        }
        prop_assert!(peer.transforms().all(|(entity, _)| entity.network == Some(A)));
        prop_assert!(renderer.transforms().all(|(entity, _)| entity.network.is_none()));
    }
}
