//! Two worlds in turn, in one process: how many times as long the second one takes.

use std::time::{Duration, Instant};

use criterion::{BenchmarkGroup, measurement::WallTime};
use legion_transform::TransformSystemBundle;

use crate::{
    harness::{build_unchecked, build_with, edit, is_full},
    spawn,
    workloads::{Change, LegionWorld, Scene, Workload},
};

/// How many ticks of a world are timed in turn.
const TURN: usize = 7;

/// How many ticks come before them. All worlds share one counter of versions, so what another world
/// did is in doubt in the first; where nodes come and go, results in doubt are compared in 32 more.
fn unsettled(workload: &Workload) -> usize {
    if workload.is_structural() { 33 } else { 1 }
}

/// One of the two.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub bundle: &'a dyn Fn() -> TransformSystemBundle,
    /// What its world has besides the workload's scene.
    pub besides: Option<&'a Besides>,
}

/// What a world has besides a scene. Its matrices are not those of the scene, and are not checked.
pub struct Besides {
    /// What is added before the first run.
    pub prepare: fn(&mut LegionWorld),
    /// What happens in a tick before the run, not timed.
    pub edit: fn(&mut LegionWorld),
}

impl<'a> Side<'a> {
    /// The workload's scene, and nothing else.
    pub const fn plain(bundle: &'a dyn Fn() -> TransformSystemBundle) -> Self {
        Self { bundle, besides: None }
    }

    fn build(&self, workload: &Workload, nodes: usize) -> (Scene, LegionWorld) {
        match self.besides {
            None => build_with((self.bundle)(), workload, nodes),
            Some(it) => build_unchecked((self.bundle)(), workload, nodes, it.prepare),
        }
    }

    fn tick(&self, scene: &mut Scene, world: &mut LegionWorld) -> Duration {
        edit(scene, world);
        if let Some(besides) = self.besides {
            (besides.edit)(world);
        }
        let start = Instant::now();
        world.run();
        start.elapsed()
    }
}

/// The largest number of nodes of a row, or the reduced one.
pub fn nodes(workload: &Workload) -> usize {
    if is_full() { workload.sizes[workload.sizes.len() - 1] } else { workload.reduced }
}

/// Times whole ticks (or first runs) of two worlds in turn, and prints how many times as long the
/// second one takes: the ratio of minima, and of medians.
pub fn in_turn(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: &str,
    workload: &Workload,
    nodes: usize,
    sides: [Side<'_>; 2],
) {
    // The worlds are built when the bench is really run, which a filter may forbid.
    let mut built = None;
    let mut times = [Vec::new(), Vec::new()];
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|ticks| {
            for _ in 0..ticks {
                if workload.change == Change::Spawn {
                    let scene = Scene::new(workload, nodes);
                    for (side, times) in sides.iter().zip(&mut times) {
                        times.push(first_run(&scene, (side.bundle)()));
                    }
                } else {
                    let build = || sides.map(|side| side.build(workload, nodes));
                    let worlds = built.get_or_insert_with(build);
                    for (i, (scene, world)) in worlds.iter_mut().enumerate() {
                        (0..unsettled(workload)).for_each(|_| _ = sides[i].tick(scene, world));
                        times[i].extend((0..TURN).map(|_| sides[i].tick(scene, world)));
                    }
                }
            }
            let last = ticks as usize * if workload.change == Change::Spawn { 1 } else { TURN };
            times[1].iter().rev().take(last).sum::<Duration>() * ticks as u32 / last as u32
        });
    });
    if times[0].is_empty() {
        return;
    }
    let [first, second] = times.map(|mut times| {
        times.sort_unstable();
        [times[0], times[times.len() / 2]].map(|time| time.as_secs_f64() * 1e6)
    });
    let [minima, medians] = [second[0] / first[0], second[1] / first[1]];
    let [a, b] = [first[0], second[0]];
    println!("{id}: {minima:.2} (minima), {medians:.2} (medians), {a:.2} and {b:.2} us");
}

fn first_run(scene: &Scene, bundle: TransformSystemBundle) -> Duration {
    let mut world = LegionWorld::empty(scene).with_bundle(bundle);
    let start = Instant::now();
    spawn(&mut world, scene);
    start.elapsed()
}
