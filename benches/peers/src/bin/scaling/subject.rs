//! The bundle on threads of each pool: one world, and one schedule after another.

use std::time::{Duration, Instant};

use legion::Schedule;
use legion_transform::{TransformSystemBundle, prelude::*};

use super::{
    Spread,
    frame::{Cache, Frame},
    pools::Pools,
    share,
};
use crate::workloads::{Change, LegionWorld, Scene, Workload, check};

/// Times by pool, in microseconds.
pub struct Times(Vec<Vec<f64>>);

impl Times {
    pub fn new(pools: &Pools) -> Self {
        Self(vec![Vec::new(); pools.len()])
    }

    pub fn add(&mut self, at: usize, time: Duration) {
        self.0[at].push(time.as_secs_f64() * 1e6);
    }

    pub fn all(&self) -> Vec<Spread> {
        self.0.iter().map(|times| Spread::of(times.clone())).collect()
    }
}

/// A world that runs on one pool after another.
pub struct Subject {
    scene: Scene,
    world: Option<LegionWorld>,
    /// The bundle with each pool. A bundle learns whether threads pay, so it is kept.
    schedules: Vec<Schedule>,
    pub times: Times,
    /// The times of each stage, where they are asked for.
    stages: Vec<(&'static str, Times)>,
}

impl Subject {
    pub fn new(workload: &Workload, nodes: usize, pools: &Pools, has_stages: bool) -> Self {
        let (scene, world) = match workload.change {
            Change::Spawn => (Scene::new(workload, nodes), None),
            _ => {
                let scene = Scene::new(workload, nodes);
                let mut world = LegionWorld::new(&scene);
                world.run();
                check(&scene, |node| world.matrix(node))
                    .unwrap_or_else(|wrong| panic!("{}: {wrong}", workload.name));
                (scene, Some(world))
            }
        };
        let schedule = |at| {
            let bundle = TransformSystemBundle::default().thread_pool(pools.get(at).clone());
            Schedule::builder().add_transforms(bundle).build()
        };
        let schedules = (0..pools.len()).map(schedule).collect();
        let stages = if has_stages { stages::names() } else { &[] };
        let stages = stages.iter().map(|&stage| (stage, Times::new(pools))).collect();
        Self { scene, world, schedules, times: Times::new(pools), stages }
    }

    pub fn nodes(&self) -> usize {
        self.scene.len()
    }

    /// Some ticks on one pool, and one before them that is not timed. (Or a first run.)
    pub fn turn(&mut self, at: usize, pools: &Pools, frame: Frame, cache: &mut Cache) {
        let Some(mut world) = self.world.take() else {
            let mut world = LegionWorld::empty(&self.scene);
            world.swap_schedule(&mut self.schedules[at]);
            world.spawn(&self.scene);
            self.run(at, &mut world);
            return world.swap_schedule(&mut self.schedules[at]);
        };
        world.swap_schedule(&mut self.schedules[at]);
        for tick in 0..=frame.ticks() {
            let edit = self.scene.advance();
            world.prepare(&self.scene, &edit);
            world.edit(&self.scene, &edit);
            cache.pass(frame, pools.get(at));
            match tick {
                0 => world.run(),
                _ => self.run(at, &mut world),
            }
        }
        world.swap_schedule(&mut self.schedules[at]);
        self.world = Some(world);
    }

    fn run(&mut self, at: usize, world: &mut LegionWorld) {
        stages::forget();
        let start = Instant::now();
        world.run();
        self.times.add(at, start.elapsed());
        stages::note(at, &mut self.stages);
    }

    /// Prints the serial share of each stage that takes a hundredth of the run or more.
    pub fn print_stages(&self, pools: &Pools) {
        let whole = self.times.all();
        for (stage, times) in &self.stages {
            let times = times.all();
            for at in (1..pools.len()).filter(|_| times[0].least * 100.0 > whole[0].least) {
                let [one, n] = [times[0].least, times[at].least];
                let threads = pools.threads(at);
                let share = share(one, n, threads);
                println!("    {stage}: {one:.1}, {n:.1} on {threads} threads, share {share:.0} %");
            }
        }
    }
}

/// The stages of a run, where the crate tells of them.
#[cfg(feature = "stages")]
mod stages {
    use std::sync::Once;

    use super::Times;
    use crate::clock;

    pub fn names() -> &'static [&'static str] {
        static STARTED: Once = Once::new();
        STARTED.call_once(clock::start);
        &clock::STAGES
    }

    pub fn forget() {
        clock::Times::take();
    }

    pub fn note(at: usize, stages: &mut [(&'static str, Times)]) {
        let spent = clock::Times::take();
        stages.iter_mut().for_each(|(stage, times)| times.add(at, spent.of(stage)));
    }
}

#[cfg(not(feature = "stages"))]
mod stages {
    use super::Times;

    pub fn names() -> &'static [&'static str] {
        eprintln!("stages are told with `--features stages`");
        &[]
    }

    pub fn forget() {}

    pub fn note(_: usize, _: &mut [(&'static str, Times)]) {}
}
