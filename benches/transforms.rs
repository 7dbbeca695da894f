//! Each workload through the bundle: `cargo bench -p benches --bench transforms -- hum_all`. Only
//! the run of the schedule is timed, not what moves the entities before it; but `-- calls` times
//! what games call around it.
//!
//! Worlds are small by default, so that all of them take a couple of minutes;
//! `LEGION_TRANSFORM_BENCH=full` measures the sizes that the comparison in `benches/peers` has.

mod calls;
mod features;
mod harness;
mod mechanisms;
mod rules;
mod turns;
mod workloads;

use std::time::{Duration, Instant};

use calls::calls;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Throughput, measurement::WallTime};
use features::features;
use harness::{build, criterion, edit, is_full};
use mechanisms::mechanisms;
use rules::rules;
use workloads::{CATALOGUE, Change, LegionWorld, Scene, Workload};

fn main() {
    let full = is_full();
    let mut criterion = criterion();
    for workload in CATALOGUE.iter().filter(|workload| workload.is_usual()) {
        let mut group = criterion.benchmark_group(workload.name);
        for &nodes in if full { workload.sizes } else { std::slice::from_ref(&workload.reduced) } {
            bench(&mut group, workload, nodes);
        }
        group.finish();
    }
    features(&mut criterion);
    mechanisms(&mut criterion);
    calls(&mut criterion);
    rules(&mut criterion);
    criterion.final_summary();
}

fn bench(group: &mut BenchmarkGroup<'_, WallTime>, workload: &Workload, nodes: usize) {
    group.throughput(Throughput::Elements(nodes as u64));
    let id = BenchmarkId::from_parameter(nodes);
    if workload.change == Change::Spawn {
        group.bench_function(id, |bencher| {
            let scene = Scene::new(workload, nodes);
            bencher.iter_batched_ref(
                || LegionWorld::empty(&scene),
                |world| spawn(world, &scene),
                BatchSize::PerIteration,
            );
        });
    } else {
        // The world is built when the bench is really run, which a filter may forbid.
        let mut built = None;
        group.bench_function(id, |bencher| {
            let (scene, world) = built.get_or_insert_with(|| build(workload, nodes));
            bencher.iter_custom(|ticks| (0..ticks).map(|_| tick(scene, world)).sum());
        });
    }
}

fn spawn(world: &mut LegionWorld, scene: &Scene) {
    world.spawn(scene);
    world.run();
}

fn tick(scene: &mut Scene, world: &mut LegionWorld) -> Duration {
    edit(scene, world);
    let start = Instant::now();
    world.run();
    start.elapsed()
}
