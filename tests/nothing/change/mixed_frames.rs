//! Everything in one frame: the kit's edits, many of them of many entities at once, by systems
//! before, between and behind the stages, by commands and directly, with two schedules, in
//! archetypes of more than 64 rows.
//!
//! After each run the world is what the kit's reference says, and the list of changes has missed
//! nothing. Where derived components were overwritten in doubt, that holds 32 runs later.

use std::{cell::Cell, fmt, ops::DerefMut};

use harness::demand;
use legion::{IntoQuery, Resources, Schedule, SystemBuilder, World, systems::ParallelRunnable};
use legion_transform::prelude::*;
use legion_transform_testing::{
    Cast, Histories, History, Kind, ListMirror, OwnEdit, Step, Values, assert_up_to_date,
    check_histories, edits,
};
use proptest::prelude::*;

/// A component of a user's own.
#[derive(Clone, Copy, Debug)]
struct Health(u32);

/// The places at which there are edits: by commands of a system behind the bundle, directly, and by
/// commands of systems before the bundle and in its two places. A frame ends between the first two.
const PLACES: usize = 5;

/// Where the edits that follow are made.
#[derive(Clone, Copy)]
enum Mark {
    /// At the next place.
    Next,
    /// Up to a run of the second schedule.
    Second,
}

impl fmt::Debug for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Next => "// at the next place of the frame",
            Self::Second => "// by the second schedule",
        })
    }
}

impl OwnEdit for Mark {
    fn play(&self, _: &mut World, resources: &mut Resources, _: &mut Cast) {
        let mut plan = plan(resources);
        match self {
            Self::Next => plan.place = (plan.place + 1).min(PLACES - 1),
            Self::Second => plan.by_second = true,
        }
    }
}

/// What there is to do in the next execution: the edits at each place.
#[derive(Default)]
struct Plan {
    edits: [Vec<Step>; PLACES],
    by_second: bool,
    /// The place of the edits that follow.
    place: usize,
}

fn plan(resources: &Resources) -> impl DerefMut<Target = Plan> {
    resources.get_mut::<Plan>().expect("there is one")
}

/// Makes the edits of a place.
fn edit(place: usize, world: &mut World, resources: &mut Resources) {
    let steps = std::mem::take(&mut plan(resources).edits[place]);
    let mut cast = resources.remove::<Cast>().expect("there is one");
    steps.iter().for_each(|step| step.play(world, resources, &mut cast));
    resources.insert(cast);
}

/// A system that writes a component of the user's, and whose commands make the edits of a place.
fn system(place: usize) -> impl ParallelRunnable {
    SystemBuilder::new(format!("edits at place {place}"))
        .read_resource::<Plan>()
        .with_query(<&mut Health>::query())
        .build(move |commands, world, plan, health| {
            if plan.edits[place].len() % 2 == 1 {
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
    let bundle = bundle.before_composition(system(3)).before_propagation(system(4));
    Schedule::builder()
        .add_system(system(0))
        .flush()
        .add_thread_local_fn(|world, resources| edit(1, world, resources))
        .add_system(system(2))
        .add_transforms(bundle)
        .build()
}

/// Few enough that large archetypes have each of them.
const KINDS: [Kind; 15] = [
    Kind::LocalToWorld,
    Kind::LocalToParent,
    Kind::WorldToLocal,
    Kind::CompositeRotation,
    Kind::CompositeScale,
    Kind::ParentScaleInverse,
    Kind::Rotation,
    Kind::Scale,
    Kind::Inherits,
    Kind::Translation,
    Kind::NonUniformScale,
    Kind::RotationPivot,
    Kind::ScalePivot,
    Kind::RotationEulerXYZ,
    Kind::RotationEulerYZX,
];

/// What a test is about.
#[derive(Clone, Copy)]
struct Case {
    seed: u64,
    frames: usize,
    /// The most edits, runs and marks.
    length: usize,
    /// The most entities that come at once, and after which number no more come one by one.
    bulk: usize,
    most: usize,
    tracks: bool,
    doubts: bool,
}

impl Case {
    /// How many runs repair what is in doubt: in archetypes of up to 64 rows the first.
    fn repairs(self) -> usize {
        if self.doubts && self.most + self.bulk > 64 { 32 } else { 1 }
    }

    fn edits(self) -> Histories {
        // Runs come up 24 times as often as an edit of the test's own. There are to be more marks.
        let often =
            |edits: Histories, times, mark| (0..times).fold(edits, |it, _| it.edit(Just(mark)));
        let edits = often(often(edits(), 36, Mark::Next), 8, Mark::Second);
        let edits = if self.doubts { edits.doubt() } else { edits };
        edits
            .everything()
            .components(KINDS)
            .abuse()
            .values(Values::default().mirrors())
            .own((0..9_u32).prop_map(Health))
            .length(self.length)
            .bulk(self.bulk)
            .most(self.most)
    }

    /// Lives through the frames of a world. Returns how many. Where repairs take long, it rests
    /// after each sixth frame until all is repaired.
    fn live(self, history: &History) -> usize {
        let (mut world, mut resources) = (World::default(), Resources::default());
        resources.insert(Cast::default());
        resources.insert(Plan::default());
        let mut schedules = [schedule(self.tracks), schedule(self.tracks)];
        let (mut mirror, mut frame) = (ListMirror::default(), 0);
        history.follow(|step| {
            match step {
                Step::Run => {
                    frame += 1;
                    let runs = if frame % 6 == 0 { self.repairs() } else { 1 };
                    let schedule = &mut schedules[usize::from(plan(&resources).by_second)];
                    for run in 1..=runs {
                        schedule.execute(&mut world, &mut resources);
                        mirror.follow_in(&world, &resources, run == self.repairs());
                    }
                    if runs == self.repairs() {
                        assert_up_to_date(&world);
                    }
                    resources.insert(Plan::default());
                }
                Step::Own(mark) => mark.play(&mut world, &mut resources, &mut Cast::default()),
                step => {
                    let plan = &mut *plan(&resources);
                    plan.edits[plan.place].push(step.clone());
                }
            }
            true
        });
        frame
    }

    fn run(self) {
        let wanted = demand::soak(self.frames);
        let mut seed = demand::first_seed(self.seed);
        let frames = Cell::new(0);
        while frames.get() < wanted {
            let _repeats = demand::Repeats(seed);
            check_histories(demand::one_world(seed), self.edits(), |history| {
                frames.set(frames.get() + self.live(history));
                Ok(())
            });
            seed += 1;
        }
        println!("{} frames", frames.get());
    }
}

const LARGE: Case = Case {
    seed: 100,
    frames: 40,
    length: 400,
    bulk: 700,
    most: 2_000,
    tracks: true,
    doubts: false,
};

#[test]
fn everything_is_right_and_listed_after_each_run() {
    LARGE.run();
    Case { seed: 200, tracks: false, ..LARGE }.run();
}

#[test]
fn what_was_overwritten_is_right_and_listed_32_runs_later() {
    let case = Case { seed: 300, frames: 60, length: 800, doubts: true, ..LARGE };
    case.run();
    Case { seed: 401, tracks: false, ..case }.run();
}

#[test]
fn in_small_archetypes_it_is_right_at_once() {
    let case = Case { seed: 500, frames: 200, bulk: 4, most: 40, doubts: true, ..LARGE };
    case.run();
    Case { seed: 600, tracks: false, ..case }.run();
}
