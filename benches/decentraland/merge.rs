//! Parse and merge.
//!
//! `cargo bench -p benches --bench merge` measures with criterion. With `--
//! side-by-side` it prints a table beside `@dcl/ecs` instead, which needs node and npm; with `--
//! ours` our column of it, to compare builds in turns; with `-- ways` what it costs as a packet,
//! past a check, and as corrections.
#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

#[path = "merge/scenes.rs"]
#[allow(dead_code, reason = "the bench of worlds that follow has its scenes here, too")]
mod scenes;
#[path = "merge/side_by_side.rs"]
mod side_by_side;
#[path = "merge/ways.rs"]
mod ways;

use criterion::{BatchSize, Criterion, Throughput, criterion_group};
use decentraland_scene::{
    merge::{ChangeCursor, Connection, MergeReport, Replica, Role},
    wire::Reader,
};

/// A replica that has merged `before`, with a follower that has seen it.
fn after(before: &[u8]) -> (Replica, Connection) {
    let (mut replica, mut from) = (Replica::default(), Connection::new(Role::Peer));
    receive(&mut replica, &mut from, before, &mut MergeReport::default());
    replica.for_each_change(&mut ChangeCursor::default(), |_, _| {});
    (replica, from)
}

/// Parses and merges; the corrections are written too. The report is the caller's to keep, as it is
/// in a program that merges again and again.
fn receive(replica: &mut Replica, from: &mut Connection, batch: &[u8], report: &mut MergeReport) {
    report.corrections.clear();
    for piece in batch.chunks(Reader::DEFAULT_LIMIT) {
        replica.receive(from, piece, report).expect("a good stream");
    }
}

fn batches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("merge");
    group.throughput(Throughput::Elements(scenes::MESSAGES.into())).sample_size(10);
    for scenario in scenes::scenarios() {
        let mut report = MergeReport::default();
        group.bench_function(scenario.name, |bencher| {
            let merge = |(mut replica, mut from): (Replica, Connection)| {
                receive(&mut replica, &mut from, &scenario.batch, &mut report);
                replica
            };
            bencher.iter_batched(|| after(&scenario.before), merge, BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// Input that is meant to be dear: every version of one number.
fn dear_on_purpose(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("merge/65,536 versions of a number");
    group.sample_size(10).throughput(Throughput::Elements(1 << 16));
    for (name, descending) in [("ascending", false), ("descending", true)] {
        let batch = scenes::versions(descending);
        group.bench_function(name, |bencher| {
            let merge = |mut replica: Replica| {
                replica.merge_bytes(&batch, Role::Peer).expect("a good stream");
                replica
            };
            bencher.iter_batched(Replica::default, merge, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, batches, dear_on_purpose);

fn main() {
    if std::env::args().any(|argument| argument == "side-by-side") {
        side_by_side::print();
    } else if std::env::args().any(|argument| argument == "ours") {
        side_by_side::print_ours();
    } else if std::env::args().any(|argument| argument == "ways") {
        ways::print();
        ways::print_writes();
    } else {
        benches();
        Criterion::default().configure_from_args().final_summary();
    }
}
