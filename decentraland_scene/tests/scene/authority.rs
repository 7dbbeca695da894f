//! Corrections with authority: from a server to a scene, and on to its renderer; and the checks of
//! servers.

use crate::{common::*, messages::encode};
use decentraland_scene::{merge::*, wire::*};

fn door(component: u32) -> Key {
    SceneEntity::local(EntityId(512)).key(component)
}

fn corrected(replica: &mut Replica, from: &mut Connection, packet: &[u8]) -> MergeReport {
    let mut report = MergeReport::default();
    replica.receive_corrections(from, packet, &mut report);
    report
}

#[test]
fn a_correction_goes_on_to_a_renderer_that_obeys() {
    let [mut server, mut scene, mut renderer] = [Role::Host, Role::Scene, Role::Host].map(of_role);
    let mut to_scene = Connection::new(Role::Scene);
    let mut to_server = Connection::new(Role::Host);
    let mut to_renderer = Connection::new(Role::Host).with_authority(Authority::Ours);
    let mut to_peer = Connection::new(Role::Peer);
    let mut from_scene = Connection::new(Role::Scene).with_authority(Authority::Theirs);

    // The scene and its renderer have counted on; the server has not heard of it.
    for (component, data) in [(TRANSFORM, &at(1.0, 0)[..]), (GLTF, b"old")] {
        scene.merge(&put(DOOR, component, 8, data), Role::Scene);
        renderer.merge(&put(DOOR, component, 9, data), Role::Scene);
    }
    let _ = (scene.delta(&mut to_server), scene.delta(&mut to_renderer), scene.delta(&mut to_peer));
    let said = [put(DOOR, TRANSFORM, 1, at(5.0, 0)), put(DOOR, GLTF, 1, b"new")];
    for message in said {
        let key = message.key().unwrap();
        let correction = server.put_with_authority(key, message.data()).unwrap();
        assert_eq!(correction, Correction { message, is_tie: false });
    }
    // Type 8 stays between the scene and its renderer.
    assert_eq!(server.delta(&mut to_scene), encode(&said));

    assert_eq!(corrected(&mut scene, &mut to_server, &encode(&said)).accepted, 2);
    assert_eq!(scene.dump(), server.dump());
    assert!(scene.delta(&mut to_server).is_empty());
    // Others hear of it as of an ordinary write.
    assert_eq!(scene.delta(&mut to_peer), encode(&said));
    let by_type_8 = [authoritative(TRANSFORM, 1, at(5.0, 0)), authoritative(GLTF, 1, b"new")];
    let delta = scene.delta(&mut to_renderer);
    assert_eq!(delta, encode(&by_type_8));
    assert_eq!(receive(&mut renderer, &mut from_scene, &delta).accepted, 2);
    assert_eq!(renderer.dump(), server.dump());

    // The next write of the scene is one like any other.
    scene.put(door(GLTF), b"newer").unwrap();
    assert_eq!(scene.delta(&mut to_renderer), encode(&[put(DOOR, GLTF, 2, b"newer")]));
    // A write that follows a correction before the renderer has heard of that needs it, too.
    corrected(&mut scene, &mut to_server, &encode(&[put(DOOR, GLTF, 1, b"new")]));
    scene.put(door(GLTF), b"newest").unwrap();
    assert_eq!(scene.delta(&mut to_renderer), encode(&[authoritative(GLTF, 2, b"newest")]));
}

/// As the live servers send it: a type 5 of network 7, in a packet CRDT_AUTHORITATIVE.
#[test]
fn corrections_are_taken_whatever_the_timestamps() {
    let mut scene = of_role(Role::Scene);
    let mut to_server = Connection::new(Role::Host);
    let there = SceneEntity::networked(7, EntityId(40));
    let key = there.key(GLTF);
    for _ in 0..9 {
        scene.put(key, b"x").unwrap();
        scene.delete(key).unwrap();
    }
    // 40 of network 7, component 1041, timestamp 3: "ok".
    let packet = unhex(
        "1e000000 05000000 28000000 11040000 03000000 07000000 02000000 6f6b \
         18000000 06000000 28000000 12040000 02000000 07000000",
    );
    let dead = scene.put(there.key(1042), b"y").map(|_| ());
    assert_eq!(dead, Ok(()));
    // By an ordinary packet the 3 loses to the 18.
    let mut report = MergeReport::default();
    scene.receive_packet(&mut to_server, &packet, &mut report);
    assert_eq!((report.accepted, report.outdated), (1, 1));
    assert_eq!(corrected(&mut scene, &mut to_server, &packet).accepted, 2);
    assert_eq!(scene.component(key), Some(&b"ok"[..]));
    assert_eq!(scene.put(key, b"next").unwrap().timestamp(), Some(4));
}

#[test]
fn corrections_are_a_host_s_and_of_components() {
    let said = encode(&[put(DOOR, TRANSFORM, 3, at(5.0, 0)), delete(DOOR, GLTF, 3)]);
    for role in [Role::Scene, Role::Peer, Role::Host] {
        let mut replica = of_role(Role::Scene);
        replica.merge(&put(DOOR, TRANSFORM, 8, at(1.0, 0)), Role::Scene);
        replica.merge(&put(DOOR, GLTF, 8, b"old"), Role::Scene);
        let report = corrected(&mut replica, &mut Connection::new(role), &said);
        let is_host = role == Role::Host;
        assert_eq!((report.accepted, report.faults.len()), if is_host { (2, 0) } else { (0, 1) });
        assert_eq!(replica.component(door(GLTF)).is_none(), is_host);
    }
    // The rest of a packet is as in any other: a type 8 is not the server's.
    let mut replica = of_role(Role::Scene);
    let entity = EntityId(512);
    let value = Message::AppendValue { entity, component: GLTF, timestamp: 1, data: b"a" };
    let death = death(entity);
    let packet = encode(&[authoritative(GLTF, 3, b"no"), value, death]);
    let report = corrected(&mut replica, &mut Connection::new(Role::Host), &packet);
    assert_eq!((report.accepted, report.fault_count), (2, 1));
    assert_eq!(replica.dump(), encode(&[death]));
    // What only the host writes is no scene's and no peer's, but a server's.
    let mut replica = of_role(Role::Scene);
    let identity = encode(&[put(40, 1089, 1, b"Ada")]);
    let report = corrected(&mut replica, &mut Connection::new(Role::Host), &identity);
    assert_eq!(report.accepted, 1);
}

/// 512 stands for (7, 40) here, and was written later. The correction counts for both.
#[test]
fn a_correction_of_two_that_are_one_is_the_later_write() {
    let mut scene = of_role(Role::Scene);
    let mut to_server = Connection::new(Role::Host);
    let plain = Connection::new(Role::Host).with_names(Names::Plain);
    let mut to_renderer = plain.with_authority(Authority::Ours);
    let there = SceneEntity::networked(7, EntityId(40));
    let name = NetworkEntity { network: 7, entity: EntityId(40) }.to_bytes();
    scene.put(door(NETWORK_ENTITY), &name).unwrap();
    scene.merge(&put(DOOR, TRANSFORM, 9, at(1.0, 0)), Role::Scene);
    let _ = scene.delta(&mut to_renderer);
    let SceneEntity { network, entity } = there;
    let (component, timestamp, data) = (TRANSFORM, 3, at(5.0, 0));
    let said = Message::PutComponent { network, entity, component, timestamp, data };
    assert_eq!(corrected(&mut scene, &mut to_server, &encode(&[said])).accepted, 1);
    let shown = scene.effective(SceneEntity::local(EntityId(512))).state;
    assert_eq!(shown, TransformState::Live { timestamp: 3, bytes: at(5.0, 0) });
    assert_eq!(scene.delta(&mut to_renderer), encode(&[authoritative(TRANSFORM, 3, at(5.0, 0))]));
}

/// Also by a renderer, which may have counted further. A deletion has no form with authority.
#[test]
fn a_corrected_deletion_goes_on_to_a_renderer_that_obeys() {
    for (component, timestamp) in [(TRANSFORM, 3), (GLTF, 3), (GLTF, 0)] {
        let [mut scene, mut renderer] = [Role::Scene, Role::Host].map(of_role);
        let mut to_server = Connection::new(Role::Host);
        let mut to_renderer = Connection::new(Role::Host).with_authority(Authority::Ours);
        let mut from_scene = Connection::new(Role::Scene).with_authority(Authority::Theirs);
        for replica in [&mut scene, &mut renderer] {
            replica.merge(&put(DOOR, component, 8, at(1.0, 0)), Role::Scene);
        }
        let _ = scene.delta(&mut to_renderer);
        let packet = encode(&[delete(DOOR, component, timestamp)]);
        assert_eq!(corrected(&mut scene, &mut to_server, &packet).accepted, 1);
        assert_eq!(scene.dump(), packet);
        let delta = scene.delta(&mut to_renderer);
        let report = receive(&mut renderer, &mut from_scene, &delta);
        assert_eq!((report.accepted, report.outdated, report.fault_count), (2, 0, 0));
        assert_eq!(renderer.component(door(component)), None);
        assert_eq!(renderer.transforms().count(), 0);
        // The next write is the later one in both.
        scene.put(door(component), at(2.0, 0)).unwrap();
        receive(&mut renderer, &mut from_scene, &scene.delta(&mut to_renderer));
        assert_eq!(renderer.dump(), scene.dump());
    }
}

#[test]
fn type_8_is_obeyed_only_where_the_connection_says_so() {
    let said = encode(&[authoritative(TRANSFORM, 3, at(5.0, 0)), authoritative(GLTF, 3, b"new")]);
    for role in [Role::Scene, Role::Host, Role::Peer] {
        assert_eq!(Connection::new(role).authority(), Authority::None);
        for authority in [Authority::None, Authority::Ours, Authority::Theirs] {
            let mut replica = of_role(Role::Scene);
            let mut from = Connection::new(role).with_authority(authority);
            let report = receive(&mut replica, &mut from, &said);
            let obeyed = if authority == Authority::Theirs { 2 } else { 0 };
            assert_eq!((report.accepted, report.fault_count), (obeyed, 2 - obeyed));
        }
    }
    // A scene that is obeyed does not move players for that.
    let mut renderer = of_role(Role::Host);
    let mut from_scene = Connection::new(Role::Scene).with_authority(Authority::Theirs);
    let data = at(1.0, 0);
    let (entity, component, timestamp) = (EntityId::PLAYER, TRANSFORM, 1);
    let moves = Message::AuthoritativePutComponent { entity, component, timestamp, data };
    assert_eq!(receive(&mut renderer, &mut from_scene, &encode(&[moves])).host_placed, 1);
}

/// A client wrote timestamp 4,294,967,295: nothing counts higher.
#[test]
fn a_host_corrects_the_highest_timestamp() {
    let last = unhex("1b000000 01000000 00020000 11040000 ffffffff 03000000 626164");
    assert_eq!(last, encode(&[put(DOOR, GLTF, u32::MAX, b"bad")]));
    for (good, others_have) in [(&b"good"[..], &b"good"[..]), (b"ok", b"bad")] {
        let [mut server, mut client, mut other] =
            [Role::Host, Role::Scene, Role::Scene].map(of_role);
        for replica in [&mut server, &mut client, &mut other] {
            replica.merge_bytes(&last, Role::Scene).unwrap();
        }
        let exhausted = server.put(door(GLTF), good).unwrap_err();
        assert_eq!(exhausted.kind, WriteErrorKind::TimestampExhausted);
        let correction = server.put_with_authority(door(GLTF), good).unwrap();
        let message = put(DOOR, GLTF, u32::MAX, good);
        assert_eq!(correction, Correction { message, is_tie: true });
        let packet = encode(&[correction.message]);
        assert_eq!(server.component(door(GLTF)), Some(good));
        // An end that obeys takes it; for others the longer value wins, or the larger bytes.
        corrected(&mut client, &mut Connection::new(Role::Host), &packet);
        assert_eq!(client.component(door(GLTF)), Some(good));
        other.merge_bytes(&packet, Role::Host).unwrap();
        assert_eq!(other.component(door(GLTF)), Some(others_have));
    }
    // A `Transform`, too, again and again, and the value that it has already.
    let mut server = of_role(Role::Host);
    server.merge(&put(DOOR, TRANSFORM, u32::MAX, at(1.0, 0)), Role::Scene);
    for x in [2.0, 2.0, 1.0] {
        assert!(server.put_with_authority(door(TRANSFORM), at(x, 0)).unwrap().is_tie);
        assert_eq!(server.dump(), encode(&[put(DOOR, TRANSFORM, u32::MAX, at(x, 0))]));
    }
    // What cannot be written at all is an error.
    let refused = Replica::default().put_with_authority(door(GLTF), b"x").unwrap_err();
    assert_eq!(refused.kind, WriteErrorKind::NotKept);
    let refused = server.put_with_authority(door(TRANSFORM), &[0; 40]).unwrap_err();
    assert_eq!(refused.kind, WriteErrorKind::WrongLength { length: 40 });
}

/// A server that takes values of at most three bytes, cuts those of four, and nothing of 513.
fn short(message: &Message<'_>, replica: &Replica) -> Check {
    let key = message.key().unwrap_or_default();
    match message.data() {
        _ if message.scene_entity().entity == EntityId(513) => Check::Refuse,
        data if data.len() < 4 => Check::Accept,
        data if data.len() == 4 => Check::Correct(data[..3].to_vec()),
        // It sees what stands before the message.
        _ if replica.component(key).is_some() => Check::Refuse,
        _ => Check::Correct(b"new".to_vec()),
    }
}

#[test]
fn a_server_checks_messages_before_it_merges_them() {
    let table: [(&[Message<'_>], &[Message<'_>], &[Message<'_>]); 7] = [
        // What comes, what stands then, and what is answered with authority.
        (&[put(DOOR, GLTF, 5, b"abc")], &[put(DOOR, GLTF, 5, b"abc")], &[]),
        (
            &[put(DOOR, GLTF, 5, b"abcd")],
            &[put(DOOR, GLTF, 5, b"abc")],
            &[put(DOOR, GLTF, 5, b"abc")],
        ),
        (
            &[put(DOOR, GLTF, 5, b"abcde")],
            &[put(DOOR, GLTF, 5, b"new")],
            &[put(DOOR, GLTF, 5, b"new")],
        ),
        (
            &[put(DOOR, GLTF, 5, b"abc"), put(DOOR, GLTF, 9, b"abcde")],
            &[put(DOOR, GLTF, 5, b"abc")],
            &[put(DOOR, GLTF, 5, b"abc")],
        ),
        // Of nothing, the deletion.
        (&[put(513, GLTF, 7, b"x")], &[], &[delete(513, GLTF, 7)]),
        // A death and an appended value have no answer.
        (&[death(513)], &[], &[]),
        (&[append(512, GLTF, 1, b"abcd")], &[], &[]),
    ];
    for (sent, stands, answered) in table {
        for is_packet in [false, true] {
            let mut server = of_role(Role::Host);
            let (mut from, mut report) = (Connection::new(Role::Scene), MergeReport::default());
            let bytes = encode(sent);
            if is_packet {
                server.receive_packet_checked(&mut from, &bytes, &mut report, short);
            } else {
                server.receive_checked(&mut from, &bytes, &mut report, short).unwrap();
            }
            assert_eq!(server.dump(), encode(stands), "{sent:?}");
            assert_eq!(report.authoritative, encode(answered), "{sent:?}");
            assert_eq!(report.messages(), sent.len() as u64);
            // The client, which has what it sent, has what stands there after the answer.
            let mut client = of_role(Role::Scene);
            client.merge_bytes(&bytes, Role::Scene).unwrap();
            corrected(&mut client, &mut Connection::new(Role::Host), &report.authoritative);
            for message in sent.iter().filter(|message| message.timestamp().is_some()) {
                let key = message.key().unwrap();
                assert_eq!(client.component(key), server.component(key), "{sent:?}");
            }
        }
    }
}

#[test]
fn a_check_does_not_let_a_scene_write_what_is_the_host_s() {
    let mut server = of_role(Role::Host);
    let identity = put(40, 1089, 1, b"Eve");
    let mut report = MergeReport::default();
    let from = &mut Connection::new(Role::Scene);
    for check in [Check::Accept, Check::Correct(b"Ada".to_vec())] {
        let check = |_: &Message<'_>, _: &Replica| check.clone();
        server.receive_packet_checked(from, &encode(&[identity]), &mut report, check);
    }
    assert_eq!((report.host_placed, report.refused), (2, 0));
    assert!(server.dump().is_empty() && report.authoritative.is_empty());
}

/// The state never goes back, and all agree.
#[test]
fn a_corrected_value_counts_on() {
    let cut = |_: &Message<'_>, _: &Replica| Check::Correct(b"cut".to_vec());
    for (sent, stands) in [(4, put(DOOR, GLTF, 5, b"old")), (5, put(DOOR, GLTF, 6, b"cut"))] {
        let mut server = of_role(Role::Host);
        server.merge(&put(DOOR, GLTF, 5, b"old"), Role::Scene);
        let (mut from, mut report) = (Connection::new(Role::Scene), MergeReport::default());
        let packet = encode(&[put(DOOR, GLTF, sent, b"long")]);
        server.receive_packet_checked(&mut from, &packet, &mut report, cut);
        assert_eq!((server.dump(), report.refused), (encode(&[stands]), 1));
        assert_eq!(report.authoritative, encode(&[stands]));
    }
    // A type 8 is not obeyed because a check has another value for it.
    let mut server = of_role(Role::Host);
    let packet = encode(&[authoritative(GLTF, 9, b"no")]);
    let mut report = MergeReport::default();
    server.receive_packet_checked(&mut Connection::new(Role::Scene), &packet, &mut report, cut);
    assert!(server.dump().is_empty() && report.authoritative.is_empty());
}

/// Short messages that are refused get no more bytes back than the connection has earned.
#[test]
fn answers_to_refused_messages_are_limited() {
    let mut server = of_role(Role::Host);
    server.put(door(GLTF), &[7; 40_000]).unwrap();
    let (mut from, mut report) = (Connection::new(Role::Scene), MergeReport::default());
    let packet = encode(&[put(DOOR, GLTF, 9, b"x"); 100]);
    server.receive_packet_checked(&mut from, &packet, &mut report, |_, _| Check::Refuse);
    assert_eq!((report.refused, report.uncorrected), (100, 99));
    assert!(report.authoritative.len() < (64 << 10) + 4 * packet.len());
}
