//! Corrections with authority: from a server to a scene, and on to its renderer.

use crate::messages::encode;
use decentraland_scene::{merge::*, wire::*};

const GLTF: u32 = 1041;

fn of_role(role: Role) -> Replica {
    let mut options = ReplicaOptions::default();
    (options.role, options.keep_other_components) = (role, true);
    Replica::new(options)
}

fn door(component: u32) -> Key {
    SceneEntity::local(EntityId(512)).key(component)
}

/// A `Transform`. It stays, so that messages can hold it.
fn at(x: f32) -> &'static [u8; 44] {
    Box::leak(Box::new(
        SceneTransform { position: [x, 0.0, 0.0], ..SceneTransform::IDENTITY }.to_bytes(),
    ))
}

fn put(component: u32, timestamp: u32, data: &[u8]) -> Message<'_> {
    Message::PutComponent { network: None, entity: EntityId(512), component, timestamp, data }
}

fn authoritative(component: u32, timestamp: u32, data: &[u8]) -> Message<'_> {
    Message::AuthoritativePutComponent { entity: EntityId(512), component, timestamp, data }
}

fn receive(replica: &mut Replica, from: &mut Connection, bytes: &[u8]) -> MergeReport {
    let mut report = MergeReport::default();
    replica.receive(from, bytes, &mut report).unwrap();
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
    for (component, data) in [(TRANSFORM, &at(1.0)[..]), (GLTF, b"old")] {
        scene.merge(&put(component, 8, data), Role::Scene);
        renderer.merge(&put(component, 9, data), Role::Scene);
    }
    let _ = (scene.delta(&mut to_server), scene.delta(&mut to_renderer), scene.delta(&mut to_peer));
    let said = server.put_with_authority(EntityId(512), TRANSFORM, at(5.0)).unwrap();
    assert_eq!(said, authoritative(TRANSFORM, 1, at(5.0)));
    server.put_with_authority(EntityId(512), GLTF, b"new").unwrap();
    let delta = server.delta(&mut to_scene);
    let said = [authoritative(TRANSFORM, 1, at(5.0)), authoritative(GLTF, 1, b"new")];
    assert_eq!(delta, encode(&said));

    assert_eq!(receive(&mut scene, &mut to_server, &delta).accepted, 2);
    assert_eq!(scene.dump(), server.dump());
    assert!(scene.delta(&mut to_server).is_empty());
    // Others hear of it as of an ordinary write.
    let plain = [put(TRANSFORM, 1, at(5.0)), put(GLTF, 1, b"new")];
    assert_eq!(scene.delta(&mut to_peer), encode(&plain));
    let delta = scene.delta(&mut to_renderer);
    assert_eq!(delta, encode(&said));
    assert_eq!(receive(&mut renderer, &mut from_scene, &delta).accepted, 2);
    assert_eq!(renderer.dump(), server.dump());

    // The next write of the scene is one like any other.
    scene.put(door(GLTF), b"newer").unwrap();
    assert_eq!(scene.delta(&mut to_renderer), encode(&[put(GLTF, 2, b"newer")]));
}

#[test]
fn an_end_is_obeyed_only_where_the_connection_says_so() {
    let said = encode(&[authoritative(TRANSFORM, 3, at(5.0)), authoritative(GLTF, 3, b"new")]);
    for role in [Role::Scene, Role::Host, Role::Peer] {
        for authority in [Authority::None, Authority::Ours, Authority::Theirs] {
            let mut replica = of_role(Role::Scene);
            let mut from = Connection::new(role).with_authority(authority);
            let report = receive(&mut replica, &mut from, &said);
            let obeyed = if authority == Authority::Theirs { 2 } else { 0 };
            assert_eq!((report.accepted, report.fault_count), (obeyed, 2 - obeyed));
        }
    }
    let defaults =
        [Role::Scene, Role::Host, Role::Peer].map(|role| Connection::new(role).authority());
    assert_eq!(defaults, [Authority::Ours, Authority::Theirs, Authority::None]);
    // A scene that is obeyed does not move players for that.
    let mut renderer = of_role(Role::Host);
    let mut from_scene = Connection::new(Role::Scene).with_authority(Authority::Theirs);
    let data = at(1.0);
    let (entity, component, timestamp) = (EntityId::PLAYER, TRANSFORM, 1);
    let moves = Message::AuthoritativePutComponent { entity, component, timestamp, data };
    assert_eq!(receive(&mut renderer, &mut from_scene, &encode(&[moves])).host_placed, 1);
}

/// A write with authority goes out, though others have that value.
#[test]
fn a_value_that_is_there_already_is_said_with_authority() {
    let mut server = of_role(Role::Host);
    let mut to_scene = Connection::new(Role::Scene);
    for component in [TRANSFORM, GLTF] {
        let at = at(1.0);
        server.put(door(component), at).unwrap();
        assert_eq!(server.delta(&mut to_scene), encode(&[put(component, 1, at)]));
        server.put_with_authority(EntityId(512), component, at).unwrap();
        assert_eq!(server.delta(&mut to_scene), encode(&[authoritative(component, 1, at)]));
    }
    // A replica that does not keep a component refuses to write it.
    let refused = Replica::default().put_with_authority(EntityId(512), GLTF, b"x").unwrap_err();
    assert_eq!(refused.kind, WriteErrorKind::NotKept);
}
