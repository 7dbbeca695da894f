//! The worlds of a workload, tick by tick.

use std::time::{Duration, Instant};

use legion::{IntoQuery, Resources, Schedule};
use legion_transform::{TransformSystemBundle, prelude::*};

use super::{Bench, is_full};
#[cfg(feature = "tracing")]
use crate::clock;
use crate::workloads::{Change, LegionWorld, Scene, Workload, bundle, check};

/// How many ticks happen before any is timed: bullets come and go, lists have their sizes.
const WARM_UP: usize = 20;

/// What happens in each tick besides, with the number of the tick.
pub type EachTick = Box<dyn FnMut(&mut LegionWorld, usize)>;

/// What a world has besides a scene: added before the first run.
type Begin = fn(&mut LegionWorld) -> EachTick;

/// How long each part of a tick took.
pub type Frame = Vec<Duration>;

/// The parts: with the feature `tracing` also the stages of the run.
#[cfg(not(feature = "tracing"))]
pub const PARTS: [&str; 2] = ["edit", "run"];
#[cfg(feature = "tracing")]
pub const PARTS: [&str; 7] = {
    let [a, b, c, d, e] = clock::STAGES;
    ["edit", "run", a, b, c, d, e]
};

/// A bundle, and what its world has besides the scene of a workload.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    bundle: &'a dyn Fn() -> TransformSystemBundle,
    begin: Option<Begin>,
    /// Behind the name of a row: the workload of this side.
    variant: &'static str,
}

impl<'a> Side<'a> {
    /// The bundle that the environment asks for, and nothing else.
    pub const USUAL: Side<'static> = Side::plain(&bundle);

    /// The workload's scene, and nothing else.
    pub const fn plain(bundle: &'a dyn Fn() -> TransformSystemBundle) -> Self {
        Self { bundle, begin: None, variant: "" }
    }

    /// More than the scene: its matrices are not compared with those of the scene.
    pub const fn with(bundle: &'a dyn Fn() -> TransformSystemBundle, begin: Begin) -> Self {
        Self { bundle, begin: Some(begin), variant: "" }
    }

    /// The same in a variant of each row.
    pub const fn of(self, variant: &'static str) -> Self {
        Self { variant, ..self }
    }
}

/// Worlds with the scene of a workload.
pub struct Subject<'a> {
    scene: Scene,
    worlds: Vec<LegionWorld>,
    side: Side<'a>,
    each_tick: Option<EachTick>,
    tick: usize,
}

impl<'a> Subject<'a> {
    /// Worlds that have been up to date for some ticks, checked.
    pub fn new(workload: &Workload, nodes: usize, side: Side<'a>) -> Self {
        let scene = Scene::new(workload, nodes);
        let mut it = Self { scene, worlds: Vec::new(), side, each_tick: None, tick: 0 };
        if !it.is_first_run() {
            it.worlds = it.empty();
            it.worlds.iter_mut().for_each(|world| world.spawn(&it.scene));
            it.each_tick = side.begin.map(|begin| begin(&mut it.worlds[0]));
            LegionWorld::run_all(&mut it.worlds);
            (0..WARM_UP).for_each(|_| _ = it.tick());
            if side.begin.is_none() {
                it.check();
            }
        }
        it
    }

    /// How many nodes there are in all worlds.
    pub fn len(&self) -> usize {
        self.scene.len() * self.scene.workload.worlds
    }

    fn is_first_run(&self) -> bool {
        self.scene.workload.change == Change::Spawn
    }

    fn empty(&self) -> Vec<LegionWorld> {
        let world = |_| LegionWorld::empty(&self.scene).with_bundle((self.side.bundle)());
        (0..self.scene.workload.worlds).map(world).collect()
    }

    /// An edit and a run. Of a first run the edit spawns all.
    pub fn tick(&mut self) -> Frame {
        if self.is_first_run() {
            self.worlds = self.empty();
        }
        let is_first = self.is_first_run();
        let Self { scene, worlds, each_tick, tick, .. } = self;
        *tick += 1;
        let edit = scene.advance();
        worlds.iter_mut().for_each(|world| world.prepare(scene, &edit));
        let start = Instant::now();
        for world in worlds.iter_mut() {
            match is_first {
                true => world.spawn(scene),
                false => world.edit(scene, &edit),
            }
        }
        each_tick.iter_mut().for_each(|each_tick| each_tick(&mut worlds[0], *tick));
        let edited = Instant::now();
        #[cfg(feature = "tracing")]
        clock::Times::take();
        LegionWorld::run_all(worlds);
        #[cfg_attr(not(feature = "tracing"), allow(unused_mut))]
        let mut frame = vec![edited - start, edited.elapsed()];
        #[cfg(feature = "tracing")]
        {
            let times = clock::Times::take();
            frame.extend(clock::STAGES.map(|stage| times.of(stage)));
        }
        frame
    }

    /// The run of a tick; of first runs also what comes before.
    fn time(&mut self) -> Duration {
        let frame = self.tick();
        if self.is_first_run() { frame[0] + frame[1] } else { frame[1] }
    }

    /// Compares all matrices with those of the scene, or with those of a bundle that computes them
    /// all anew.
    pub fn check(&mut self) {
        let Self { scene, worlds, side, .. } = self;
        if side.begin.is_none() {
            for world in worlds {
                check(scene, |node| world.matrix(node))
                    .unwrap_or_else(|wrong| panic!("{}: {wrong}", scene.workload.name));
            }
            return;
        }
        let world = &mut worlds[0].world;
        let matrices = |world: &legion::World| -> Vec<LocalToWorld> {
            <&LocalToWorld>::query().iter(world).copied().collect()
        };
        let before = matrices(world);
        let mut schedule = Schedule::builder().add_transforms((side.bundle)()).build();
        schedule.execute(world, &mut Resources::default());
        let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
        for (before, now) in before.iter().zip(matrices(world)) {
            let is_same = before.0.iter().zip(&now.0).all(same);
            assert!(is_same, "{}: {before:?} should be {now:?}", scene.workload.name);
        }
    }
}

/// The largest number of nodes of a row, or the reduced one.
pub fn nodes(workload: &Workload) -> usize {
    if is_full() { workload.sizes[workload.sizes.len() - 1] } else { workload.reduced }
}

impl Bench {
    /// Times workloads with one bundle and with another one.
    pub fn sides(&self, group: &str, rows: &[&str], sides: [Side<'_>; 2]) {
        for row in rows {
            let workload = Workload::named(row).expect("a name from the catalogue");
            let nodes = nodes(workload);
            // All worlds share one counter of versions, so what another world did is in doubt in
            // the first tick of a turn; where nodes come and go, results in doubt are compared in
            // 32 more.
            let before = if workload.is_structural() { 33 } else { 1 };
            self.in_turn(&format!("{group}/{row}/{nodes}"), (nodes, before), || {
                sides.map(|side| -> Box<dyn FnMut() -> Duration + '_> {
                    let workload = Workload::named(&format!("{row}{}", side.variant));
                    let workload = workload.expect("a variant from the catalogue");
                    let mut subject = Subject::new(workload, nodes, side);
                    Box::new(move || subject.time())
                })
            });
        }
    }
}
