//! The rows, as a table: the crate's benches and the comparison with its peers share them.

pub mod clones;
mod edits;
mod frames;
mod queries;
pub mod scene;
mod smooth;
mod spawns;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

pub use scene::{BONES, Bones, LIMB, LIMBS, Scene};

/// The sizes of the scene.
pub const SKELETONS: [usize; 3] = [1, 300, 3_000];

/// What was timed at once.
#[derive(Clone, Copy)]
pub struct Round {
    pub time: Duration,
    /// How many calls, or how many entities they were about.
    pub calls: usize,
}

impl Round {
    pub fn and(self, other: Self) -> Self {
        Self { time: self.time + other.time, calls: self.calls + other.calls }
    }

    /// Nanoseconds a call.
    pub fn each(self) -> f64 {
        self.time.as_secs_f64() * 1e9 / self.calls as f64
    }
}

/// Times this much work.
pub fn timed<R>(calls: usize, work: impl FnOnce() -> R) -> Round {
    let start = Instant::now();
    let result = work();
    let time = start.elapsed();
    drop(black_box(result));
    Round { time, calls }
}

/// Times a call for each of these.
pub fn each<E: Copy, R>(all: &[E], mut call: impl FnMut(E) -> R) -> Round {
    timed(all.len(), || all.iter().for_each(|&it| _ = black_box(call(it))))
}

/// Times work that says how much it was.
pub fn counted(work: impl FnOnce() -> usize) -> Round {
    let start = Instant::now();
    let calls = work();
    Round { time: start.elapsed(), calls }
}

/// A scene of so many skeletons.
type NewScene = fn(usize) -> Scene;

type Measure = Box<dyn Fn(&mut Scene) -> Round>;

pub struct Row {
    pub name: String,
    scene: NewScene,
    measure: Measure,
    /// Each round needs a scene of its own.
    pub is_once: bool,
}

impl Row {
    /// A round right after a run, in the scene of the last one if that is good for another.
    pub fn round(&self, scene: &mut Option<Scene>, skeletons: usize) -> Round {
        let it = scene.get_or_insert_with(|| (self.scene)(skeletons));
        let round = (self.measure)(it);
        it.run();
        scene.take_if(|_| self.is_once);
        round
    }
}

#[derive(Default)]
pub struct Rows(pub Vec<Row>);

impl Rows {
    pub fn all() -> Self {
        let mut rows = Self::default();
        queries::add(&mut rows);
        edits::add(&mut rows);
        clones::add(&mut rows);
        frames::add(&mut rows);
        spawns::add(&mut rows);
        smooth::add(&mut rows);
        rows
    }

    /// Rounds that leave the hierarchy as it was.
    pub fn add(&mut self, name: &str, measure: impl Fn(&mut Scene) -> Round + 'static) {
        let (scene, measure) = (Scene::new as NewScene, Box::new(measure));
        self.0.push(Row { name: name.into(), scene, measure, is_once: false });
    }

    /// Rounds that change the hierarchy.
    pub fn once(&mut self, name: &str, measure: impl Fn(&mut Scene) -> Round + 'static) {
        self.add(name, measure);
        self.0.last_mut().expect("just added").is_once = true;
    }
}
