//! Who may write what: scenes, hosts and peers.

use crate::{common::*, messages::encode};
use decentraland_scene::{merge::*, wire::*};

const ONE: SceneTransform =
    SceneTransform { position: [1.0, 0.0, 0.0], ..SceneTransform::IDENTITY };

/// What a scene that is new hears: a dump without the players that left.
fn present(host: &mut Replica) -> Vec<u8> {
    host.delta(&mut Connection::new(Role::Scene))
}

#[test]
fn only_a_host_moves_reserved_entities_and_nobody_the_root() {
    let one = ONE.to_bytes();
    for role in [Role::Scene, Role::Peer, Role::Host] {
        for id in [1, 2, 3, 40, 511, 1 | 5 << 16] {
            let (mut replica, is_host) = (of_role(Role::Scene), role == Role::Host);
            let expected = if is_host { Outcome::Accepted } else { Outcome::HostPlaced };
            assert_eq!(replica.merge(&put(id, TRANSFORM, 9, &one), role), expected);
            assert_eq!(replica.dump().is_empty(), !is_host);
            let written = of_role(role).put_transform(local(id), &ONE).map(|_| ());
            let refused = WriteError { key: local(id).key(1), kind: WriteErrorKind::HostPlaced };
            assert_eq!(written, if is_host { Ok(()) } else { Err(refused) });
        }
        let mut replica = of_role(role);
        for root in [0, 1 << 16] {
            assert_eq!(replica.merge(&put(root, TRANSFORM, 9, &one), role), Outcome::HostPlaced);
            assert!(replica.put_transform(local(root), &ONE).is_err());
            assert_eq!(replica.merge(&death(root), role), Outcome::Reserved);
        }
        assert!(replica.dump().is_empty());
        assert_eq!(replica.merge(&put(512, TRANSFORM, 9, &one), role), Outcome::Accepted);
    }
}

#[test]
fn a_host_deletes_players_without_a_tombstone() {
    let one = ONE.to_bytes();
    for id in [1, 2, 40, 511] {
        let mut replica = of_role(Role::Scene);
        let worn = put(id, 1200, 3, &[1]);
        replica.merge(&put(id, TRANSFORM, 9, &one), Role::Host);
        replica.merge(&worn, Role::Scene);
        for role in [Role::Scene, Role::Peer] {
            assert_eq!(replica.merge(&death(id), role), Outcome::Reserved);
        }
        let refused = replica.delete_entity(local(id)).unwrap_err();
        assert_eq!(refused.kind, WriteErrorKind::Reserved);
        assert_eq!(replica.usage().entities, 1);

        assert_eq!(replica.merge(&death(id), Role::Host), Outcome::Accepted);
        assert_eq!((replica.dump(), replica.usage()), (vec![], Usage::default()));
        assert_eq!(replica.merge(&death(id), Role::Host), Outcome::Duplicate);
        assert!(!replica.is_dead(local(id)));
        assert_eq!(replica.dead_version(id as u16), None);
        // The next player begins to count anew.
        assert_eq!(replica.merge(&put(id, TRANSFORM, 1, &one), Role::Host), Outcome::Accepted);
    }
}

#[test]
fn a_thousand_players_on_one_number_leave_one() {
    let one = ONE.to_bytes();
    let (mut same, mut versions) = (of_role(Role::Scene), of_role(Role::Scene));
    let mut cursor = ChangeCursor::default();
    same.for_each_change(&mut cursor, |_, _| {});
    for player in 0..1000 {
        same.merge(&put(40, TRANSFORM, 1, &one), Role::Host);
        same.merge(&death(40), Role::Host);
        versions.merge(&put(40 | player << 16, TRANSFORM, 1, &one), Role::Host);
        versions.merge(&death(40 | player << 16), Role::Host);
    }
    for replica in [&mut same, &mut versions] {
        assert_eq!(replica.usage(), Usage::default());
        replica.merge(&put(40, TRANSFORM, 1, &one), Role::Host);
        assert_eq!(replica.dump(), encode(&[put(40, TRANSFORM, 1, &one)]));
    }
    // A follower sees who is there now.
    let mut seen = Vec::new();
    same.for_each_change(&mut cursor, |entity, effective| {
        seen.push((entity, matches!(effective.state, TransformState::Live { .. })));
    });
    assert_eq!(seen, [(local(40), true)]);
}

#[test]
fn a_leaving_player_leaves_every_replica() {
    let mut host = of_role(Role::Host);
    let mut scene = of_role(Role::Scene);
    let (mut to_scene, mut to_host) = (Connection::new(Role::Scene), Connection::new(Role::Host));
    let mut pass_on = |host: &mut Replica, scene: &mut Replica| {
        let delta = host.delta(&mut to_scene);
        scene.receive(&mut to_host, &delta, &mut MergeReport::default()).unwrap();
        // Nothing of the host's goes back to it.
        assert!(scene.delta(&mut to_host).is_empty());
        scene.dump() == present(host)
    };
    for id in [40, 41, 42] {
        host.put_transform(local(id), &ONE).unwrap();
    }
    assert!(pass_on(&mut host, &mut scene));
    // Leaves; leaves and comes back; comes and leaves, all before the next delta.
    host.delete_entity(local(40)).unwrap();
    host.delete_entity(local(41)).unwrap();
    host.put_transform(local(41), &SceneTransform::IDENTITY).unwrap();
    host.put_transform(local(43), &ONE).unwrap();
    host.delete_entity(local(43)).unwrap();
    assert!(!pass_on(&mut host, &mut scene));
    assert_eq!(scene.usage().entities, 1);
    // Who came back does so in a delta of its own.
    assert!(pass_on(&mut host, &mut scene));
    assert_eq!(scene.usage().entities, 2);
    // Who joins late sees who is there, and hears nothing of those who left.
    assert_eq!(present(&mut host), scene.dump());
    // The host itself keeps which numbers were given.
    assert!(host.dump().starts_with(&encode(&[death(40), death(41)])));
    assert_eq!(host.usage().bytes, host.dump().len());
}

/// A host and a scene that keeps names of players, and their ends of the connection.
struct Named {
    host: Replica,
    scene: Replica,
    to_scene: Connection,
    to_host: Connection,
}

const NAME: u32 = 1200;

impl Named {
    fn new() -> Self {
        let mut options = ReplicaOptions::default();
        options.keep_other_components = true;
        let scene = Replica::new(options);
        options.role = Role::Host;
        let (to_scene, to_host) = (Connection::new(Role::Scene), Connection::new(Role::Host));
        Self { host: Replica::new(options), scene, to_scene, to_host }
    }

    fn host_sends(&mut self) {
        let delta = self.host.delta(&mut self.to_scene);
        self.scene.receive(&mut self.to_host, &delta, &mut MergeReport::default()).unwrap();
    }

    fn scene_receives_late(&mut self, delta: &[u8]) {
        self.scene.receive(&mut self.to_host, delta, &mut MergeReport::default()).unwrap();
    }

    fn scene_sends(&mut self) {
        let delta = self.scene.delta(&mut self.to_host);
        self.host.receive(&mut self.to_scene, &delta, &mut MergeReport::default()).unwrap();
    }

    fn settle(&mut self) {
        for _ in 0..2 {
            self.scene_sends();
            self.host_sends();
        }
        assert_eq!(self.scene.dump(), present(&mut self.host));
        assert!(self.scene.delta(&mut self.to_host).is_empty());
    }
}

#[test]
fn what_a_scene_writes_for_a_player_may_cross_the_leave() {
    for is_delta_under_way in [true, false] {
        let mut both = Named::new();
        both.host.put_transform(local(40), &ONE).unwrap();
        both.host_sends();
        both.scene.put(local(40).key(NAME), b"Ada").unwrap();
        both.host.delete_entity(local(40)).unwrap();
        if is_delta_under_way {
            let death = both.host.delta(&mut both.to_scene);
            both.scene_sends();
            both.scene_receives_late(&death);
        }
        both.settle();
        assert_eq!(both.scene.component(local(40).key(NAME)), Some(&b"Ada"[..]));
    }
}

#[test]
fn a_leave_costs_no_earlier_version_what_was_written_after_it() {
    let mut both = Named::new();
    let [old, new] = [0, 3].map(|version| SceneEntity::local(EntityId::new(40, version)));
    both.host.put_transform(new, &ONE).unwrap();
    both.host_sends();
    both.host.delete_entity(new).unwrap();
    both.scene.put(old.key(NAME), b"Ada").unwrap();
    both.settle();
    // Everything again, the leave, too.
    both.to_scene.resync();
    both.settle();
    assert!(both.scene.is_alive(old));
}

#[test]
fn who_comes_back_with_its_replica_learns_who_left() {
    let mut both = Named::new();
    both.host.put_transform(local(40), &ONE).unwrap();
    both.host_sends();
    both.host.delete_entity(local(40)).unwrap();
    (both.to_scene, both.to_host) = (Connection::new(Role::Scene), Connection::new(Role::Host));
    both.to_scene.resync();
    both.settle();
    assert!(!both.scene.is_alive(local(40)));
}

#[test]
fn a_player_survives_the_death_of_a_lower_version_everywhere() {
    let (mut host, mut scene) = (of_role(Role::Host), of_role(Role::Scene));
    let (mut to_scene, mut to_host) = (Connection::new(Role::Scene), Connection::new(Role::Host));
    let mut pass_on = |host: &mut Replica, scene: &mut Replica| {
        let delta = host.delta(&mut to_scene);
        scene.receive(&mut to_host, &delta, &mut MergeReport::default()).unwrap();
        assert_eq!(scene.dump(), present(host));
    };
    let [first, second] = [3, 3 | 1 << 16].map(local);
    // The higher version died once, and is there again, with another component.
    host.put_transform(second, &ONE).unwrap();
    host.delete_entity(second).unwrap();
    host.put_transform(second, &ONE).unwrap();
    host.put(second.key(9), &[1]).unwrap();
    host.put_transform(first, &ONE).unwrap();
    pass_on(&mut host, &mut scene);
    host.delete_entity(first).unwrap();
    pass_on(&mut host, &mut scene);
    assert_eq!(scene.dump().len(), 68 + 25);
}

#[test]
fn what_a_host_says_with_authority_replaces_all() {
    let (one, two) = (ONE.to_bytes(), SceneTransform::IDENTITY.to_bytes());
    let raw = |timestamp, data| put(512, 9, timestamp, data);
    let authoritative = |component, data| Message::AuthoritativePutComponent {
        entity: EntityId(512),
        component,
        timestamp: 3,
        data,
    };
    let mut replica = of_role(Role::Scene);
    replica
        .merge_bytes(&encode(&[put(512, TRANSFORM, 8, &one), raw(8, &[5, 5])]), Role::Scene)
        .unwrap();
    let before = replica.dump();
    let said = encode(&[authoritative(1, &two), authoritative(9, &[1])]);
    for role in [Role::Scene, Role::Peer] {
        let report = replica.merge_bytes(&said, role).unwrap();
        let faults = [(0, 68), (68, 25)].map(|(offset, length)| {
            let kind = FaultKind::UnknownType { kind: 8, length };
            MergeFault::Wire(Fault { offset, kind })
        });
        assert_eq!((report.messages(), report.faults), (0, faults.to_vec()));
        assert_eq!(replica.dump(), before);
    }
    assert_eq!(replica.merge_bytes(&said, Role::Host).unwrap().accepted, 2);
    assert_eq!(replica.dump(), encode(&[put(512, TRANSFORM, 3, &two), raw(3, &[1])]));
    // Writers count on from there.
    assert_eq!(replica.put_transform(local(512), &ONE), Ok(put(512, TRANSFORM, 4, &one)));
    let short = authoritative(1, &[1]);
    assert_eq!(replica.merge(&short, Role::Host), Outcome::WrongLength { length: 1 });
}
