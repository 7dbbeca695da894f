//! Each stage of a run alone: `cargo bench --features tracing --bench stages -- propagate`, with
//! the workload's name behind a slash (`propagate/hum_all`). A time is how long the stage's own
//! span was open.

mod harness;
mod workloads;

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use criterion::Throughput;
use harness::{build, criterion, edit, is_full};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use workloads::{Change, LegionWorld, Scene, Workload};

/// The stages, each with the workloads that have something for it to do.
const STAGES: &[(&str, &[&str])] = &[
    ("changes", &["flat_static", "hum_static", "flat_all/archetypes"]),
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

static TIMES: Mutex<Times> = Mutex::new(Times { open: Vec::new(), spent: Vec::new() });

/// How long the spans of each stage have been open since the last look.
struct Times {
    /// The stage of each span that is not closed, with the time of the entry.
    open: Vec<(u64, &'static str, Instant)>,
    spent: Vec<(&'static str, Duration)>,
}

impl Times {
    fn take(stage: &str) -> Duration {
        let spent = std::mem::take(&mut TIMES.lock().expect("no bench panics").spent);
        spent.iter().filter(|(name, _)| *name == stage).map(|(_, time)| *time).sum()
    }
}

/// Keeps the time of the crate's spans, and takes no other.
struct Clock;

/// The stage that a span names.
#[derive(Default)]
struct Stage(Option<&'static str>);

impl Visit for Stage {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "stage" {
            self.0 = STAGES.iter().map(|(stage, _)| *stage).find(|stage| *stage == value);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

impl Subscriber for Clock {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target() == "legion_transform"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut stage = Stage::default();
        span.record(&mut stage);
        let open = &mut TIMES.lock().expect("no bench panics").open;
        let id = open.last().map_or(0, |(id, ..)| *id) + 1;
        open.push((id, stage.0.unwrap_or("another"), Instant::now()));
        Id::from_u64(id)
    }

    fn exit(&self, span: &Id) {
        let now = Instant::now();
        let mut times = TIMES.lock().expect("no bench panics");
        if let Some(found) = times.open.iter().position(|(id, ..)| *id == span.into_u64()) {
            let (_, stage, start) = times.open.swap_remove(found);
            times.spent.push((stage, now - start));
        }
    }

    fn enter(&self, _: &Id) {}
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
}

fn main() {
    tracing::subscriber::set_global_default(Clock).expect("no other is set");
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
        Times::take(stage);
        self.world.run();
        Times::take(stage)
    }
}
