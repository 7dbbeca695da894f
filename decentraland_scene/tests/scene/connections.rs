//! Several ends at once: each gets what it does not know, and nothing that it sent.

use crate::{
    common::*,
    messages::{Owned, any_message, encode},
};
use decentraland_scene::{merge::*, wire::*};
use proptest::prelude::*;

fn receive_all(replica: &mut Replica, from: &mut Connection, messages: &[Message<'_>]) {
    receive(replica, from, &encode(messages));
}

#[test]
fn each_end_gets_what_the_others_sent() {
    let mut server = keeping_all();
    let [mut a, mut b, mut late] = [(); 3].map(|()| Connection::new(Role::Peer));
    let identity = SceneTransform::IDENTITY.to_bytes();
    let (from_a, from_b) = (put(512, 1, 1, &identity), put(513, 1, 1, &identity));
    receive_all(&mut server, &mut a, &[from_a, append(512, 9, 1, &[1])]);
    receive_all(&mut server, &mut b, &[from_b]);
    // Two sides of one component, from two ends.
    receive_all(&mut server, &mut b, &[append(512, 9, 2, &[1]), put(512, 9, 5, &[2])]);
    assert_eq!(
        server.delta(&mut a),
        encode(&[put(512, 9, 5, &[2]), append(512, 9, 2, &[1]), from_b])
    );
    assert_eq!(server.delta(&mut b), encode(&[from_a, append(512, 9, 1, &[1])]));
    assert_eq!(server.delta(&mut late), server.dump());
    for end in [&mut a, &mut b, &mut late] {
        assert!(server.delta(end).is_empty());
    }
    // Who wrote last does not get it back; who wrote before does.
    receive_all(&mut server, &mut a, &[put(600, 1, 1, &identity)]);
    receive_all(&mut server, &mut b, &[put(600, 1, 2, &identity)]);
    assert_eq!(server.delta(&mut a), encode(&[put(600, 1, 2, &identity)]));
    assert!(server.delta(&mut b).is_empty());
    assert_eq!(server.delta(&mut late), encode(&[put(600, 1, 2, &identity)]));
    // A death, and a write of our own over one of theirs.
    let death = death(513);
    receive_all(&mut server, &mut a, &[death, put(600, 1, 3, &identity)]);
    let ours = server.put(SceneEntity::local(EntityId(600)).key(1), &[0; 44]).map(|_| ());
    assert_eq!(ours, Ok(()));
    let ours = put(600, 1, 4, &[0; 44]);
    assert_eq!(server.delta(&mut a), encode(&[ours]));
    assert_eq!(server.delta(&mut b), encode(&[death, ours]));
}

/// godot-explorer's deletion of a component says 28, and has 20 bytes. It is read by its fields,
/// and so is all that follows: as packets, and as a stream.
#[test]
fn a_wrong_length_costs_nothing_of_what_follows() {
    let deletion = unhex("1c000000 02000000 00020000 09000000 02000000");
    for is_packets in [true, false] {
        let (mut replica, mut from) = (keeping_all(), Connection::new(Role::Scene));
        let mut report = MergeReport::default();
        let mut take = |replica: &mut Replica, bytes: &[u8]| {
            if is_packets {
                replica.receive_packet(&mut from, bytes, &mut report);
            } else {
                replica.receive(&mut from, bytes, &mut report).unwrap();
            }
        };
        take(&mut replica, &encode(&[put(512, 9, 1, &[1])]));
        take(&mut replica, &deletion);
        for id in 600..800 {
            take(&mut replica, &encode(&[put(id, 9, 1, &[1])]));
        }
        assert_eq!((report.accepted, report.fault_count), (202, 1));
        assert_eq!(replica.component(SceneEntity::local(EntityId(512)).key(9)), None);
        let kind = FaultKind::LengthMismatch { kind: 2, length: 28, expected: 20 };
        let offset = if is_packets { 0 } else { 25 };
        assert_eq!(report.faults, [MergeFault::Wire(Fault { offset, kind })]);
    }
}

/// Each kind of broken packet between good ones.
#[test]
fn what_is_broken_ends_with_its_packet() {
    let good = |id| encode(&[put(id, 9, 1, &[1])]);
    let broken = [
        "04000000 01000000",                   // shorter than its header
        "0c0000",                              // a part of a header
        "18000000 01000000 00020000 09000000", // a part of the fields
        "18000000 01000000 00020000 09000000 01000000 ffffffff", // 4 GB of data
        "ffffffff 63000000",                   // unknown, and longer
        "0c000000 63000000 00000000",          // unknown
        "1c000000 01000000 00020000 01000000 09000000 04000000 00000000", // a short Transform
        "18000000 08000000 00020000 09000000 09000000 00000000", // type 8
    ];
    let (mut replica, mut from) = (keeping_all(), Connection::new(Role::Scene));
    for (packet, id) in broken.iter().zip(600..) {
        let mut report = MergeReport::default();
        let packet = [good(id), unhex(packet)].concat();
        replica.receive_packet(&mut from, &packet, &mut report);
        assert_eq!((report.accepted, report.fault_count, report.pending), (1, 1, 0), "{id}");
        replica.receive_packet(&mut from, &good(id + 100), &mut report);
        assert_eq!((report.accepted, report.fault_count), (2, 1), "{id}");
    }
    assert_eq!(replica.usage().entities, 16);
    // More than the reader takes at once.
    let mut from = Connection::with_reader(Role::Scene, Reader::new(100));
    let mut report = MergeReport::default();
    replica.receive_packet(&mut from, &good(900).repeat(5), &mut report);
    replica.receive_packet(&mut from, &good(901), &mut report);
    assert_eq!((report.accepted, report.fault_count), (1, 1));
}

#[test]
fn resync_sends_all_and_skip_nothing() {
    let mut server = keeping_all();
    server.put(SceneEntity::local(EntityId(512)).key(9), &[1]).unwrap();
    let mut end = Connection::new(Role::Peer);
    for _ in 0..2 {
        assert_eq!(server.delta(&mut end), encode(&[put(512, 9, 1, &[1])]));
        assert!(server.delta(&mut end).is_empty());
        end.resync();
    }
    // One that has the state from elsewhere begins with what changes from now on.
    let mut restored = Connection::new(Role::Peer);
    restored.skip(&mut server);
    assert!(server.delta(&mut restored).is_empty());
    server.delete(SceneEntity::local(EntityId(512)).key(9)).unwrap();
    assert_eq!(server.delta(&mut restored).len(), 20);
}

#[test]
fn a_scene_does_not_pass_on_what_is_its_host_s() {
    let mut scene = keeping_all();
    let (mut host, mut peer) = (Connection::new(Role::Host), Connection::new(Role::Peer));
    let identity = SceneTransform::IDENTITY.to_bytes();
    let door = put(512, 1, 1, &identity);
    let (name, custom) = (put(40, 1087, 1, &[1]), put(40, 1200, 1, &[2]));
    receive_all(&mut scene, &mut host, &[put(1, 1, 7, &identity), name, custom, door]);
    // Components of players are anybody's, but for those of the host.
    assert_eq!(scene.delta(&mut peer), encode(&[custom, door]));
    assert!(scene.delta(&mut host).is_empty());
    let leaves = death(EntityId::PLAYER);
    receive_all(&mut scene, &mut host, &[leaves]);
    assert!(scene.delta(&mut peer).is_empty());
}

#[test]
fn the_log_of_changes_is_bounded_by_the_state() {
    // A million writes of few keys, with an end that never reads and one that always does.
    let mut server = keeping_all();
    let (mut never, mut always) = (Connection::new(Role::Peer), Connection::new(Role::Peer));
    let _ = server.delta(&mut never);
    for i in 0..100_000_u32 {
        let entity = SceneEntity::local(EntityId(512 + i % 10));
        server.put(entity.key(1), &[(i / 10) as u8; 44]).unwrap();
        server.put(entity.key(9), &i.to_le_bytes()).unwrap();
        assert_eq!(server.delta(&mut always).len(), 68 + 28);
    }
    // Each key once, whatever happened meanwhile.
    assert_eq!(server.delta(&mut never), server.dump());
}

#[test]
fn an_entity_in_the_place_of_a_dead_one_is_sent_whenever_the_log_is_cleaned() {
    let (mut server, mut follower) = (keeping_all(), keeping_all());
    let mut end = Connection::new(Role::Peer);
    let steady = SceneEntity::local(EntityId(600));
    for i in 0..1500_u16 {
        // Both in one place, within one delta, with a change in between that may clean the log.
        let [dead, born] = [1000, 1001].map(|id| SceneEntity::local(EntityId::new(id, i)));
        server.put(dead.key(1), &[0; 44]).unwrap();
        server.delete_entity(dead).unwrap();
        server.put(steady.key(1), &[i as u8; 44]).unwrap();
        server.put(born.key(1), &[1; 44]).unwrap();
        follower.merge_bytes(&server.delta(&mut end), Role::Peer).unwrap();
        assert!(follower.is_alive(born), "{i}");
        server.delete_entity(born).unwrap();
    }
    follower.merge_bytes(&server.delta(&mut end), Role::Peer).unwrap();
    assert_eq!(follower.dump(), server.dump());
}

#[test]
fn values_of_one_key_that_came_one_by_one_cost_the_same_each() {
    // Each in an epoch of its own: if each were looked for among all others, this would take long.
    let (mut server, mut writer) = (keeping_all(), Connection::new(Role::Peer));
    for timestamp in 0..100_000 {
        receive_all(&mut server, &mut writer, &[append(512, 9, timestamp, &[1])]);
    }
    assert_eq!(server.delta(&mut Connection::new(Role::Peer)), server.dump());
}

#[test]
fn the_newest_values_of_a_key_are_kept() {
    let mut options = ReplicaOptions::default();
    options.keep_other_components = true;
    options.limits.values_per_key = 3;
    let kept = encode(&[append(512, 9, 5, &[1]), append(512, 9, 8, &[1]), append(512, 9, 9, &[1])]);
    for order in [[5, 8, 9, 1, 3], [1, 3, 5, 8, 9], [9, 1, 8, 3, 5], [8, 9, 5, 3, 1]] {
        let mut replica = Replica::new(options);
        for timestamp in order {
            replica.merge(&append(512, 9, timestamp, &[1]), Role::Host);
        }
        assert_eq!(replica.dump(), kept, "{order:?}");
        assert_eq!(replica.usage().bytes, kept.len());
        assert_eq!(replica.merge(&append(512, 9, 4, &[1]), Role::Host), Outcome::Dropped);
        assert_eq!(replica.append(EntityId(512), 9, &[1]), Ok(append(512, 9, 10, &[1])));
        assert_eq!(replica.usage().appended_values, 3);
        assert_eq!(replica.append(EntityId(513), 9, &[1]), Ok(append(513, 9, 1, &[1])));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::soak::cases(100)))]

    /// A star: one server, clients that write at the same time. Everybody ends equal, and nobody
    /// gets a message that it sent.
    #[test]
    fn a_server_and_its_clients_end_equal(
        steps in prop::collection::vec((0usize..3, any_message(), any::<bool>()), 0..80),
    ) {
        let mut server = keeping_all();
        let mut clients = [(); 3].map(|()| keeping_all());
        let mut downs = [(); 3].map(|()| Connection::new(Role::Peer));
        let mut ups = [(); 3].map(|()| Connection::new(Role::Peer));
        let pump = |server: &mut Replica, clients: &mut [Replica; 3],
                        downs: &mut [Connection; 3], ups: &mut [Connection; 3]| {
            let ends = downs.iter_mut().zip(ups.iter_mut());
            for (client, (down, up)) in clients.iter_mut().zip(ends) {
                let sent = client.delta(up);
                let mut report = MergeReport::default();
                server.receive(down, &sent, &mut report).unwrap();
                client.receive(up, &report.corrections, &mut MergeReport::default()).unwrap();
                let back = server.delta(down);
                client.receive(up, &back, &mut MergeReport::default()).unwrap();
            }
        };
        for (client, message, pumps) in steps {
            clients[client].merge(&message.message(), Role::Peer);
            if pumps {
                pump(&mut server, &mut clients, &mut downs, &mut ups);
            }
        }
        for _ in 0..3 {
            pump(&mut server, &mut clients, &mut downs, &mut ups);
        }
        for client in &clients {
            prop_assert_eq!(client.dump(), server.dump());
        }
        for (down, up) in downs.iter_mut().zip(&mut ups) {
            prop_assert!(server.delta(down).is_empty());
            prop_assert!(clients[0].delta(&mut Connection::new(Role::Peer)) == server.dump());
            prop_assert_eq!(up.pending(), 0);
        }
    }

    /// The first delta and the later ones add up to the dump, for an end that joins at any time.
    #[test]
    fn whoever_joins_when_ends_with_the_same_state(
        messages in prop::collection::vec((any_message(), 0usize..4), 0..80),
    ) {
        let mut server = keeping_all();
        let mut followers: Vec<(Connection, Replica)> = Vec::new();
        for (message, what) in &messages {
            let message: &Owned = message;
            server.merge(&message.message(), Role::Peer);
            match what {
                0 => followers.push((Connection::new(Role::Peer), keeping_all())),
                1 => {
                    for (end, replica) in &mut followers {
                        replica.merge_bytes(&server.delta(end), Role::Peer).unwrap();
                    }
                }
                _ => {}
            }
        }
        for (mut end, mut replica) in followers {
            replica.merge_bytes(&server.delta(&mut end), Role::Peer).unwrap();
            prop_assert_eq!(replica.dump(), server.dump());
        }
    }
}
