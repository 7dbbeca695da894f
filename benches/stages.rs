//! Each stage of a run alone: `cargo bench -p benches --features tracing --bench stages --
//! propagate`, with the workload's name behind a slash (`propagate/hum_all`). A time is how long the
//! stage's own span was open.

mod clock;
mod harness;
mod workloads;

use std::{collections::HashMap, time::Duration};

use clock::Times;
use criterion::Throughput;
use harness::{build, criterion, edit, is_full};
use workloads::{Change, LegionWorld, Scene, Workload};

/// The stages, each with the workloads that have something for it to do.
const STAGES: &[(&str, &[&str])] = &[
    ("look", &["flat_static", "hum_static", "flat_all/archetypes"]),
    (
        "hierarchy",
        &["hum_static", "reparent", "respawn", "respawn/unlinked", "respawn_leaves", "spawn_hum"],
    ),
    (
        "compose",
        &[
            "flat_all",
            "flat_all/archetypes",
            "flat_few",
            "hum_all",
            "hum_10",
            "tree_all",
            "wide_leaf",
            "respawn",
        ],
    ),
    (
        "propagate",
        &[
            "hum_all",
            "hum_10",
            "chain_all",
            "tree_all",
            "tree_root",
            "wide_root",
            "wide_leaf",
            "respawn",
        ],
    ),
];

fn main() {
    clock::start();
    let full = is_full();
    let mut criterion = criterion();
    let mut worlds = HashMap::new();
    for (stage, names) in STAGES {
        let mut group = criterion.benchmark_group(*stage);
        for name in *names {
            let workload = Workload::named(name).expect("a name from the catalogue");
            let nodes =
                if full { workload.sizes[workload.sizes.len() - 1] } else { workload.reduced };
            group.throughput(Throughput::Elements(nodes as u64));
            group.bench_function(*name, |bencher| {
                // Built when the bench is really run, which a filter may forbid.
                let bench = worlds.entry(*name).or_insert_with(|| Bench::new(workload, nodes));
                bencher.iter_custom(|ticks| (0..ticks).map(|_| bench.tick(stage)).sum());
            });
        }
        group.finish();
    }
    criterion.final_summary();
}

struct Bench {
    scene: Scene,
    world: LegionWorld,
}

impl Bench {
    fn new(workload: &Workload, nodes: usize) -> Self {
        let (scene, world) = if workload.change == Change::Spawn {
            let scene = Scene::new(workload, nodes);
            let world = LegionWorld::empty(&scene);
            (scene, world)
        } else {
            build(workload, nodes)
        };
        Self { scene, world }
    }

    /// How long a tick spends in a stage.
    fn tick(&mut self, stage: &str) -> Duration {
        if self.scene.workload.change == Change::Spawn {
            self.world = LegionWorld::empty(&self.scene);
            self.world.spawn(&self.scene);
        } else {
            edit(&mut self.scene, &mut self.world);
        }
        Times::take();
        self.world.run();
        Times::take().of(stage)
    }
}
