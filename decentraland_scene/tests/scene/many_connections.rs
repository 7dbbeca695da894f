//! Connections that know the same get the same, each without its own writes; and filters.

use crate::messages::{Owned, any_message, encode};
use decentraland_scene::{merge::*, wire::*};
use proptest::prelude::*;

const NAME: u32 = 1087;

fn of_role(role: Role) -> Replica {
    let mut options = ReplicaOptions::default();
    (options.role, options.keep_other_components) = (role, true);
    Replica::new(options)
}

fn put(id: u32, component: u32, timestamp: u32, data: &[u8]) -> Message<'_> {
    Message::PutComponent { network: None, entity: EntityId(id), component, timestamp, data }
}

fn delete(id: u32, component: u32, timestamp: u32) -> Message<'static> {
    Message::DeleteComponent { network: None, entity: EntityId(id), component, timestamp }
}

/// A `Transform`. It stays, so that messages can hold it.
fn at(x: f32) -> &'static [u8; 44] {
    Box::leak(Box::new(
        SceneTransform { position: [x, 0.0, 0.0], ..SceneTransform::IDENTITY }.to_bytes(),
    ))
}

#[derive(Clone, Debug)]
enum Step {
    Ours(Owned),
    From(usize, Owned),
    /// These connections read, in this order.
    Read(Vec<usize>),
}

const ENDS: usize = 4;

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => any_message().prop_map(Step::Ours),
        3 => (0..ENDS, any_message()).prop_map(|(end, message)| Step::From(end, message)),
        1 => prop::collection::vec(0..ENDS, 0..8).prop_map(Step::Read),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Packets are made for each connection by itself, and deltas are the same bytes.
    #[test]
    fn a_delta_that_is_shared_is_that_of_each(
        steps in prop::collection::vec(any_step(), 0..60),
        is_host in any::<bool>(),
    ) {
        let role = if is_host { Role::Host } else { Role::Scene };
        let (mut shared, mut single) = (of_role(role), of_role(role));
        let roles = [Role::Scene, Role::Scene, Role::Host, Role::Peer];
        let mut ends = [(); 2].map(|()| roles.map(Connection::new));
        for step in steps {
            match step {
                Step::Ours(message) => {
                    shared.merge(&message.message(), role);
                    single.merge(&message.message(), role);
                }
                Step::From(end, message) => {
                    let bytes = encode(&[message.message()]);
                    for (replica, ends) in [&mut shared, &mut single].into_iter().zip(&mut ends) {
                        let report = &mut MergeReport::default();
                        replica.receive(&mut ends[end], &bytes, report).unwrap();
                    }
                }
                Step::Read(reads) => {
                    for end in reads.into_iter().chain(0..ENDS) {
                        let delta = shared.delta(&mut ends[0][end]);
                        let size = PacketSize::new(usize::MAX).unwrap();
                        let packets = single.delta_packets(&mut ends[1][end], size);
                        prop_assert_eq!(delta, packets.packets.concat());
                    }
                }
            }
        }
        prop_assert_eq!(shared.dump(), single.dump());
    }
}

/// A filter by place, for all components of an entity.
fn near() -> Connection {
    Connection::new(Role::Scene).with_filter(|message| match *message {
        Message::PutComponent { component: TRANSFORM, data, .. } => {
            SceneTransform::from_bytes(data.try_into().unwrap()).position[0] < 10.0
        }
        _ => message.key().is_some(),
    })
}

#[test]
fn a_filter_tells_what_leaves_and_what_dies() {
    let mut host = of_role(Role::Host);
    let mut to_client = near();
    let mut client = of_role(Role::Scene);
    let mut tell = |host: &mut Replica, expected: &[Message<'_>]| {
        let delta = host.delta(&mut to_client);
        assert_eq!(delta, encode(expected));
        let report = client.merge_bytes(&delta, Role::Host).unwrap();
        assert_eq!(report.accepted, expected.len() as u64);
        client.transforms().count()
    };
    let key = |id, component| SceneEntity::local(EntityId(id)).key(component);
    for id in [40, 512, 513] {
        host.put(key(id, TRANSFORM), at(1.0)).unwrap();
        host.put(key(id, NAME), b"Ada").unwrap();
    }
    host.put(key(514, TRANSFORM), at(20.0)).unwrap();
    let all = [40, 512, 513].map(|id| [put(id, 1, 1, at(1.0)), put(id, NAME, 1, b"Ada")]);
    assert_eq!(tell(&mut host, &all.concat()), 3);
    // It leaves, with all of its components, once.
    for x in [30.0, 31.0] {
        host.put(key(512, TRANSFORM), at(x)).unwrap();
        let gone = [delete(512, TRANSFORM, 2), delete(512, NAME, 2)];
        tell(&mut host, if x == 30.0 { &gone } else { &[] });
    }
    // It comes back, as it is now.
    host.put(key(512, TRANSFORM), at(2.0)).unwrap();
    let back = [put(512, TRANSFORM, 4, at(2.0)), put(512, NAME, 2, b"Ada")];
    assert_eq!(tell(&mut host, &back), 3);
    host.put(key(512, NAME), b"Eve").unwrap();
    tell(&mut host, &[put(512, NAME, 3, b"Eve")]);
    // Deaths of what it knows, and of nothing else: the filter refuses deaths.
    for id in [40, 513, 514] {
        host.delete_entity(SceneEntity::local(EntityId(id))).unwrap();
    }
    let deaths = [40, 513].map(|id| Message::DeleteEntity { network: None, entity: EntityId(id) });
    assert_eq!(tell(&mut host, &deaths), 1);
}

/// At the same timestamp a value wins over a deletion: what left comes back unchanged.
#[test]
fn what_left_a_filter_comes_back_at_the_same_timestamp() {
    let (mut host, mut client) = (of_role(Role::Host), of_role(Role::Scene));
    let is_open = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let open = is_open.clone();
    let mut to_client = Connection::new(Role::Scene)
        .with_filter(move |_| open.load(std::sync::atomic::Ordering::Relaxed));
    let door = SceneEntity::local(EntityId(512));
    host.put(door.key(TRANSFORM), at(1.0)).unwrap();
    for is_there in [true, false, true, false, true] {
        is_open.store(is_there, std::sync::atomic::Ordering::Relaxed);
        to_client.resync();
        client.merge_bytes(&host.delta(&mut to_client), Role::Host).unwrap();
        assert_eq!(client.transforms().count(), usize::from(is_there));
    }
    // A connection that skips a dump hears of what leaves.
    let mut skips = near();
    skips.skip(&mut host);
    host.put(door.key(TRANSFORM), at(50.0)).unwrap();
    assert_eq!(host.delta(&mut skips), encode(&[delete(512, TRANSFORM, 2)]));
}
