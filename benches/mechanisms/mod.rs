//! What each mechanism gains that only makes a run faster: two worlds in turn, one with it and one
//! without.

use std::time::{Duration, Instant};

use criterion::{BenchmarkGroup, Criterion, measurement::WallTime};
use legion_transform::TransformSystemBundle;

use crate::{
    harness::{build_with, is_full},
    spawn, tick,
    workloads::{Change, LegionWorld, Scene, Workload},
};

/// The mechanisms, by the names that a bundle knows them by, with the rows that they are for.
const MECHANISMS: [(&str, &[&str]); 9] = [
    ("account", &["bullets", "respawn", "churn_wide", "flat_bullets"]),
    ("bulk", &["spawn_hum/unlinked", "respawn/unlinked"]),
    ("compare", &["reparent"]),
    ("lose", &["churn_wide", "churn_wide/apart"]),
    ("plain", &["flat_all", "hum_all", "flat_few"]),
    ("cache", &["flat_few", "hum_10", "wide_leaf"]),
    ("unseen", &["flat_all"]),
    ("consecutive", &["wide_root"]),
    ("threads", &["flat_all", "hum_all"]),
];

/// Measures all of them; on one thread all but that of threads.
pub fn mechanisms(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mechanisms");
    for (name, rows) in MECHANISMS {
        let bundle = || match name {
            "threads" => TransformSystemBundle::default(),
            _ => TransformSystemBundle::default().without("threads"),
        };
        for workload in rows.iter().filter_map(|row| Workload::named(row)) {
            let nodes = match is_full() {
                true => workload.sizes[workload.sizes.len() - 1],
                false => workload.reduced,
            };
            let id = format!("{name}/{}/{nodes}", workload.name);
            in_turn(&mut group, &id, workload, nodes, [&bundle, &|| bundle().without(name)]);
        }
    }
    group.finish();
}

/// How many ticks a world has in turn. What another world did before the first of them counts as
/// writes in doubt there, as all worlds share one counter of versions: that one is not counted.
const TURN: usize = 8;

/// Makes a bundle.
type Make<'a> = &'a dyn Fn() -> TransformSystemBundle;

/// Times whole ticks (or first runs) of two worlds in turn, and prints how many times as long the
/// second one takes: the ratio of minima, and of medians.
pub fn in_turn(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: &str,
    workload: &Workload,
    nodes: usize,
    bundles: [Make<'_>; 2],
) {
    // The worlds are built when the bench is really run, which a filter may forbid.
    let mut built = None;
    let mut times = [Vec::new(), Vec::new()];
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|ticks| {
            for _ in 0..ticks {
                if workload.change == Change::Spawn {
                    let scene = Scene::new(workload, nodes);
                    for (bundle, times) in bundles.iter().zip(&mut times) {
                        times.push(first_run(&scene, bundle()));
                    }
                } else {
                    let build = || bundles.map(|bundle| build_with(bundle(), workload, nodes));
                    let worlds = built.get_or_insert_with(build);
                    for ((scene, world), times) in worlds.iter_mut().zip(&mut times) {
                        tick(scene, world);
                        times.extend((1..TURN).map(|_| tick(scene, world)));
                    }
                }
            }
            let last = ticks as usize * if workload.change == Change::Spawn { 1 } else { TURN - 1 };
            times[1].iter().rev().take(last).sum::<Duration>() * ticks as u32 / last as u32
        });
    });
    if times[0].is_empty() {
        return;
    }
    let [on, off] = times.map(|mut times| {
        times.sort_unstable();
        [times[0], times[times.len() / 2]].map(|time| time.as_secs_f64())
    });
    println!("{id}: {:.2} (minima), {:.2} (medians)", off[0] / on[0], off[1] / on[1]);
}

fn first_run(scene: &Scene, bundle: TransformSystemBundle) -> Duration {
    let mut world = LegionWorld::empty(scene).with_bundle(bundle);
    let start = Instant::now();
    spawn(&mut world, scene);
    start.elapsed()
}
