//! Entities that the user moves for a while: the world shows that, and the scene's values come
//! back.

use crate::common::live::*;
use decentraland_scene::{apply::*, merge::*, wire::*};
use legion::*;
use legion_transform::prelude::*;

/// 513 below 512, and 514 below 513. 515 at the root.
fn scene() -> Live {
    let mut live = Live::default();
    live.put(512, at(1.0, 0.0, 0.0, 0));
    live.put(513, at(0.0, 1.0, 0.0, 512));
    live.put(514, at(0.0, 0.0, 1.0, 513));
    live.put(515, at(5.0, 5.0, 5.0, 0));
    live.update();
    live
}

/// Another place, rotation and scale, below another parent.
fn move_by_hand(live: &mut Live, id: u32) {
    let parent = live.entity(515);
    live.set(id, Translation::new(7.0, 7.0, 7.0));
    live.set(id, Rotation::from_euler_angles(0.0, 1.0, 0.0));
    live.set(id, Scale(2.0));
    live.set(id, Parent(parent));
    live.set(id, LocalToParent::identity());
}

/// Whether it is shown as `move_by_hand` says.
fn is_moved(live: &Live, id: u32) -> bool {
    live.get(id) == Some(Translation::new(7.0, 7.0, 7.0))
        && live.get(id) == Some(Scale(2.0))
        && live.get(id) == Some(Parent(live.entity(515)))
}

fn dead(live: &mut Live, id: u32) {
    let death = Message::DeleteEntity { network: None, entity: EntityId(id) };
    assert_eq!(live.replica.merge(&death, Role::Peer), Outcome::Accepted);
}

#[test]
fn the_user_s_values_are_shown_and_the_scene_s_come_back() {
    // The order of: r the bundle runs, a the state is applied, m others write; first with the
    // component, then without.
    for with in ["", "a", "rar", "m", "ma", "rmara"] {
        for without in ["", "r", "m", "mr"] {
            let mut live = scene();
            live.set(513, LocalOverride);
            move_by_hand(&mut live, 513);
            let mut timestamp = 1;
            let mut step = |live: &mut Live, step: char| match step {
                'r' => live.run(),
                'a' => {
                    let report = live.mirror.apply(&mut live.replica, &mut live.world);
                    assert_eq!(report.written, 0, "{with} {without}");
                }
                _ => {
                    timestamp += 1;
                    let parent = [512, 0][timestamp as usize % 2];
                    remote(live, 513, timestamp, at(timestamp as f32, 0.0, 0.0, parent));
                }
            };
            for name in with.chars() {
                step(&mut live, name);
                assert!(is_moved(&live, 513), "{with} {name}");
            }
            if !with.contains('a') {
                // The mirror has to see it once.
                step(&mut live, 'a');
            }
            live.run();
            assert!(is_moved(&live, 513));
            // The scene's own child follows: 515 is at y = 5, and 513 is 7 above it.
            assert!((live.matrix(514).m24 - 12.0).abs() < 1e-5, "{with}");

            live.remove::<LocalOverride>(513);
            without.chars().for_each(|name| step(&mut live, name));
            live.update();
            settled(&mut live);
            assert_eq!((live.get::<Scale>(513), live.position(514)[2]), (None, 1.0));
        }
    }
}

#[test]
fn a_parent_that_comes_back_leaves_the_user_s_link_alone() {
    let mut live = scene();
    live.set(514, LocalOverride);
    live.remove::<Parent>(514);
    live.remove::<LocalToParent>(514);
    live.update();
    // The parent was away for a while, and the link of its child with it.
    live.remove::<LocalToWorld>(513);
    live.mirror.transform_of(&live.world, local(513)).unwrap();
    live.update();
    assert_eq!((live.get::<Parent>(514), live.position(514)), (None, [0.0, 0.0, 1.0]));
    live.remove::<LocalOverride>(514);
    settled(&mut live);
    assert_eq!(live.position(514), [1.0, 1.0, 1.0]);
}

#[test]
fn the_dead_are_despawned() {
    let mut live = scene();
    for id in [514, 513] {
        live.set(id, LocalOverride);
        move_by_hand(&mut live, id);
    }
    live.update();
    let gone = live.entity(514);
    dead(&mut live, 514);
    assert_eq!(live.update().despawned, 1);
    assert!(!live.world.contains(gone));
    // Its number's next version is not overridden.
    let next = SceneEntity::local(EntityId::new(514, 1));
    let entity = live.mirror.place(&mut live.world, next);
    live.world.entry(entity).unwrap().add_component(Translation::new(0.0, 0.0, 2.0));
    live.replica.put_transform(next, &at(0.0, 0.0, 1.0, 513)).unwrap();

    // Dead, and kept for its child.
    dead(&mut live, 513);
    live.update();
    assert_eq!((live.get::<LocalOverride>(513), live.get::<Parent>(513)), (None, None));
    assert_eq!(live.position(513), [0.0; 3]);
    settled(&mut live);
    // There it can be overridden anew.
    live.set(513, LocalOverride);
    live.set(513, Translation::new(1.0, 0.0, 0.0));
    live.update();
    assert_eq!(live.position(513), [1.0, 0.0, 0.0]);
    live.remove::<LocalOverride>(513);
    settled(&mut live);
}

#[test]
fn another_world_and_an_unloaded_scene_override_nothing() {
    for clear in [false, true] {
        let mut live = scene();
        let before = live.matrices();
        live.set(513, LocalOverride);
        move_by_hand(&mut live, 513);
        live.update();
        if clear {
            live.mirror.clear(&mut live.world);
        } else {
            live.world = World::default();
        }
        live.update();
        assert_eq!(live.matrices(), before);
        settled(&mut live);
    }
}

#[test]
fn a_world_that_is_gone_back_to_still_shows_the_user_s_values() {
    let mut live = scene();
    live.set(513, LocalOverride);
    move_by_hand(&mut live, 513);
    live.update();
    let mut other = World::default();
    live.mirror.apply(&mut live.replica, &mut other);
    remote(&mut live, 513, 9, at(9.0, 0.0, 0.0, 512));
    live.update();
    assert!(is_moved(&live, 513));
    live.remove::<LocalOverride>(513);
    settled(&mut live);
}

#[test]
fn another_replica_is_followed_too() {
    let mut live = scene();
    for id in [512, 513] {
        live.set(id, LocalOverride);
        move_by_hand(&mut live, id);
    }
    live.update();
    live.replica = Replica::default();
    live.put(513, at(8.0, 0.0, 0.0, 515));
    live.put(515, at(0.0, 0.0, 8.0, 0));
    let gone = live.entity(512);
    live.update();
    assert!(!live.world.contains(gone));
    assert!(is_moved(&live, 513));
    live.remove::<LocalOverride>(513);
    settled(&mut live);
    assert_eq!(live.position(513), [8.0, 0.0, 8.0]);
}

#[test]
fn the_player_is_the_host_s_with_and_without_it() {
    let mut live = scene();
    let player = live.mirror.place(&mut live.world, SceneEntity::PLAYER);
    live.world.entry(player).unwrap().add_component(Translation::new(3.0, 0.0, 0.0));
    live.world.entry(player).unwrap().add_component(LocalOverride);
    live.update();
    live.world.entry(player).unwrap().remove_component::<LocalOverride>();
    live.update();
    assert_eq!(live.position(1), [3.0, 0.0, 0.0]);
}
