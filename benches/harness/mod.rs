//! What the benches of the crate's own workloads share.

use std::time::Duration;

use criterion::Criterion;
use legion_transform::TransformSystemBundle;

use crate::workloads::{LegionWorld, Scene, Workload, bundle, check};

/// Worlds are small by default, so that all take a couple of minutes; `LEGION_TRANSFORM_BENCH=full`
/// measures the sizes that the comparison in `benches/peers` has.
pub fn is_full() -> bool {
    std::env::var("LEGION_TRANSFORM_BENCH").is_ok_and(|sizes| sizes == "full")
}

pub fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .configure_from_args()
}

/// A world that has been up to date for some ticks, checked against the reference.
pub fn build(workload: &Workload, nodes: usize) -> (Scene, LegionWorld) {
    build_with(bundle(), workload, nodes)
}

/// Likewise, with this bundle.
pub fn build_with(
    bundle: TransformSystemBundle,
    workload: &Workload,
    nodes: usize,
) -> (Scene, LegionWorld) {
    let (scene, world) = build_unchecked(bundle, workload, nodes, |_| {});
    check(&scene, |node| world.matrix(node))
        .unwrap_or_else(|wrong| panic!("{}: {wrong}", workload.name));
    (scene, world)
}

/// Likewise, with more in it before the first run, and matrices that are not the scene's.
pub fn build_unchecked(
    bundle: TransformSystemBundle,
    workload: &Workload,
    nodes: usize,
    prepare: impl FnOnce(&mut LegionWorld),
) -> (Scene, LegionWorld) {
    let mut scene = Scene::new(workload, nodes);
    let mut world = LegionWorld::new(&scene).with_bundle(bundle);
    prepare(&mut world);
    world.run();
    for _ in 0..3 {
        edit(&mut scene, &mut world);
        world.run();
    }
    (scene, world)
}

/// What happens in a tick before the run.
pub fn edit(scene: &mut Scene, world: &mut LegionWorld) {
    let edit = scene.advance();
    world.prepare(scene, &edit);
    world.edit(scene, &edit);
}
