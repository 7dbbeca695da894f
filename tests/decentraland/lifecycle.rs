//! Mirrors and replicas that come and go, and the numbers of new entities.

use std::collections::BTreeSet;

use crate::common::{any_message, encode, live::*};
use legion::{EntityStore, IntoQuery, World};
use legion_transform::{
    decentraland::{apply::*, merge::*, wire::*},
    prelude::*,
};
use proptest::prelude::*;

/// A child below a parent, one below an unknown one, and the player.
fn scene() -> Live {
    let mut live = Live::default();
    live.put(512, at(1.0, 2.0, 3.0, 0));
    live.put(513, at(0.0, 1.0, 0.0, 512));
    live.put(514, at(0.0, 0.0, 1.0, 600));
    live.mirror.place(&mut live.world, SceneEntity::PLAYER);
    live.update();
    live
}

fn count(world: &World) -> usize {
    <&LocalToWorld>::query().iter(world).count()
}

#[test]
fn a_cleared_mirror_leaves_nothing_and_shows_everything_again() {
    let mut live = scene();
    let stranger = live.world.push((LocalToWorld::identity(), Translation::new(5.0, 0.0, 0.0)));
    let before = live.matrices();
    assert_eq!(live.mirror.clear(&mut live.world), 5);
    assert_eq!((count(&live.world), live.mirror.entities().count()), (1, 0));
    live.run();
    // That is no edit.
    let report = live.mirror.send_edits(&mut live.replica, &live.world);
    assert_eq!(
        report,
        EditReport { not_ready: Some(NotReady::NeverApplied), ..EditReport::default() }
    );
    let _ = live.replica.delta();

    assert_eq!(live.update().spawned, 4);
    let mut after = live.matrices();
    after.insert(SceneEntity::PLAYER, before[&SceneEntity::PLAYER]);
    assert_eq!(after, before);
    assert_eq!(live.mirror.send_edits(&mut live.replica, &live.world), EditReport::default());
    assert_eq!(live.replica.delta(), []);
    assert!(live.world.contains(stranger));
}

#[test]
fn another_replica_under_a_mirror_replaces_the_scene() {
    let mut live = scene();
    let (shared, gone) = (live.entity(512), live.entity(513));
    let mut other = Live::default();
    other.put(512, at(7.0, 0.0, 0.0, 0));
    other.put(700, at(0.0, 1.0, 0.0, 512));
    live.replica = Replica::default();
    live.replica.merge_bytes(&other.replica.dump()).unwrap();
    other.update();

    // Edits cannot be told before it was applied.
    let report = live.mirror.send_edits(&mut live.replica, &live.world);
    assert_eq!(
        report,
        EditReport { not_ready: Some(NotReady::OtherReplica), ..EditReport::default() }
    );
    let before = live.replica.dump();
    live.update();
    let mut matrices = live.matrices();
    matrices.remove(&SceneEntity::PLAYER);
    assert_eq!(matrices, other.matrices());
    assert_eq!(live.entity(512), shared);
    assert!(!live.world.contains(gone));
    assert_eq!(live.mirror.send_edits(&mut live.replica, &live.world), EditReport::default());
    assert_eq!(live.replica.dump(), before);

    // An empty one: the scene is unloaded.
    live.replica = Replica::default();
    live.update();
    assert_eq!(
        live.mirror.entities().map(|(scene, _)| scene).collect::<Vec<_>>(),
        [SceneEntity::PLAYER]
    );
}

#[test]
fn a_snapshot_of_a_replica_can_be_gone_back_to() {
    let mut live = scene();
    let (snapshot, before) = (live.replica.clone(), live.matrices());
    live.put(512, at(9.0, 9.0, 9.0, 514));
    live.replica.delete_entity(local(513)).unwrap();
    live.put(800, at(9.0, 9.0, 9.0, 0));
    live.update();
    assert_ne!(live.matrices(), before);
    live.replica = snapshot;
    live.update();
    assert_eq!(live.matrices(), before);
}

#[test]
fn a_replica_has_as_many_mirrors_as_it_likes() {
    let mut live = scene();
    let (mut world, mut mirror) = (World::default(), Mirror::default());
    assert_eq!(mirror.apply(&mut live.replica, &mut world).spawned, 4);
    for (x, id) in [(5.0, 512), (6.0, 513), (7.0, 512)] {
        live.put(id, at(x, 0.0, 0.0, 0));
        assert_eq!(live.update().written, 1);
        assert_eq!(mirror.apply(&mut live.replica, &mut world).written, 1);
        for (mirror, world) in [(&live.mirror, &live.world), (&mirror, &world)] {
            let entry = world.entry_ref(mirror.entity(local(id)).unwrap()).unwrap();
            assert_eq!(
                *entry.get_component::<Translation>().unwrap(),
                Translation::new(x, 0.0, 0.0)
            );
        }
    }
    // An edit in one world goes to the other one.
    live.set(513, Translation::new(8.0, 0.0, 0.0));
    assert_eq!(live.mirror.send_edits(&mut live.replica, &live.world).sent, 1);
    assert_eq!(mirror.apply(&mut live.replica, &mut world).written, 1);
    assert_eq!(mirror.send_edits(&mut live.replica, &world), EditReport::default());
    // Two in the same world are two scenes.
    assert_eq!(mirror.clear(&mut world), 4);
    assert_eq!(mirror.apply(&mut live.replica, &mut live.world).spawned, 4);
    live.put(512, at(3.0, 0.0, 0.0, 0));
    assert_eq!(
        (live.update().written, mirror.apply(&mut live.replica, &mut live.world).written),
        (1, 1)
    );
    assert_eq!(mirror.send_edits(&mut live.replica, &live.world), EditReport::default());
}

#[test]
fn edits_are_not_looked_for_in_another_world() {
    let mut live = scene();
    let before = live.replica.dump();
    live.world = World::default();
    for _ in 0..2 {
        let report = live.mirror.send_edits(&mut live.replica, &live.world);
        assert_eq!(
            report,
            EditReport { not_ready: Some(NotReady::OtherWorld), ..EditReport::default() }
        );
        assert!(report.not_ready.unwrap().to_string().contains("Mirror::apply"));
        let named = live.mirror.send_edits_of(&mut live.replica, &live.world, [local(512)]);
        assert_eq!(named, report);
    }
    assert_eq!(live.update().spawned, 5);
    assert_eq!(live.mirror.send_edits(&mut live.replica, &live.world), EditReport::default());
    assert_eq!(live.replica.dump(), before);
}

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
    let of = |id| Message::PutComponent {
        network: None,
        entity: EntityId(id),
        component: 1,
        timestamp: 1,
        data: &data,
    };
    let death = Message::DeleteEntity { network: None, entity: EntityId::new(602, 4) };
    replica.merge_bytes(&encode(&[of(601), death])).unwrap();
    assert_eq!((replica.alive_version(0, 601), replica.dead_version(0, 601)), (Some(0), None));
    assert_eq!((replica.alive_version(0, 602), replica.dead_version(0, 602)), (None, Some(4)));

    let first = [(); 3].map(|()| taken(&mut replica));
    assert_eq!(first, [EntityId::new(600, 0), EntityId::new(603, 0), EntityId::new(602, 5)]);
    let error = replica.new_entity().unwrap_err();
    assert_eq!(error, NumbersExhausted { range: NumberRange::new(600, 603) });
    assert!(error.to_string().contains("600 to 603"), "{error}");
    // In the order of their deaths, wherever they died.
    replica.delete_entity(SceneEntity::local(EntityId(603))).unwrap();
    replica
        .merge_bytes(&encode(&[Message::DeleteEntity { network: None, entity: EntityId(601) }]))
        .unwrap();
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
        assert_eq!(replica.new_entity(), Ok(local(id)));
    }
    assert!(replica.new_entity().is_err());
    // Given but never used, they come back when they are deleted.
    replica.delete_entity(local(777)).unwrap();
    assert_eq!(replica.new_entity(), Ok(SceneEntity::local(EntityId::new(777, 1))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_new_entity_is_neither_alive_nor_dead_nor_given_before(
        messages in prop::collection::vec((any_message(), any::<bool>(), any::<bool>()), 0..80),
    ) {
        let mut replica = numbered(510, 515);
        let mut given = BTreeSet::new();
        for (message, take, put) in messages {
            replica.merge(&message.message());
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
