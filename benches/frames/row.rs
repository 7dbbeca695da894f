//! A row of the table: how it is built and timed.
//!
//! ```text
//! frame   | edit(game)   | tick(game): the schedule                             |
//!         |              |  systems before  |  bundle      |  systems after     |
//!       start          edited             stamp 0        stamp 1               end
//! ```
//!
//! The tick is the time from `edited` to `end`. A schedule with systems of the user's has stamps:
//! there the tick is the time between them. The edit is what remains of the frame.

use std::{
    cell::Cell,
    rc::Rc,
    time::{Duration, Instant},
};

use crate::{game::Game, harness::is_full};

/// A part of a frame.
type Part = Box<dyn FnMut(&mut Game)>;

/// What happens in each frame of a game.
pub struct Frame {
    game: Game,
    edit: Part,
    tick: Part,
    check: fn(&mut Game),
    /// How many ticks are timed as one.
    runs: u32,
}

impl Frame {
    /// This edit, then a run of the game's schedule.
    pub fn new(game: Game, edit: impl FnMut(&mut Game) + 'static) -> Self {
        let (edit, tick): (Part, Part) = (Box::new(edit), Box::new(Game::run));
        Self { game, edit, tick, check: crate::check::check, runs: 1 }
    }

    /// Something else is timed as the tick.
    pub fn tick(self, tick: impl FnMut(&mut Game) + 'static) -> Self {
        Self { tick: Box::new(tick), ..self }
    }

    /// The tick is so many runs; times are reported for one.
    pub fn runs(self, runs: usize) -> Self {
        Self { runs: runs as u32, ..self }
    }

    /// Something else is right in the end.
    pub fn check(self, check: fn(&mut Game)) -> Self {
        Self { check, ..self }
    }

    /// One frame: edit and tick.
    fn run(&mut self) -> [Duration; 2] {
        let Self { game, edit, tick, runs, .. } = self;
        let start = Instant::now();
        edit(game);
        let edited = Instant::now();
        tick(game);
        let end = Instant::now();
        // Systems of the user's in the same schedule count as edit.
        let [from, to] = game.stamps.as_ref().map_or([edited, end], Stamps::get);
        let tick = to - from;
        [end - start - tick, tick].map(|time| time / *runs)
    }
}

/// When the bundle's systems of a schedule began, and when they ended.
#[derive(Clone)]
pub struct Stamps(Rc<[Cell<Instant>; 2]>);

impl Stamps {
    /// No run yet.
    pub fn new() -> Self {
        let now = Instant::now();
        Self(Rc::new([Cell::new(now), Cell::new(now)]))
    }

    /// Notes the beginning (0) or the end (1).
    pub fn set(&self, which: usize) {
        self.0[which].set(Instant::now());
    }

    fn get(&self) -> [Instant; 2] {
        [self.0[0].get(), self.0[1].get()]
    }
}

/// A row of the table.
pub struct Row {
    name: String,
    scene: &'static str,
    build: Box<dyn Fn() -> Frame>,
}

impl Row {
    /// A row, whose world is built when it is measured.
    pub fn new(name: &str, scene: &'static str, build: impl Fn() -> Frame + 'static) -> Self {
        Self { name: name.into(), scene, build: Box::new(build) }
    }

    /// Whether the arguments ask for it: all rows, or the beginning of its name.
    pub fn is_wanted(&self, wanted: &[String]) -> bool {
        let id = format!("{}/{}", self.name, self.scene);
        wanted.is_empty() || wanted.iter().any(|prefix| id.starts_with(prefix.as_str()))
    }

    /// Its line of the table.
    pub fn measure(&self) -> String {
        let (mut times, again) = (self.round(), self.round());
        for (time, again) in times.iter_mut().flatten().zip(again.iter().flatten()) {
            *time = (*time).min(*again);
        }
        let sorted = |part: usize| {
            let mut sorted: Vec<Duration> = times.iter().map(|times| times[part]).collect();
            sorted.sort_unstable();
            sorted
        };
        let (edits, ticks) = (sorted(0), sorted(1));
        let half = times.len() / 2;
        let [edit, tick, worst] = [edits[half], ticks[half], ticks[times.len() - 1]]
            .map(|time| format!("{:>11.2}", time.as_secs_f64() * 1e6));
        format!("{:<26} {:<9} {edit} {tick} {worst}", self.name, self.scene)
    }

    /// The edit and the tick of each frame, from a new world on.
    fn round(&self) -> Vec<[Duration; 2]> {
        const WARM_UP: usize = 20;
        let mut frame = (self.build)();
        frame.game.run();
        (0..WARM_UP).for_each(|_| _ = frame.run());
        let ticks = if is_full() { 300 } else { 60 };
        let times = (0..ticks).map(|_| frame.run()).collect();
        (frame.check)(&mut frame.game);
        times
    }
}
