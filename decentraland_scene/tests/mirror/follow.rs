//! Worlds that follow replicas: any messages in any order and any batches end in the same world,
//! and it is the right one.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Owned, any_message, live::*};
use decentraland_scene::{apply::*, merge::*, wire::*};
use legion::{Entity, World};
use legion_transform::prelude::*;
use nalgebra::Matrix4;
use proptest::prelude::*;

/// All world matrices by the rules, from the merged state alone: slowly, and in another way than
/// the mirror and the bundle. With each, how large the numbers became on the way, which bounds the
/// error, and whether it is on a cycle.
fn expected(replica: &Replica) -> BTreeMap<SceneEntity, (Matrix4<f64>, f64, bool)> {
    let live: BTreeMap<SceneEntity, SceneTransform> = replica
        .transforms()
        .map(|(scene, bytes)| (scene, SceneTransform::from_bytes(bytes)))
        .collect();
    let parent_of = |scene: &SceneEntity| {
        let parent = live.get(scene)?.parent;
        (parent != EntityId::ROOT).then_some(SceneEntity::local(parent))
    };
    let on_cycle = |scene: &SceneEntity| {
        // An entity that comes back to itself within n steps, of n entities, is on a cycle.
        let mut ancestor = parent_of(scene);
        for _ in 0..=live.len() {
            match ancestor {
                Some(up) if up == *scene => return true,
                Some(up) => ancestor = parent_of(&up),
                None => return false,
            }
        }
        false
    };
    let mut all: BTreeSet<SceneEntity> = live.keys().copied().collect();
    all.extend(live.keys().filter_map(parent_of));
    let world = |scene: &SceneEntity| {
        let (mut matrix, mut size) = (Matrix4::identity(), 1.0);
        let mut up = Some(*scene);
        while let Some(scene) = up {
            let local = live.get(&scene).map_or(Matrix4::identity(), local_matrix);
            size *= 2.0 * local.abs().max().max(1.0);
            matrix = local * matrix;
            up = if on_cycle(&scene) { None } else { parent_of(&scene) };
        }
        (matrix, size, on_cycle(scene))
    };
    all.iter().map(|scene| (*scene, world(scene))).collect()
}

/// T R S, with values cleaned by their definition.
fn local_matrix(transform: &SceneTransform) -> Matrix4<f64> {
    let finite = |number: f32, otherwise: f64| {
        if number.is_finite() { f64::from(number) } else { otherwise }
    };
    let [px, py, pz] = transform.position.map(|number| finite(number, 0.0));
    let [sx, sy, sz] = transform.scale.map(|number| finite(number, 1.0));
    let [x, y, z, w] = transform.rotation.map(f64::from);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    let [x, y, z, w] = match length {
        none if none == 0.0 || !none.is_finite() => [0.0, 0.0, 0.0, 1.0],
        _ => [x / length, y / length, z / length, w / length],
    };
    let rotation = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let mut matrix = Matrix4::new_translation(&[px, py, pz].into());
    for (row, numbers) in rotation.iter().enumerate() {
        for (column, scale) in [sx, sy, sz].into_iter().enumerate() {
            matrix[(row, column)] = numbers[column] * scale;
        }
    }
    matrix
}

/// Where a root of the host's is.
const ROOT: [f32; 3] = [100.0, 0.0, 0.0];

/// Applies and runs: the world shows what the merged state says, by the same entities.
fn update(live: &mut Live, is_below_root: bool) -> Result<(), TestCaseError> {
    let before: BTreeMap<SceneEntity, Entity> = live.mirror.entities().collect();
    live.update();
    for (scene, entity) in live.mirror.entities() {
        prop_assert_eq!(*before.get(&scene).unwrap_or(&entity), entity);
    }
    let place = if is_below_root { ROOT.map(f64::from) } else { [0.0; 3] };
    let root = Matrix4::new_translation(&place.into());
    let (expected, found) = (expected(&live.replica), live.matrices());
    for (scene, bits) in &found {
        let known = expected.get(scene).copied();
        let (matrix, size, _) = known.unwrap_or((Matrix4::identity(), 1.0, false));
        let size = size * 100.0_f64.powi(is_below_root.into());
        for (&found, &wanted) in bits.iter().zip((root * matrix).iter()) {
            let found = f64::from(f32::from_bits(found));
            // Beyond what f32 can hold there is nothing to compare.
            let close = (found - wanted).abs() <= 1e-6 * size;
            prop_assert!(close || size > 1e30, "{}: {} is not {}", scene, found, wanted);
        }
    }
    prop_assert!(expected.keys().all(|scene| found.contains_key(scene)));
    // The mirror leaves cycles to the bundle where nothing of the host's is above them.
    let cycles = expected.values().filter(|(.., on_cycle)| *on_cycle && !is_below_root).count();
    let findings = live.resources.get::<Findings>();
    let reported = findings.map_or(0, |findings| findings.of(&live.world).count());
    prop_assert_eq!(reported, cycles);
    Ok(())
}

fn shuffled(messages: &[Owned], mut seed: u64) -> Vec<Owned> {
    let mut messages = messages.to_vec();
    for i in (1..messages.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        messages.swap(i, (seed >> 33) as usize % (i + 1));
    }
    messages
}

/// A world that saw the messages in batches of this size, with a run after each.
fn followed(messages: &[Owned], batch: usize) -> Live {
    let mut live = Live::default();
    for batch in messages.chunks(batch) {
        batch.iter().for_each(|message| _ = live.replica.merge(&message.message(), Role::Peer));
        live.update();
    }
    live.update();
    live
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::soak::cases(200)))]

    #[test]
    fn the_world_is_right_after_every_batch(
        messages in prop::collection::vec(any_message(), 0..60),
        batch in 1usize..20,
        is_below_root in any::<bool>(),
    ) {
        let (mut world, mut options) = (World::default(), MirrorOptions::default());
        if is_below_root {
            let place = Translation(ROOT.into());
            options.root = Some(world.push((LocalToWorld::identity(), place)));
        }
        let mut live = Live { world, ..Live::new(options) };
        for batch in messages.chunks(batch) {
            batch.iter().for_each(|message| _ = live.replica.merge(&message.message(), Role::Peer));
            update(&mut live, is_below_root)?;
        }
    }

    #[test]
    fn any_order_and_any_batches_end_in_the_same_world(
        messages in prop::collection::vec(any_message(), 0..80),
        seed in any::<u64>(),
        batches in (1usize..80, 1usize..80),
    ) {
        let once = followed(&messages, batches.0);
        let mut twice = shuffled(&messages, seed);
        twice.extend(shuffled(&messages, !seed));
        let again = followed(&twice, batches.1);
        prop_assert_eq!(once.replica.dump(), again.replica.dump());
        prop_assert_eq!(once.matrices(), again.matrices());
        prop_assert_eq!(format!("{:?}", kinds(&once)), format!("{:?}", kinds(&again)));
        // Whoever joins late sees the same.
        let mut late = Live::default();
        late.replica.merge_bytes(&once.replica.dump(), Role::Peer).unwrap();
        late.update();
        prop_assert_eq!(late.matrices(), once.matrices());
    }
}

fn kinds(live: &Live) -> Vec<(SceneEntity, SceneFindingKind)> {
    live.mirror.findings().into_iter().map(|finding| (finding.scene, finding.kind)).collect()
}
