//! The world that follows the merged state: what is known of it, and what is written.

use crate::common::live::*;
use decentraland_scene::{apply::*, merge::*, wire::*};
use legion::*;
use legion_transform::prelude::*;
use nalgebra::Matrix4;

/// How many entities changed, came and went, and how many were written.
fn counts(live: &mut Live) -> [usize; 4] {
    let it = live.update();
    [it.changed, it.spawned, it.despawned, it.written]
}

#[test]
fn a_transform_becomes_a_matrix() {
    let mut live = Live::default();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turned = SceneTransform {
        rotation: [0.0, half, 0.0, half],
        scale: [2.0, 3.0, 4.0],
        ..at(1.0, 2.0, 3.0, 0)
    };
    live.put(512, turned);
    live.update();
    // A quarter turn about y takes x to -z and z to x.
    let expected = Matrix4::new(
        0.0, 0.0, 4.0, 1.0, //
        0.0, 3.0, 0.0, 2.0, //
        -2.0, 0.0, 0.0, 3.0, //
        0.0, 0.0, 0.0, 1.0,
    );
    assert!((live.matrix(512) - expected).abs().max() < 1e-6, "{}", live.matrix(512));
    assert_eq!(live.get::<SceneNode>(512).unwrap().scene, local(512));
    assert_eq!(live.get::<Parent>(512), None);
}

#[test]
fn the_dead_are_despawned_and_what_hangs_off_them_stays() {
    struct Mesh;
    let mut live = Live::default();
    live.put(512, at(1.0, 0.0, 0.0, 0));
    live.put(513, at(0.0, 1.0, 0.0, 512));
    live.update();
    let (parent, child) = (live.entity(512), live.entity(513));
    live.set(512, WorldToLocal::identity());
    live.world.entry(parent).unwrap().add_component(Mesh);

    live.replica.delete_entity(local(512)).unwrap();
    let report = live.update();
    assert_eq!(report.despawned, 0);
    assert_eq!(live.position(513), [0.0, 1.0, 0.0]);
    // It is the same entity, but nothing of it is left.
    assert_eq!(live.entity(512), parent);
    let entry = live.world.entry_ref(parent).unwrap();
    assert!(!entry.archetype().layout().has_component::<Mesh>());
    assert!(!entry.archetype().layout().has_component::<WorldToLocal>());

    // Its last child gone, it goes too.
    live.replica.delete_entity(local(513)).unwrap();
    assert_eq!(live.update().despawned, 2);
    assert!(!live.world.contains(parent) && !live.world.contains(child));
    assert_eq!(live.mirror.entities().count(), 0);
    // A parent that is dead is valid, like any other that is unknown.
    live.put(514, at(2.0, 0.0, 0.0, 512));
    live.update();
    assert_eq!(live.position(514), [2.0, 0.0, 0.0]);
}

#[test]
fn an_entity_that_nobody_needs_any_more_goes() {
    let mut live = Live::default();
    live.put(513, at(1.0, 0.0, 0.0, 512));
    live.update();
    let implicit = live.entity(512);
    live.put(513, at(1.0, 0.0, 0.0, 600));
    assert_eq!(counts(&mut live), [1; 4]);
    assert!(!live.world.contains(implicit));
}

#[test]
fn player_and_camera_are_parents_that_the_host_places() {
    let mut live = Live::default();
    let player = live.mirror.place(&mut live.world, SceneEntity::PLAYER);
    live.put(512, at(0.0, 1.0, 0.0, 1));
    live.put(513, at(0.0, 2.0, 0.0, 2));
    live.update();
    assert_eq!((live.position(512), live.position(513)), ([0.0, 1.0, 0.0], [0.0, 2.0, 0.0]));

    live.set(1, Translation::new(5.0, 0.0, 0.0));
    let camera = live.mirror.place(&mut live.world, SceneEntity::CAMERA);
    live.set(2, Translation::new(6.0, 0.0, 0.0));
    // What the scene writes to them has no effect.
    let bytes = at(9.0, 9.0, 9.0, 0).to_bytes();
    for entity in [EntityId::ROOT, EntityId::PLAYER, EntityId::CAMERA] {
        let put = put(SceneEntity::local(entity), TRANSFORM, 9, &bytes);
        live.replica.merge(&put, Role::Peer);
        live.replica.merge(&Message::DeleteEntity { network: None, entity }, Role::Peer);
    }
    live.update();
    assert_eq!((live.position(512), live.position(513)), ([5.0, 1.0, 0.0], [6.0, 2.0, 0.0]));
    // They stay without children, and their edits are nobody's business.
    live.replica.delete_entity(local(512)).unwrap();
    live.replica.delete_entity(local(513)).unwrap();
    live.update();
    assert_eq!((live.entity(1), live.entity(2)), (player, camera));
}

#[test]
fn the_host_s_root_moves_the_whole_scene_cycles_too() {
    let mut world = World::default();
    let root = world.push((LocalToWorld::identity(), Translation::new(100.0, 0.0, 0.0)));
    let mut options = MirrorOptions::default();
    options.root = Some(root);
    let mut live = Live::new(options);
    live.world = world;
    live.put(512, at(1.0, 0.0, 0.0, 0));
    live.put(513, at(0.0, 1.0, 0.0, 512));
    live.put(514, at(0.0, 0.0, 1.0, 515)); // below an unknown one
    live.update();
    assert_eq!(live.position(513), [101.0, 1.0, 0.0]);
    assert_eq!(live.position(514), [100.0, 0.0, 1.0]);
    live.put(512, at(1.0, 0.0, 0.0, 513));
    live.put(516, at(0.0, 0.0, 1.0, 513));
    live.update();
    let positions = [512, 513, 516].map(|id| live.position(id));
    assert_eq!(positions, [[101.0, 0.0, 0.0], [100.0, 1.0, 0.0], [100.0, 1.0, 1.0]]);
    // Two changes at once in a cycle of two, so that it is another cycle afterwards.
    live.put(512, at(1.0, 0.0, 0.0, 516));
    live.put(513, at(0.0, 1.0, 0.0, 0));
    live.update();
    let positions = [512, 513, 516].map(|id| live.position(id));
    assert_eq!(positions, [[101.0, 1.0, 1.0], [100.0, 1.0, 0.0], [100.0, 1.0, 1.0]]);
}

#[test]
fn values_are_cleaned_for_the_matrices_only() {
    let mut live = Live::default();
    let dirty = SceneTransform {
        position: [f32::NAN, 2.0, f32::INFINITY],
        rotation: [0.0, 0.0, 0.0, 1.000_065],
        scale: [f32::NEG_INFINITY, 0.0, 2.0],
        parent: EntityId::ROOT,
    };
    live.put(512, dirty);
    live.put(513, SceneTransform { rotation: [0.0; 4], ..SceneTransform::IDENTITY });
    live.put(514, SceneTransform::IDENTITY);
    live.update();
    let expected = Matrix4::new(
        1.0, 0.0, 0.0, 0.0, //
        0.0, 0.0, 0.0, 2.0, //
        0.0, 0.0, 2.0, 0.0, //
        0.0, 0.0, 0.0, 1.0,
    );
    assert_eq!(live.matrix(512), expected);
    let TransformState::Live { bytes, .. } = live.replica.transform(local(512)) else { panic!() };
    assert_eq!(*bytes, dirty.to_bytes());

    let findings = live.mirror.findings();
    let kinds: Vec<_> =
        findings.iter().map(|finding| (finding.scene.entity.0, finding.kind)).collect();
    let deviation = (f64::from(1.000_065_f32) - 1.0) as f32;
    assert_eq!(
        kinds,
        [
            (512, SceneFindingKind::PositionNotFinite),
            (512, SceneFindingKind::RotationNotUnit { deviation }),
            (512, SceneFindingKind::ScaleNotFinite),
            (513, SceneFindingKind::RotationReplaced),
        ]
    );
    assert!(findings[0].to_string().contains("entity 512"), "{}", findings[0]);
    // They stand as long as the value does.
    live.put(512, SceneTransform::IDENTITY);
    live.replica.delete_entity(local(513)).unwrap();
    live.update();
    assert_eq!(live.mirror.findings(), []);
}

#[test]
fn handedness_is_converted_at_the_boundary() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let mut options = MirrorOptions::default();
    options.handedness = Handedness::Right;
    let (mut left, mut right) = (Live::default(), Live::new(options));
    for live in [&mut left, &mut right] {
        live.put(
            512,
            SceneTransform {
                rotation: [0.0, half, 0.0, half],
                scale: [1.0, 2.0, 3.0],
                ..at(1.0, 2.0, 3.0, 0)
            },
        );
        live.put(
            513,
            SceneTransform { rotation: [half, 0.0, half, 0.0], ..at(4.0, 5.0, 6.0, 512) },
        );
        live.put(514, at(0.0, 0.0, 1.0, 700));
        live.update();
    }
    let flip = Matrix4::new_nonuniform_scaling(&[1.0, 1.0, -1.0].into());
    for id in [512, 513, 514, 700] {
        assert_eq!(right.matrix(id), flip * left.matrix(id) * flip);
    }
    assert_eq!(left.replica.dump(), right.replica.dump());
}

#[test]
fn only_what_changed_is_written() {
    let mut live = Live::default();
    for id in 512..600 {
        live.put(id, at(id as f32, 0.0, 0.0, if id % 3 == 0 { 0 } else { 511 }));
    }
    live.update();
    assert_eq!(live.update(), ApplyReport::default());
    // A newer write of the same bytes changes the state, but not the world.
    let data = at(520.0, 0.0, 0.0, 511).to_bytes();
    live.replica.merge(&put(local(520), TRANSFORM, 2, &data), Role::Peer);
    assert_eq!(counts(&mut live), [1, 0, 0, 0]);
    live.put(520, at(520.0, 1.0, 0.0, 511));
    assert_eq!(counts(&mut live), [1, 0, 0, 1]);
    assert_eq!(live.position(520), [520.0, 1.0, 0.0]);
}
