//! Mirrors and replicas that come and go, and the numbers of new entities.

use crate::common::live::*;
use decentraland_scene::{apply::*, merge::*, wire::*};
use legion::{EntityStore, IntoQuery, World};
use legion_transform::prelude::*;

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
    let _ = live.replica.delta(&mut live.peer);

    assert_eq!(live.update().spawned, 4);
    let mut after = live.matrices();
    after.insert(SceneEntity::PLAYER, before[&SceneEntity::PLAYER]);
    assert_eq!(after, before);
    assert_eq!(live.replica.delta(&mut live.peer), []);
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
    live.replica.merge_bytes(&other.replica.dump(), Role::Peer).unwrap();
    other.update();

    let before = live.replica.dump();
    live.update();
    let mut matrices = live.matrices();
    matrices.remove(&SceneEntity::PLAYER);
    assert_eq!(matrices, other.matrices());
    assert_eq!(live.entity(512), shared);
    assert!(!live.world.contains(gone));
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
    let edited = live.mirror.transform_of(&live.world, local(513)).unwrap();
    live.put(513, edited);
    live.update();
    assert_eq!(mirror.apply(&mut live.replica, &mut world).written, 1);
    // Two in the same world are two scenes.
    assert_eq!(mirror.clear(&mut world), 4);
    assert_eq!(mirror.apply(&mut live.replica, &mut live.world).spawned, 4);
    live.put(512, at(3.0, 0.0, 0.0, 0));
    assert_eq!(
        (live.update().written, mirror.apply(&mut live.replica, &mut live.world).written),
        (1, 1)
    );
}
