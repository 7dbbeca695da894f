//! A tick of `Smooth` after a run in which all entities moved and turned, and a frame: nanoseconds
//! an entity. `by_hand` is a frame with motion vectors that asks for the last frame by entity.

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

/// What is timed: the name, and whether last frames are kept.
const PARTS: [(&str, bool); 5] = [
    ("tick", false),
    ("frame", false),
    ("tick_with_last_frames", true),
    ("motions", true),
    ("by_hand", true),
];

pub fn smooth(group: &mut BenchmarkGroup<'_, WallTime>) {
    for row in ["flat_all", "hum_all"] {
        let Some(workload) = Workload::named(row) else { continue };
        for part in PARTS {
            let id = format!("smooth/{}/{row}/{}", part.0, nodes(workload));
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
    fn new(workload: &Workload, keeps_last_frames: bool) -> Self {
        let bundle = TransformSystemBundle::default().track_changes();
        let (scene, world) = build_with(bundle, workload, nodes(workload));
        let smooth = Smooth::default();
        let smooth = if keeps_last_frames { smooth.with_last_frames() } else { smooth };
        let mut it = Self { scene, world, smooth };
        (0..3).for_each(|_| _ = it.step("frame"));
        it
    }

    /// A run, and then a tick and a frame, of which one is timed.
    fn step(&mut self, part: &str) -> Duration {
        let Self { scene, world, smooth } = self;
        edit(scene, world);
        world.run();
        let begin = Instant::now();
        let changes = world.resources.get::<TransformChanges>().expect("tracked");
        smooth.tick(&world.world, &changes).expect("a whole world may be read");
        let tick = begin.elapsed();
        let begin = Instant::now();
        match part {
            "by_hand" => smooth.updates(0.4).for_each(|(entity, now)| {
                _ = black_box((entity, now, smooth.last_frame(&world.world, entity)));
            }),
            "motions" => smooth.motions(0.4).for_each(|moved| _ = black_box(moved)),
            _ => smooth.updates(0.4).for_each(|moved| _ = black_box(moved)),
        }
        let frame = begin.elapsed();
        smooth.end_frame(0.4);
        if part.starts_with("tick") { tick } else { frame }
    }
}

/// Times one part, and prints nanoseconds an entity: the least and the median.
fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    id: &str,
    workload: &Workload,
    (part, keeps_last_frames): (&str, bool),
) {
    let mut built = None;
    let mut times = Vec::new();
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|ticks| {
            let it = built.get_or_insert_with(|| Followed::new(workload, keeps_last_frames));
            let steps: Vec<_> = (0..ticks).map(|_| it.step(part)).collect();
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
