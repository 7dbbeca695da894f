//! A scene with a competitor in it, and its ticks.

use std::time::{Duration, Instant};

use crate::{
    between::Others,
    competitor::Competitor,
    workloads::{Scene, Workload, check},
};

/// A scene, and as many worlds as its workload says, each with all its nodes.
pub struct Bench<C> {
    pub scene: Scene,
    worlds: Vec<C>,
}

impl<C: Competitor> Bench<C> {
    /// All but the nodes.
    pub fn new(workload: &Workload, nodes: usize) -> Self {
        let mut bench = Self { scene: Scene::new(workload, nodes), worlds: Vec::new() };
        bench.renew();
        bench
    }

    /// Begins with new worlds. The memory of the old ones is free before.
    pub fn renew(&mut self) {
        self.worlds.clear();
        self.worlds.extend((0..self.scene.workload.worlds).map(|_| C::new(&self.scene)));
    }

    /// Puts the nodes in. Returns how long it took.
    pub fn spawn(&mut self) -> Duration {
        timed(|| self.worlds.iter_mut().for_each(|world| world.spawn(&self.scene)))
    }

    /// A run. Returns how long it took.
    pub fn run(&mut self) -> Duration {
        let time = timed(|| C::run_all(&mut self.worlds));
        self.worlds.iter_mut().for_each(C::end_frame);
        time
    }

    /// Returns how long the edit took, and how long the run.
    pub fn tick(&mut self, others: &mut Others) -> [Duration; 2] {
        let Self { scene, worlds } = self;
        let edit = scene.advance();
        worlds.iter_mut().for_each(|world| world.prepare(scene, &edit));
        others.before_edit();
        let edited = timed(|| worlds.iter_mut().for_each(|world| world.edit(scene, &edit)));
        others.before_run();
        [edited, self.run()]
    }

    /// Whether each matrix is right in each world; an error says which is not.
    pub fn check(&self) -> Result<(), String> {
        self.worlds.iter().try_for_each(|world| check(&self.scene, |node| world.matrix(node)))
    }

    /// Does it in another way from now on. Returns what the way is called, if there are so many.
    pub fn choose(&mut self, way: usize) -> Option<String> {
        self.worlds.iter_mut().filter_map(|world| world.choose(way)).last()
    }
}

/// How long some work takes.
pub fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
