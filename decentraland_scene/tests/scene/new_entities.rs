//! Numbers for new entities.

use std::collections::BTreeSet;

use crate::{
    common::*,
    messages::{any_message, encode},
};
use decentraland_scene::{merge::*, wire::*};
use proptest::prelude::*;

fn numbered(first: u16, last: u16) -> Replica {
    let mut options = ReplicaOptions::default();
    options.numbers = NumberRange::new(first, last);
    Replica::new(options)
}

fn taken(replica: &mut Replica) -> EntityId {
    let scene = replica.new_entity().unwrap();
    assert!(!replica.is_alive(scene) && !replica.is_dead(scene));
    replica.put_transform(scene, &SceneTransform::IDENTITY).unwrap();
    assert!(replica.is_alive(scene) && !replica.is_dead(scene));
    scene.entity
}

#[test]
fn new_entities_take_unused_numbers_and_then_those_that_died() {
    let mut replica = numbered(600, 603);
    // Another replica uses 601, and 602 died there.
    let data = SceneTransform::IDENTITY.to_bytes();
    let of = |id| put(id, 1, 1, &data);
    let dead = death(EntityId::new(602, 4));
    replica.merge_bytes(&encode(&[of(601), dead]), Role::Peer).unwrap();
    assert_eq!((replica.alive_version(601), replica.dead_version(601)), (Some(0), None));
    assert_eq!((replica.alive_version(602), replica.dead_version(602)), (None, Some(4)));

    let first = [(); 3].map(|()| taken(&mut replica));
    assert_eq!(first, [EntityId::new(600, 0), EntityId::new(603, 0), EntityId::new(602, 5)]);
    let error = replica.new_entity().unwrap_err();
    assert_eq!(error, NumbersExhausted { range: NumberRange::new(600, 603) });
    assert!(error.to_string().contains("600 to 603"), "{error}");
    // In the order of their deaths, wherever they died.
    replica.delete_entity(SceneEntity::local(EntityId(603))).unwrap();
    replica.merge_bytes(&encode(&[death(601)]), Role::Peer).unwrap();
    assert_eq!(
        [(); 2].map(|()| taken(&mut replica)),
        [EntityId::new(603, 1), EntityId::new(601, 1)]
    );
    assert!(replica.new_entity().is_err());
    // Of one whose last version died there is no other.
    replica.delete_entity(SceneEntity::local(EntityId::new(600, u16::MAX))).unwrap();
    assert!(replica.new_entity().is_err());
}

#[test]
fn by_default_new_entities_are_the_scene_s_own() {
    let mut replica = Replica::default();
    for id in 512..=u32::from(u16::MAX) {
        assert_eq!(replica.new_entity(), Ok(SceneEntity::local(EntityId(id))));
    }
    assert!(replica.new_entity().is_err());
    let used = SceneEntity::local(EntityId(777));
    replica.delete_entity(used).unwrap();
    assert_eq!(replica.new_entity(), Ok(SceneEntity::local(EntityId::new(777, 1))));
}

#[test]
fn reserved_numbers_are_passed_over_and_a_host_gives_them_to_players() {
    assert_eq!(taken(&mut numbered(0, 600)), EntityId(512));
    assert!(numbered(0, 511).new_entity().is_err());
    let mut options = ReplicaOptions::default();
    options.numbers = NumberRange::new(0, 4);
    options.role = Role::Host;
    let mut host = Replica::new(options);
    assert_eq!([(); 2].map(|()| taken(&mut host)), [EntityId(3), EntityId(4)]);
    // The next player with that number has the next version.
    host.delete_entity(SceneEntity::local(EntityId(3))).unwrap();
    assert_eq!(taken(&mut host), EntityId::new(3, 1));
    assert!(host.new_entity().is_err());
    // In a network no number is reserved.
    options.numbers.network = Some(0);
    let first = Replica::new(options).new_entity();
    assert_eq!(first, Ok(SceneEntity::networked(0, EntityId(0))));
}

/// Others do not split the ids that we make: each id is used once.
#[test]
fn new_entities_of_a_network_have_ids_of_their_own() {
    let mut options = ReplicaOptions::default();
    options.numbers = NumberRange::new(600, 601);
    options.numbers.network = Some(7);
    let mut replica = Replica::new(options);
    let there = |number, version| SceneEntity::networked(7, EntityId::new(number, version));
    assert_eq!(taken(&mut replica), EntityId(600));
    assert_eq!(taken(&mut replica), EntityId(601));
    assert!(replica.new_entity().is_err());
    for version in [1, 2] {
        replica.delete_entity(there(600, version - 1)).unwrap();
        let next = replica.new_entity().unwrap();
        assert_eq!(next, there(600, version));
        replica.put_transform(next, &SceneTransform::IDENTITY).unwrap();
        assert!(replica.new_entity().is_err());
    }
}

#[test]
fn what_scenes_write_for_players_takes_no_number_from_the_host() {
    let mut options = ReplicaOptions::default();
    (options.role, options.numbers) = (Role::Host, NumberRange::new(3, 4));
    options.keep_other_components = true;
    let mut host = Replica::new(options);
    let named = |number, version| put(EntityId::new(number, version), 1200, 1, b"Ada");
    let place = |host: &mut Replica| {
        let player = host.new_entity().unwrap();
        host.put_transform(player, &SceneTransform::IDENTITY).unwrap();
        player.entity
    };
    // A scene writes for players that do not exist, and perhaps never will.
    host.merge_bytes(&encode(&[named(3, 0), named(4, 0), named(4, 7)]), Role::Scene).unwrap();
    assert_eq!([place(&mut host), place(&mut host)], [3, 4].map(|number| EntityId::new(number, 0)));
    assert!(host.new_entity().is_err());

    // It does not know yet that one left.
    host.delete_entity(SceneEntity::local(EntityId(3))).unwrap();
    host.merge_bytes(&encode(&[named(3, 0)]), Role::Scene).unwrap();
    let next = SceneEntity::local(EntityId::new(3, 1));
    assert_eq!(place(&mut host), next.entity);
    assert!(host.new_entity().is_err());

    // What it wrote for the first one goes with the next one.
    host.delete_entity(next).unwrap();
    assert!(!host.is_alive(SceneEntity::local(EntityId(3))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::soak::cases(100)))]

    #[test]
    fn a_new_entity_is_neither_alive_nor_dead_nor_given_before(
        messages in prop::collection::vec((any_message(), any::<bool>(), any::<bool>()), 0..80),
    ) {
        let mut replica = numbered(510, 515);
        let mut given = BTreeSet::new();
        for (message, take, put) in messages {
            replica.merge(&message.message(), Role::Peer);
            if take && let Ok(scene) = replica.new_entity() {
                prop_assert!(!replica.is_alive(scene) && !replica.is_dead(scene));
                prop_assert!(given.insert(scene));
                if put {
                    prop_assert!(replica.put_transform(scene, &SceneTransform::IDENTITY).is_ok());
                }
            }
        }
    }
}
