//! Edits of components, written into the scene.

use crate::common::live::*;
use decentraland_scene::{apply::*, merge::*, wire::*};
use legion::{Entity, World};
use legion_transform::prelude::*;

/// Two at the root, a child below the first, everything sent and applied.
fn scene_in(options: MirrorOptions) -> Live {
    let mut live = Live::new(options);
    live.put(512, at(1.0, 2.0, 3.0, 0));
    live.put(513, at(0.0, 1.0, 0.0, 512));
    live.put(514, at(0.0, 0.0, 1.0, 0));
    live.update();
    let _ = live.replica.delta(&mut live.peer);
    live
}

fn scene() -> Live {
    scene_in(MirrorOptions::default())
}

fn of(live: &mut Live, id: u32) -> SceneTransform {
    live.mirror.transform_of(&live.world, local(id)).unwrap()
}

fn hang(live: &mut Live, id: u32, parent: Entity) {
    live.set(id, Parent(parent));
    live.set(id, LocalToParent::identity());
}

#[test]
fn what_was_not_edited_is_what_the_scene_has() {
    let mut live = scene();
    for (id, expected) in
        [(512, at(1.0, 2.0, 3.0, 0)), (513, at(0.0, 1.0, 0.0, 512)), (514, at(0.0, 0.0, 1.0, 0))]
    {
        assert_eq!(of(&mut live, id), expected);
        live.replica.put_transform(local(id), &expected).unwrap();
    }
    assert!(live.replica.delta(&mut live.peer).is_empty());
}

#[test]
fn an_edit_is_written_and_shown() {
    let mut live = scene();
    live.set(513, Translation::new(0.0, 9.0, 0.0));
    let edited = of(&mut live, 513);
    assert_eq!(edited, at(0.0, 9.0, 0.0, 512));
    live.put(513, edited);
    assert_eq!(live.replica.delta(&mut live.peer).len(), 68);
    assert_eq!(live.update().changed, 1);
    assert_eq!(live.position(513), [1.0, 11.0, 3.0]);
    // An edit that is not read lasts until the scene has another value there.
    live.set(513, Translation::new(5.0, 5.0, 5.0));
    live.put(513, SceneTransform { scale: [2.0; 3], ..edited });
    live.update();
    assert_eq!(live.position(513), [6.0, 7.0, 8.0]);
    live.put(513, at(0.0, 3.0, 0.0, 512));
    live.update();
    assert_eq!(live.position(513), [1.0, 5.0, 3.0]);
}

/// Refused, lost to another's write, or forgotten.
#[test]
fn the_next_apply_shows_what_the_scene_says() {
    for case in 0..3 {
        let mut live = scene();
        live.set(513, Translation::new(0.0, 9.0, 0.0));
        live.set(513, Scale(2.0));
        live.remove::<Parent>(513);
        live.remove::<LocalToWorld>(513);
        let edited = of(&mut live, 513);
        match case {
            0 => remote(&mut live, 513, u32::MAX, at(0.0, 1.0, 0.0, 512)),
            1 => {
                live.put(513, edited);
                // The value from before.
                remote(&mut live, 513, 9, at(0.0, 1.0, 0.0, 512));
            }
            _ => {}
        }
        if case == 0 {
            assert!(live.replica.put_transform(local(513), &edited).is_err());
        }
        live.update();
        assert_eq!(live.position(513), [1.0, 3.0, 3.0], "{case}");
        settled(&mut live);
    }
}

#[test]
fn every_part_is_read() {
    let mut live = scene();
    live.set(514, Rotation::from_euler_angles(0.0, std::f32::consts::PI, 0.0));
    live.set(514, NonUniformScale::new(2.0, 3.0, 4.0));
    let rotation = live.get::<Rotation>(514).unwrap().0.coords.into();
    let expected = SceneTransform { rotation, scale: [2.0, 3.0, 4.0], ..at(0.0, 0.0, 1.0, 0) };
    assert_eq!(of(&mut live, 514), expected);
    // A uniform scale wins over the other, as in the bundle, until the scene has another one.
    live.set(514, Scale(5.0));
    assert_eq!(of(&mut live, 514), SceneTransform { scale: [5.0; 3], ..expected });
    live.put(514, SceneTransform { scale: [7.0; 3], ..expected });
    live.update();
    assert_eq!((live.get::<Scale>(514), live.matrix(514).m22), (None, 7.0));
    // What is missing is the identity.
    live.remove::<Translation>(514);
    live.remove::<Rotation>(514);
    live.remove::<NonUniformScale>(514);
    assert_eq!(of(&mut live, 514), SceneTransform::IDENTITY);
    live.put(514, SceneTransform::IDENTITY);
    live.update();
    assert_eq!(live.get(514), Some(Translation::identity()));
}

#[test]
fn a_new_parent_is_read() {
    let mut live = scene();
    let parent = live.entity(513);
    hang(&mut live, 514, parent);
    assert_eq!(of(&mut live, 514), at(0.0, 0.0, 1.0, 513));
    let edited = of(&mut live, 514);
    live.put(514, edited);
    assert_eq!(live.update().changed, 1);
    assert_eq!(live.position(514), [1.0, 3.0, 4.0]);
    // To the root.
    live.remove::<Parent>(514);
    live.remove::<LocalToParent>(514);
    assert_eq!(of(&mut live, 514), at(0.0, 0.0, 1.0, 0));
    let edited = of(&mut live, 514);
    live.put(514, edited);
    live.update();
    assert_eq!(live.position(514), [0.0, 0.0, 1.0]);
    // One that is unknown but named, and the player.
    live.put(513, at(0.0, 1.0, 0.0, 700));
    live.mirror.place(&mut live.world, SceneEntity::PLAYER);
    live.update();
    assert_eq!(of(&mut live, 513).parent, EntityId(700));
    let player = live.entity(1);
    hang(&mut live, 513, player);
    assert_eq!(of(&mut live, 513).parent, EntityId::PLAYER);
}

#[test]
fn a_parent_outside_the_scene_is_an_error() {
    let mut live = scene();
    let stranger = live.world.push((LocalToWorld::identity(),));
    let networked = SceneEntity::networked(9, EntityId(40));
    live.replica.put_transform(networked, &SceneTransform::IDENTITY).unwrap();
    live.update();
    // The number of an entity of a network means another one elsewhere.
    for parent in [stranger, live.mirror.entity(networked).unwrap()] {
        hang(&mut live, 514, parent);
        let error = live.mirror.transform_of(&live.world, local(514)).unwrap_err();
        assert_eq!(error, TransformError::ParentOutsideScene { scene: local(514), parent });
        let text = error.to_string();
        assert!(text.contains("entity 514") && text.contains("Mirror::entity"), "{text}");
    }
}

#[test]
fn what_is_not_in_the_world_is_an_error() {
    let mut live = scene();
    let gone = live.entity(514);
    live.world.remove(gone);
    for scene in [local(514), local(999), SceneEntity::networked(9, EntityId(512))] {
        let error = live.mirror.transform_of(&live.world, scene).unwrap_err();
        assert_eq!(error, TransformError::NotInWorld { scene });
        assert!(error.to_string().contains("Mirror::apply"), "{error}");
    }
    // Another world, though it may have an entity with this id.
    assert!(live.mirror.transform_of(&World::default(), local(512)).is_err());
    assert!(Mirror::default().transform_of(&live.world, local(512)).is_err());
    // Despawned, it comes back, and does not where it is deleted.
    live.update();
    assert_eq!((live.entity(514), live.position(514)), (gone, [0.0, 0.0, 1.0]));
    live.world.remove(gone);
    live.put(514, at(3.0, 0.0, 0.0, 512));
    live.update();
    assert_eq!((live.entity(514), live.position(514)), (gone, [4.0, 2.0, 3.0]));
    live.world.remove(gone);
    live.replica.delete_entity(local(514)).unwrap();
    live.update();
    assert_eq!(live.mirror.entity(local(514)), None);
}

#[test]
fn numbers_are_cleaned_and_have_the_scene_s_hand() {
    for handedness in [Handedness::Left, Handedness::Right] {
        let mut options = MirrorOptions::default();
        options.handedness = handedness;
        let mut live = scene_in(options);
        let hand = if handedness == Handedness::Left { 1.0 } else { -1.0 };
        live.set(514, Translation::new(1.0, f32::NAN, 3.0));
        let quaternion = nalgebra::Quaternion::new(0.0, 0.0, 2.0, 0.0);
        live.set(514, Rotation(nalgebra::UnitQuaternion::new_unchecked(quaternion)));
        live.set(514, NonUniformScale::new(2.0, f32::INFINITY, 4.0));
        let expected = SceneTransform {
            rotation: [0.0, hand, 0.0, 0.0],
            scale: [2.0, 1.0, 4.0],
            ..at(1.0, 0.0, 3.0 * hand, 0)
        };
        assert_eq!(of(&mut live, 514), expected);
        live.put(514, expected);
        live.update();
        assert_eq!(live.mirror.findings(), []);
    }
}

/// The wire names one parent, and the world shows another.
#[test]
fn a_parent_that_was_not_edited_is_the_one_that_the_scene_names() {
    // On a cycle below a root of the host's.
    let mut world = World::default();
    let mut options = MirrorOptions::default();
    let root = world.push((LocalToWorld::identity(), Translation::new(9.0, 0.0, 0.0)));
    options.root = Some(root);
    let mut live = Live { world, ..Live::new(options) };
    live.put(512, at(1.0, 0.0, 0.0, 513));
    live.put(513, at(1.0, 0.0, 0.0, 512));
    live.put(514, at(1.0, 0.0, 0.0, 0));
    live.update();
    assert_eq!(live.get::<Parent>(512), Some(Parent(root)));
    assert_eq!([512, 513, 514].map(|id| of(&mut live, id).parent.0), [513, 512, 0]);
    hang(&mut live, 514, root);
    assert_eq!(of(&mut live, 514).parent, EntityId::ROOT);
    live.remove::<Parent>(514);
    assert_eq!(of(&mut live, 514).parent, EntityId::ROOT);

    // A `NetworkParent` decides.
    let mut live = Live::default();
    for id in [700, 701] {
        live.put(id, at(1.0, 0.0, 0.0, 5));
        let name = NetworkEntity { network: 9, entity: EntityId(id) }.to_bytes();
        live.replica.put(local(id).key(NETWORK_ENTITY), &name).unwrap();
    }
    let parent = NetworkEntity { network: 9, entity: EntityId(700) }.to_bytes();
    live.replica.put(local(701).key(NETWORK_PARENT), &parent).unwrap();
    live.update();
    assert_eq!(live.get(701), Some(Parent(live.entity(700))));
    assert_eq!(of(&mut live, 701), at(1.0, 0.0, 0.0, 5));
}

#[test]
fn a_host_moves_players_by_their_components() {
    let mut options = ReplicaOptions::default();
    options.role = Role::Host;
    let mut live = Live { replica: Replica::new(options), ..Live::default() };
    live.mirror.place(&mut live.world, SceneEntity::PLAYER);
    live.put(40, at(1.0, 0.0, 0.0, 0));
    live.update();
    for (id, x) in [(1, 5.0), (40, 6.0)] {
        live.set(id, Translation::new(x, 0.0, 0.0));
        let edited = of(&mut live, id);
        live.put(id, edited);
    }
    let mut scene = Live::default();
    let delta = live.replica.delta(&mut Connection::new(Role::Scene));
    scene.replica.merge_bytes(&delta, Role::Host).unwrap();
    scene.update();
    assert_eq!((scene.position(1), scene.position(40)), ([5.0, 0.0, 0.0], [6.0, 0.0, 0.0]));
    // A scene may read a player, and not write it.
    let player = of(&mut scene, 40);
    let refused = scene.replica.put_transform(local(40), &player).unwrap_err();
    assert_eq!(refused.kind, WriteErrorKind::HostPlaced);
    // Who leaves goes from both worlds.
    let mut gone = Vec::new();
    live.replica.delete_entity(local(40)).unwrap().write(&mut gone).unwrap();
    scene.replica.merge_bytes(&gone, Role::Host).unwrap();
    for live in [&mut live, &mut scene] {
        assert_eq!(live.update().despawned, 1);
        assert_eq!(live.mirror.entity(local(40)), None);
    }
}
