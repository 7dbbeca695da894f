//! What is the host's alone: the numbers of players, after a restart, too, and who they are.

use crate::{common::*, messages::encode};
use decentraland_scene::{merge::*, wire::*};

const ONE: SceneTransform =
    SceneTransform { position: [1.0, 0.0, 0.0], ..SceneTransform::IDENTITY };

/// A server that starts again from its dump: 33v0 had left, 34v0 and 35v1 were there.
#[test]
fn a_number_comes_back_after_a_restart_with_its_next_version() {
    let mut options = ReplicaOptions::default();
    (options.role, options.numbers) = (Role::Host, NumberRange::new(33, 36));
    options.keep_other_components = true;
    let mut before = Replica::new(options);
    let players = [(); 3].map(|()| before.new_entity().unwrap());
    for player in players {
        before.put_transform(player, &ONE).unwrap();
        before.put_transform(player, &SceneTransform::IDENTITY).unwrap();
    }
    for player in [players[0], players[2]] {
        before.delete_entity(player).unwrap();
    }
    let again = local(35 | 1 << 16);
    before.put_transform(again, &ONE).unwrap();
    let dump = before.dump();
    let identity = SceneTransform::IDENTITY.to_bytes();
    let one = ONE.to_bytes();
    assert_eq!(
        dump,
        encode(&[
            death(33),
            put(34, TRANSFORM, 2, &identity),
            death(35),
            put(35 | 1 << 16, TRANSFORM, 3, &one),
        ])
    );
    // The deletion of 33, and that of 35 behind the `Transform` of 34.
    assert_eq!(dump[..12], unhex("0c000000 03000000 21000000"));
    assert_eq!(dump[80..92], unhex("0c000000 03000000 23000000"));
    assert_eq!((before.usage().bytes, before.usage().tombstones), (dump.len(), 0));

    let mut after = Replica::new(options);
    for _ in 0..2 {
        after.merge_bytes(&dump, Role::Host).unwrap();
        assert_eq!((after.dump(), after.usage()), (dump.clone(), before.usage()));
    }
    // Those who were there are not any more; a scene that is back hears of all who left.
    let mut to_scene = Connection::new(Role::Scene);
    to_scene.resync();
    for player in [local(34), again] {
        after.delete_entity(player).unwrap();
    }
    let left = [33, 34, 35, 35 | 1 << 16].map(death);
    assert_eq!(after.delta(&mut to_scene), encode(&left));
    let mut next: Vec<SceneEntity> = Vec::new();
    while let Ok(player) = after.new_entity() {
        after.put_transform(player, &ONE).unwrap();
        next.push(player);
    }
    next.sort_unstable();
    assert_eq!(next, [36, 33 | 1 << 16, 34 | 1 << 16, 35 | 2 << 16].map(local));
    // To delete who is not there is refused, and keeps no number.
    assert_eq!(after.delete_entity(local(400)).unwrap_err().kind, WriteErrorKind::DeadEntity);
    assert!(!after.dump().windows(4).any(|bytes| bytes == [0x90, 1, 0, 0]));
}

/// A client that lost its connection has the scene as it was. Players who left meanwhile leave it
/// when the client is back, also where the server started again.
#[test]
fn a_client_that_is_back_hears_who_left() {
    let mut options = ReplicaOptions::default();
    (options.role, options.numbers) = (Role::Host, NumberRange::new(33, 40));
    for starts_again in [false, true] {
        let (mut server, mut client) = (Replica::new(options), of_role(Role::Scene));
        let [ada, bob] = [(); 2].map(|()| {
            let player = server.new_entity().unwrap();
            server.put_transform(player, &ONE).unwrap();
            player
        });
        let first = server.delta(&mut Connection::new(Role::Scene));
        client.merge_bytes(&first, Role::Host).unwrap();
        server.delete_entity(ada).unwrap();
        if starts_again {
            let dump = server.dump();
            server = Replica::new(options);
            server.merge_bytes(&dump, Role::Host).unwrap();
        }
        let mut to_client = Connection::new(Role::Scene);
        to_client.resync();
        let delta = server.delta(&mut to_client);
        assert_eq!(delta[..12], unhex("0c000000 03000000 21000000"));
        client.merge_bytes(&delta, Role::Host).unwrap();
        assert!(!client.is_alive(ada) && client.is_alive(bob));
        // A new client hears only of the players who are there.
        assert_eq!(server.delta(&mut Connection::new(Role::Scene)), delta[12..]);
    }
}

/// Component 1089 is the identity of a player: the host's, whatever the timestamp.
#[test]
fn a_scene_cannot_be_another_player() {
    // 1089 of entity 40 at timestamp 100: "Eve".
    let eve = unhex("1b000000 01000000 28000000 41040000 64000000 03000000 457665");
    assert_eq!(eve, encode(&[put(40, 1089, 100, b"Eve")]));
    for role in [Role::Scene, Role::Peer] {
        let mut host = of_role(Role::Host);
        host.put(local(40).key(1089), b"Ada").unwrap();
        let before = host.dump();
        for component in ReplicaOptions::HOST_COMPONENTS {
            for id in [3, 40, 511, 40 | 7 << 16] {
                for timestamp in [0, 1, 2, 100, (1 << 31) - 1, u32::MAX] {
                    let put = put(id, *component, timestamp, b"Eve");
                    assert_eq!(host.merge(&put, role), Outcome::HostPlaced);
                }
                let (network, entity, component) = (None, EntityId(id), *component);
                let timestamp = 100;
                let delete = Message::DeleteComponent { network, entity, component, timestamp };
                let append = Message::AppendValue { entity, component, timestamp, data: b"Eve" };
                assert_eq!(host.merge(&delete, role), Outcome::HostPlaced);
                assert_eq!(host.merge(&append, role), Outcome::HostPlaced);
            }
        }
        let report = host.merge_bytes(&eve, role).unwrap();
        assert_eq!((report.host_placed, host.dump()), (1, before));
    }
}

#[test]
fn what_is_not_the_host_s_is_anybody_s() {
    for role in [Role::Scene, Role::Peer] {
        let mut host = of_role(Role::Host);
        // Their own player, the scene's entities, networks and other components are theirs.
        let there = put(SceneEntity::networked(0, EntityId(40)), 1089, 1, b"x");
        let theirs = [
            put(1, 1089, 1, b"x"),
            put(2, 1087, 1, b"x"),
            put(512, 1089, 1, b"x"),
            put(40, 1200, 1, b"x"),
            there,
        ];
        for message in theirs {
            assert_eq!(host.merge(&message, role), Outcome::Accepted);
        }
        // A write of one's own.
        let refused = of_role(role).put(local(40).key(1089), b"Eve").unwrap_err();
        assert_eq!(refused.kind, WriteErrorKind::HostPlaced);
        // Where the option says so, they may.
        let mut options = ReplicaOptions::default();
        (options.role, options.keep_other_components) = (Role::Host, true);
        options.host_components = &[1200];
        let mut host = Replica::new(options);
        assert_eq!(host.merge(&put(40, 1089, 1, b"x"), role), Outcome::Accepted);
        assert_eq!(host.merge(&put(40, 1200, 1, b"x"), role), Outcome::HostPlaced);
    }
}
