//! Each workload through the bundle: `cargo bench --bench transforms -- hum_all`. Only the run of
//! the schedule is timed, not what moves the entities before it; but `-- calls` times what games
//! call around it.
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
use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput, measurement::WallTime,
};
use features::features;
use harness::{build, criterion, edit, is_full};
use legion::{Entity, World};
use legion_transform::{components::PreviousParent, prelude::*};
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
    spawn_children(&mut criterion);
    features(&mut criterion);
    mechanisms(&mut criterion);
    calls(&mut criterion);
    rules(&mut criterion);
    criterion.final_summary();
}

/// Children by the helpers of `spawn`, beside the complete tuple by hand. The insertion alone is
/// timed.
fn spawn_children(criterion: &mut Criterion) {
    const CHILDREN: usize = 10_000;
    let pose = |i: usize| (Translation::new(i as f32, 0.0, 0.0), Rotation::identity(), Scale(1.0));
    let by_hand = |parent: Entity, i: usize| {
        let (translation, rotation, scale) = pose(i);
        let link = (LocalToParent::identity(), Parent(parent), PreviousParent::default());
        (translation, rotation, scale, LocalToWorld::identity(), link.0, link.1, link.2)
    };
    let mut group = criterion.benchmark_group("spawn_children");
    group.throughput(Throughput::Elements(CHILDREN as u64));
    let mut row = |name: &str, spawn: &dyn Fn(&mut World, Entity)| {
        group.bench_function(name, |bencher| {
            let parent = || {
                let mut world = World::default();
                let parent = world.push((LocalToWorld::identity(), Children::new()));
                (world, parent)
            };
            bencher.iter_batched_ref(
                parent,
                |(world, parent)| spawn(world, *parent),
                BatchSize::LargeInput,
            );
        });
    };
    row("extend/by_hand", &|world, parent| {
        _ = world.extend((0..CHILDREN).map(|i| by_hand(parent, i)))
    });
    row("extend/extend_children", &|world, parent| {
        _ = world.extend_children(parent, (0..CHILDREN).map(pose))
    });
    row("push/by_hand", &|world, parent| {
        (0..CHILDREN).for_each(|i| _ = world.push(by_hand(parent, i)))
    });
    row("push/push_child", &|world, parent| {
        (0..CHILDREN).for_each(|i| _ = world.push_child(parent, pose(i)))
    });
    row("push_tree", &|world, parent| {
        world.push_child_tree(parent, pose(0), |tree| {
            (1..CHILDREN).for_each(|i| _ = tree.push_child(pose(i)))
        });
    });
    group.finish();
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
