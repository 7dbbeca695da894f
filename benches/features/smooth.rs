//! A tick of `Smooth` after a run in which all entities moved and turned, and a frame: nanoseconds
//! an entity.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::{BenchmarkGroup, measurement::WallTime};
use legion_transform::{TransformChanges, TransformSystemBundle, smooth::Smooth};

use crate::{
    harness::{build_with, edit},
    turns::nodes,
    workloads::{LegionWorld, Scene, Workload},
};

pub fn smooth(group: &mut BenchmarkGroup<'_, WallTime>) {
    for row in ["flat_all", "hum_all"] {
        let Some(workload) = Workload::named(row) else { continue };
        for (part, name) in ["tick", "frame"].into_iter().enumerate() {
            let id = format!("smooth/{name}/{row}/{}", nodes(workload));
            measure(group, &id, workload, part);
        }
    }
}

/// A world that is followed.
struct Followed {
    scene: Scene,
    world: LegionWorld,
    smooth: Smooth,
}

impl Followed {
    fn new(workload: &Workload) -> Self {
        let bundle = TransformSystemBundle::default().track_changes();
        let (scene, world) = build_with(bundle, workload, nodes(workload));
        let mut it = Self { scene, world, smooth: Smooth::default() };
        (0..3).for_each(|_| _ = it.step());
        it
    }

    /// A run, and then a tick and a frame, which are timed.
    fn step(&mut self) -> [Duration; 2] {
        let Self { scene, world, smooth } = self;
        edit(scene, world);
        world.run();
        let begin = Instant::now();
        let changes = world.resources.get::<TransformChanges>().expect("tracked");
        smooth.tick(&world.world, &changes).expect("a whole world may be read");
        let tick = begin.elapsed();
        smooth.updates(0.4).for_each(|moved| _ = black_box(moved));
        [tick, begin.elapsed() - tick]
    }
}

/// Times one part, and prints nanoseconds an entity: the least and the median.
fn measure(group: &mut BenchmarkGroup<'_, WallTime>, id: &str, workload: &Workload, part: usize) {
    let mut built = None;
    let mut times = Vec::new();
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|ticks| {
            let it = built.get_or_insert_with(|| Followed::new(workload));
            let steps: Vec<_> = (0..ticks).map(|_| it.step()[part]).collect();
            times.extend_from_slice(&steps);
            steps.iter().sum()
        });
    });
    let Some(it) = &built else { return };
    times.sort_unstable();
    let each = |time: Duration| time.as_secs_f64() * 1e9 / it.scene.len() as f64;
    let [least, median] = [times[0], times[times.len() / 2]].map(each);
    println!("{id}: {least:.1} ns an entity (least), {median:.1} (median)");
}
