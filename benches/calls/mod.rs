//! What the calls cost that a game makes around the run: nanoseconds a call or an entity, on one
//! skeleton and in worlds of 20,100 and 201,000 bones.

mod rows;
#[cfg(feature = "serde")]
mod saving;

use criterion::{BenchmarkGroup, Criterion, SamplingMode, measurement::WallTime};

use crate::harness::is_full;
use rows::{BONES, Row, Rows};

/// Measures all of them.
pub fn calls(criterion: &mut Criterion) {
    let skeletons = if is_full() { &rows::SKELETONS[..] } else { &rows::SKELETONS[..2] };
    #[cfg_attr(not(feature = "serde"), allow(unused_mut))]
    let mut rows = Rows::all();
    #[cfg(feature = "serde")]
    saving::add(&mut rows);
    let mut group = criterion.benchmark_group("calls");
    group.sampling_mode(SamplingMode::Flat);
    for row in &rows.0 {
        skeletons.iter().for_each(|&skeletons| measure(&mut group, row, skeletons));
    }
    group.finish();
}

/// Times rounds of a row, and prints nanoseconds a call: the least and the median.
fn measure(group: &mut BenchmarkGroup<'_, WallTime>, row: &Row, skeletons: usize) {
    let id = format!("{}/{}", row.name, skeletons * BONES);
    let (mut scene, mut times) = (None, Vec::new());
    group.bench_function(&id, |bencher| {
        bencher.iter_custom(|rounds| {
            let rounds: Vec<_> = (0..rounds).map(|_| row.round(&mut scene, skeletons)).collect();
            times.extend(rounds.iter().map(|round| round.each()));
            rounds.iter().map(|round| round.time).sum::<std::time::Duration>()
                / rounds[0].calls as u32
        });
    });
    if !times.is_empty() {
        times.sort_unstable_by(f64::total_cmp);
        let [least, median] = [times[0], times[times.len() / 2]];
        println!("{id}: {least:.1} ns (least), {median:.1} (median)");
    }
}
