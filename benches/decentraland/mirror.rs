//! Scenes and the worlds that follow them. (The bench `merge` measures their merge alone.)
//!
//! `cargo bench -p benches --bench mirror` measures with criterion; with `-- stages` it
//! prints a table of merge, apply and run, to compare builds in turns.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

#[path = "merge/scenes.rs"]
#[allow(dead_code, reason = "the bench of the merge alone has its scenes there, too")]
mod scenes;
#[path = "mirror/stages.rs"]
mod stages;
#[path = "mirror/subject.rs"]
mod subject;

use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion, Throughput, criterion_group};
use decentraland_scene::merge::MergeReport;
use subject::Subject;

fn batches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mirror");
    group.throughput(Throughput::Elements(scenes::MESSAGES.into())).sample_size(10);
    for scenario in scenes::scenarios() {
        let before = || Subject::after(&scenario.before);
        let mut report = MergeReport::default();
        group.bench_function(format!("{}/merge, apply, run", scenario.name), |bencher| {
            let follow = |mut subject: Subject| {
                subject.merge(&scenario.batch, &mut report);
                subject.apply();
                subject.run();
                subject
            };
            bencher.iter_batched(before, follow, BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// What a message costs, merged and applied, must not depend on how large the scene is.
fn scene_sizes(criterion: &mut Criterion) {
    const MESSAGES: u32 = 100;
    let mut group = criterion.benchmark_group("mirror/merge and apply 100 messages");
    group.throughput(Throughput::Elements(MESSAGES.into())).sample_size(20);
    for entities in [100, 10_000, 1_000_000] {
        let mut report = MergeReport::default();
        let mut subject = Subject::after(&scenes::sized(entities));
        let mut timestamp = 1;
        group.bench_function(format!("{entities} entities"), |bencher| {
            let newer = || {
                timestamp += 1;
                scenes::newer(MESSAGES, entities, timestamp)
            };
            let follow = |batch: Vec<u8>| {
                subject.merge(&batch, &mut report);
                subject.apply();
            };
            bencher.iter_batched(newer, follow, BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// Input that is meant to be dear: a ring of entities below a root, which opens.
fn dear_on_purpose(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mirror/dear on purpose");
    group.sample_size(10);
    group.throughput(Throughput::Elements(1));
    let mut subject = Subject::below_root(&scenes::ring(1));
    let mut timestamp = 1;
    group.bench_function(
        format!("a ring of {} below a root opens and closes/apply", scenes::RING),
        |bencher| {
            bencher.iter_custom(|rounds| {
                let mut spent = Duration::ZERO;
                for _ in 0..rounds {
                    for opens in [true, false] {
                        timestamp += 1;
                        subject.merge(
                            &scenes::first_of_ring(1, timestamp, opens),
                            &mut MergeReport::default(),
                        );
                        let start = Instant::now();
                        subject.apply();
                        spent += start.elapsed() / 2;
                    }
                    subject.run();
                }
                spent
            });
        },
    );
    group.finish();
}

criterion_group!(benches, batches, scene_sizes, dear_on_purpose);

fn main() {
    if std::env::args().any(|argument| argument == "stages") {
        stages::print();
    } else {
        benches();
        Criterion::default().configure_from_args().final_summary();
    }
}
