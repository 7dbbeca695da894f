//! Dumps of released versions load for ever. `tests/saved/0.1` of the repository has the first;
//! no later version writes it.
//!
//! ```sh
//! SAVED=write cargo test --all-features -p decentraland_scene --test mirror kept_dump -- --ignored
//! ```

use std::{fs, path::PathBuf};

use crate::common::live::put;
use decentraland_scene::{apply::Mirror, merge::*, wire::*};
use legion::{IntoQuery, Resources, Schedule, World};
use legion_transform::prelude::*;

const GLTF: u32 = 1041;
const CLICKS: u32 = 1063;
const TABLE: SceneEntity = SceneEntity::local(EntityId(512));
const CUP: SceneEntity = SceneEntity::local(EntityId(513));
const EMPTY: SceneEntity = SceneEntity::local(EntityId(514));
/// One with `FAR`.
const NEAR: SceneEntity = SceneEntity::local(EntityId(516));
const FAR: SceneEntity = SceneEntity::networked(7, EntityId(8002));
const FAR_AND_DEAD: SceneEntity = SceneEntity::networked(7, EntityId(8003));
const PLAYER: SceneEntity = SceneEntity::local(EntityId(32));
const PLAYER_WHO_LEFT: SceneEntity = SceneEntity::local(EntityId(33));

fn file() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/saved/0.1/scene.crdt"))
}

/// A server, whose next player has this number.
fn server(number: u16) -> Replica {
    let mut options = ReplicaOptions::default();
    (options.role, options.keep_other_components) = (Role::Host, true);
    options.numbers = NumberRange::new(number, number);
    Replica::new(options)
}

/// Turned by half about y.
fn turned(position: [f32; 3], parent: SceneEntity) -> [u8; SceneTransform::LEN] {
    let rotation = [0.0, 1.0, 0.0, 0.0];
    let parent = parent.entity;
    SceneTransform { position, rotation, parent, ..SceneTransform::IDENTITY }.to_bytes()
}

fn delete(scene: SceneEntity, component: u32, timestamp: u32) -> Message<'static> {
    let SceneEntity { network, entity } = scene;
    Message::DeleteComponent { network, entity, component, timestamp }
}

fn append(timestamp: u32, data: &[u8]) -> Message<'_> {
    Message::AppendValue { entity: TABLE.entity, component: CLICKS, timestamp, data }
}

fn death(SceneEntity { network, entity }: SceneEntity) -> Message<'static> {
    Message::DeleteEntity { network, entity }
}

/// A state with all that a dump can have.
fn original() -> Replica {
    let mut replica = server(33);
    let far = NetworkEntity { network: 7, entity: FAR.entity }.to_bytes();
    let root = SceneEntity::ROOT;
    for message in [
        put(TABLE, TRANSFORM, 3, &turned([8.0, 0.0, 8.0], root)),
        put(CUP, TRANSFORM, 1, &turned([0.0, 1.0, 2.0], TABLE)),
        put(CUP, GLTF, 2, b"cup.glb"),
        put(EMPTY, TRANSFORM, 4, &turned([0.0; 3], root)),
        delete(EMPTY, TRANSFORM, 5),
        put(EMPTY, GLTF, 1, b"none.glb"),
        delete(EMPTY, GLTF, 2),
        append(1, b"a"),
        append(3, b"b"),
        death(SceneEntity::local(EntityId::new(515, 2))),
        put(FAR, TRANSFORM, 1, &turned([1.0, 0.0, 0.0], root)),
        put(NEAR, NETWORK_ENTITY, 1, &far),
        death(FAR_AND_DEAD),
        put(PLAYER, TRANSFORM, 9, &turned([5.0, 0.0, 0.0], root)),
        put(PLAYER_WHO_LEFT, TRANSFORM, 9, &turned([5.0, 0.0, 0.0], root)),
        death(PLAYER_WHO_LEFT),
    ] {
        assert_eq!(replica.merge(&message, Role::Host), Outcome::Accepted, "{message:?}");
    }
    replica
}

#[test]
#[ignore = "writes the file of a version, once: SAVED=write"]
fn the_dump_of_a_version_is_written() {
    if std::env::var_os("SAVED").is_some_and(|value| value == "write") {
        assert!(!file().exists(), "dumps of a released version stay as they are");
        fs::write(file(), original().dump()).expect("a file");
    }
}

#[test]
fn the_dump_of_a_version_loads() {
    let mut replica = server(33);
    let report = replica.merge_bytes(&fs::read(file()).unwrap(), Role::Host).unwrap();
    assert!(report.faults.is_empty(), "{report:?}");

    let table = turned([8.0, 0.0, 8.0], SceneEntity::ROOT);
    assert_eq!(replica.transform(TABLE), TransformState::Live { timestamp: 3, bytes: &table });
    assert_eq!(replica.transform(EMPTY), TransformState::Deleted { timestamp: 5 });
    assert_eq!(replica.component(CUP.key(GLTF)), Some(&b"cup.glb"[..]));
    let late = replica.merge(&put(EMPTY, GLTF, 1, b"late.glb"), Role::Peer);
    assert_eq!(late, Outcome::Outdated { winner: delete(EMPTY, GLTF, 2) });
    let clicks: Vec<_> = replica.values(TABLE.key(CLICKS)).collect();
    assert_eq!(clicks, [(1, &b"a"[..]), (3, b"b")]);
    assert_eq!(replica.dead_version(515), Some(2));
    assert!(replica.is_dead(FAR_AND_DEAD) && replica.is_alive(PLAYER));
    assert_eq!(replica.local_entity(FAR), Some(NEAR));
    let next = replica.new_entity().unwrap();
    assert_eq!(next, SceneEntity::local(EntityId::new(33, 1)), "33v0 has left");

    let (mut world, mut resources) = (World::default(), Resources::default());
    let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
    let mut mirror = Mirror::default();
    mirror.apply(&mut replica, &mut world);
    schedule.execute(&mut world, &mut resources);
    let mut matrices = <&LocalToWorld>::query();
    for (scene, position) in
        [(TABLE, [8.0, 0.0, 8.0]), (CUP, [8.0, 1.0, 6.0]), (NEAR, [1.0, 0.0, 0.0])]
    {
        let matrix = matrices.get(&world, mirror.entity(scene).unwrap()).unwrap();
        assert!((matrix.position() - nalgebra::Point3::from(position)).amax() < 1e-5, "{scene}");
    }
}
