//! Everything in one frame: writes, insertions, removals and links, by systems before, between and
//! behind the stages, by commands and directly, with two schedules, in archetypes of more than 64
//! rows.
//!
//! After each run everything derived is right by the formulas in `f64`, and the list of changes has
//! missed nothing. Where derived components were overwritten, possibly in doubt, that holds 32 runs
//! later, and at once for the entities that do not depend on them.

mod edits;
mod judge;
mod species;

use harness::Rng;
use legion::{IntoQuery, Resources, Schedule, SystemBuilder, World};
use legion_transform::prelude::*;

use edits::{Life, Mood};
use judge::Judge;

/// The places in a frame at which there are edits: directly, and by commands of systems before the
/// bundle, in its two places, and behind it.
const PLACES: usize = 5;

/// What there is to do in the next execution: how many edits at each place.
#[derive(Clone, Copy, Debug)]
struct Plan {
    mood: Mood,
    edits: [usize; PLACES],
}

impl Plan {
    fn random(rng: &mut Rng, moods: &[Mood]) -> Self {
        let mood = *rng.pick(moods);
        let mut edits = [0; PLACES];
        for _ in 0..1 + rng.below(8) {
            // Most often before the bundle.
            edits[[0, 0, 0, 1, 1, 2, 3, 4][rng.below(8)]] += 1;
        }
        Self { mood, edits }
    }
}

/// Makes the edits of a place.
fn edit(place: usize, world: &mut World, resources: &mut Resources) {
    let plan = *resources.get::<Plan>().expect("there is one");
    let mut life = resources.get_mut::<Life>().expect("there is one");
    for _ in 0..plan.edits[place] {
        life.edit(world, plan.mood);
    }
}

/// A system that writes a component of the user's, and whose commands make the edits of a place.
fn system(place: usize) -> impl legion::systems::ParallelRunnable {
    SystemBuilder::new(format!("edits at place {place}"))
        .read_resource::<Plan>()
        .with_query(<&mut species::Health>::query())
        .build(move |commands, world, plan, health| {
            if plan.mood != Mood::Spawns && plan.edits[place] % 2 == 1 {
                health.for_each_mut(world, |health| health.0 += 1);
            }
            commands.exec_mut(move |world, resources| edit(place, world, resources));
        })
}

fn schedule(tracks: bool) -> Schedule {
    let mut bundle = TransformSystemBundle::default().print_findings(false);
    if tracks {
        bundle = bundle.track_changes();
    }
    let bundle = bundle.before_composition(system(2)).before_propagation(system(3));
    Schedule::builder()
        .add_thread_local_fn(|world, resources| edit(0, world, resources))
        .add_system(system(1))
        .add_transforms(bundle)
        .add_thread_local_fn(|world, resources| {
            resources.get_mut::<Life>().expect("there is one").runs += 1;
            let mut judge = resources.get_mut::<Judge>().expect("there is one");
            judge.judge(world, resources);
        })
        .add_system(system(4))
        .build()
}

/// A world with two schedules, and frames of it.
struct Game {
    world: World,
    resources: Resources,
    schedules: [Schedule; 2],
    rng: Rng,
}

impl Game {
    fn new(seed: u64, tracks: bool, rows: usize) -> Self {
        let (mut world, mut resources) = (World::default(), Resources::default());
        let mut life = Life::new(seed, rows);
        life.begin(&mut world);
        resources.insert(life);
        // Archetypes of up to 64 rows are repaired at once.
        resources.insert(Judge::new(if rows < LARGE[0] { 1 } else { 32 }));
        let schedules = [schedule(tracks), schedule(tracks)];
        Self { world, resources, schedules, rng: Rng::new(seed + 1) }
    }

    /// Executes one of the schedules, most often the first.
    fn frame(&mut self, moods: &[Mood]) {
        let plan = Plan::random(&mut self.rng, moods);
        let schedule = usize::from(self.rng.one_in(3));
        self.resources.insert(plan);
        self.schedules[schedule].execute(&mut self.world, &mut self.resources);
    }
}

/// `LEGION_TRANSFORM_SOAK=<frames>` runs longer, `LEGION_TRANSFORM_SEED=<seed>` another world.
fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok().map(|number| number.parse().expect("a number"))
}

/// What a test is about.
#[derive(Clone, Copy)]
struct Case {
    seed: u64,
    frames: usize,
    /// How many entities of each species the world begins with: one of these.
    rows: [usize; 3],
    tracks: bool,
    overwrites: bool,
}

const MOODS: &[Mood] = &[Mood::Writes, Mood::Spawns, Mood::Mixed, Mood::Mixed, Mood::Mixed];
const SMALL: [usize; 3] = [1, 2, 4];
const LARGE: [usize; 3] = [100, 200, 300];

fn play(case: Case) {
    let mut left = number("LEGION_TRANSFORM_SOAK").unwrap_or(case.frames);
    let mut seed = number("LEGION_TRANSFORM_SEED").map_or(case.seed, |seed| seed as u64);
    while left > 0 {
        let rows = *Rng::new(seed).pick(&case.rows);
        println!("seed {seed}, {rows} rows of each species");
        let mut game = Game::new(seed, case.tracks, rows);
        for frame in 0..case.frames.min(left) {
            println!("frame {frame}");
            game.frame(match (case.overwrites, frame % 40) {
                // In large worlds, some frames in which all is repaired: with further doubts, or not.
                (true, 6..) if rows >= LARGE[0] && seed.is_multiple_of(2) => &[Mood::Spawns],
                (true, 6..) if rows >= LARGE[0] => MOODS,
                (true, _) => &[Mood::Mixed, Mood::Overwrites],
                (false, _) => MOODS,
            });
        }
        left -= case.frames.min(left);
        seed += 1;
    }
}

#[test]
fn everything_is_right_and_listed_after_each_run() {
    let case = Case { seed: 100, frames: 12, rows: LARGE, tracks: true, overwrites: false };
    play(case);
    play(Case { seed: 200, tracks: false, ..case });
}

#[test]
fn what_was_overwritten_is_right_and_listed_32_runs_later() {
    let case = Case { seed: 300, frames: 80, rows: LARGE, tracks: true, overwrites: true };
    play(case);
    play(Case { seed: 401, tracks: false, ..case });
}

#[test]
fn in_small_archetypes_it_is_right_at_once() {
    let case = Case { seed: 500, frames: 200, rows: SMALL, tracks: true, overwrites: true };
    play(case);
    play(Case { seed: 600, tracks: false, ..case });
}
