//! The hand-written reference on threads of each pool.

use std::time::Instant;

use super::{
    frame::{Cache, Frame},
    pools::Pools,
    subject::Times,
};
use crate::{
    competitor::Competitor,
    limit::Limit,
    workloads::{Change, Scene, Workload},
};

/// The reference, with a plan for each number of threads.
pub struct Reference {
    scene: Scene,
    limits: Vec<Limit>,
    pub times: Times,
}

impl Reference {
    /// `None` where it cannot do the same.
    pub fn of(workload: &Workload, nodes: usize, pools: &Pools) -> Option<Self> {
        let is_run = !workload.is_structural() && workload.change != Change::Spawn;
        if !is_run || !Limit::takes(workload) {
            return None;
        }
        let mut scene = Scene::new(workload, nodes);
        let new = |at: usize| {
            let mut limit = pools.get(at).install(|| Limit::new(&scene));
            limit.spawn(&scene);
            limit.run();
            limit
        };
        let mut limits: Vec<Limit> = (0..pools.len()).map(new).collect();
        // The kernel that is the fastest on one thread, of those that write through the cache.
        let mut tried = Vec::new();
        for way in 0..limits[0].ways() {
            limits[0].choose(way);
            if !limits[0].way().contains("streaming") {
                let least = (0..5)
                    .map(|_| time(&mut limits[0], &mut scene, || {}))
                    .fold(f64::MAX, f64::min);
                tried.push((least, way));
            }
        }
        let best = tried.iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a kernel").1;
        let kernels = limits[0].ways();
        for (at, limit) in limits.iter_mut().enumerate() {
            limit.choose(if at == 0 { best } else { kernels + best });
        }
        Some(Self { scene, limits, times: Times::new(pools) })
    }

    pub fn turn(&mut self, at: usize, pools: &Pools, frame: Frame, cache: &mut Cache) {
        let (limit, scene, pool) = (&mut self.limits[at], &mut self.scene, pools.get(at));
        let mut tick = || {
            let edit = scene.advance();
            limit.prepare(scene, &edit);
            limit.edit(scene, &edit);
            cache.pass(frame, pool);
            let start = Instant::now();
            match at {
                0 => limit.run(),
                _ => pool.install(|| limit.run()),
            }
            start.elapsed()
        };
        tick();
        (0..frame.ticks()).for_each(|_| self.times.add(at, tick()));
    }
}

fn time(limit: &mut Limit, scene: &mut Scene, between: impl FnOnce()) -> f64 {
    let edit = scene.advance();
    limit.edit(scene, &edit);
    between();
    let start = Instant::now();
    limit.run();
    start.elapsed().as_secs_f64()
}
