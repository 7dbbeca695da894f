//! Your own systems, tried on random worlds.

use std::{
    cell::RefCell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use legion::{Resources, Schedule, World, storage::Component};
use legion_transform::{findings::Findings, prelude::*};
use proptest::test_runner::{Config, RngSeed, TestCaseResult, TestRunner};

use crate::{
    judge::{
        case::{Case, Judging, Property},
        seen::{Asked, Seen},
    },
    world::edits::{Histories, History},
};

/// The options that [`check_system`] gives proptest, also for properties of forests and components:
/// 256 cases, or what the environment variable `PROPTEST_CASES` says. The cases are the same on
/// each run, so that a test does not fail by chance after another change; `PROPTEST_RNG_SEED` asks
/// for others. What fails is shrunk by 16,384 tries at most, or as many as
/// `PROPTEST_MAX_SHRINK_ITERS` says. No file is written: a failing case prints as a program.
#[must_use]
pub fn config() -> Config {
    let config = Config { failure_persistence: None, ..Config::default() };
    let rng_seed = match config.rng_seed {
        RngSeed::Random => RngSeed::Fixed(0),
        fixed @ RngSeed::Fixed(_) => fixed,
    };
    let max_shrink_iters = match std::env::var_os("PROPTEST_MAX_SHRINK_ITERS") {
        Some(_) => config.max_shrink_iters,
        None => 16_384,
    };
    Config { rng_seed, max_shrink_iters, ..config }
}

/// A large world that fails is shrunk so often at most: each try takes a second or so.
const MOST_TRIES_OF_LARGE_ONES: u32 = 256;

/// How systems are checked: [`check_system`] with options.
#[derive(Clone)]
pub struct Check {
    config: Config,
    judging: Judging,
    resources: Arc<dyn Fn(&mut Resources)>,
}

impl Default for Check {
    fn default() -> Self {
        Self { config: config(), judging: Judging::default(), resources: Arc::new(|_| {}) }
    }
}

impl Check {
    /// So many random worlds.
    #[must_use]
    pub fn cases(mut self, cases: u32) -> Self {
        self.config.cases = cases;
        self
    }

    /// proptest's own options, instead of [`config`].
    #[must_use]
    pub fn config(self, config: Config) -> Self {
        Self { config, ..self }
    }

    /// As [`TransformSystemBundle::write_group`].
    #[must_use]
    pub fn write_group<Target: Component, Member: Component>(mut self) -> Self {
        self.judging.setup = self.judging.setup.write_group::<Target, Member>();
        self
    }

    /// As [`TransformSystemBundle::inherit`]: effective values are compared, too.
    #[must_use]
    pub fn inherit<P: Inherited<Value: std::fmt::Debug>>(mut self) -> Self {
        self.judging.setup = self.judging.setup.inherit::<P>();
        self
    }

    /// The schedule has no systems but the bundle: what it must make of a world is known before the
    /// run, users' matrices must stay as they are, what changes must show in versions, and a second
    /// run must write nothing.
    #[must_use]
    pub fn bundle_alone(mut self) -> Self {
        self.judging.bundle_alone = true;
        self
    }

    /// Each of [your own edits](Histories::edit) must keep what components mean: see
    /// [`Meaning`](crate::Meaning).
    ///
    /// ```
    /// use legion::*;
    /// use legion_transform::prelude::*;
    /// use legion_transform_testing::{Cast, Check, OwnEdit, edits};
    /// use proptest::prelude::*;
    ///
    /// /// One entity becomes twice as large.
    /// #[derive(Debug)]
    /// struct Grow(usize);
    ///
    /// impl OwnEdit for Grow {
    ///     fn play(&self, world: &mut World, _: &mut Resources, cast: &mut Cast) {
    ///         let entity = cast.pick(self.0).and_then(|entity| world.entry(entity));
    ///         let Some(mut entry) = entity else { return };
    ///         match entry.get_component_mut::<Scale>() {
    ///             Ok(scale) => *scale *= 2.0,
    ///             Err(_) => entry.add_component(Scale(2.0)), // not if it has a `NonUniformScale`
    ///         }
    ///     }
    /// }
    ///
    /// # let test = || {
    /// let bundle = TransformSystemBundle::default;
    /// Check::default().edits_keep_meaning().run(
    ///     edits().edit((0..12_usize).prop_map(Grow)),
    ///     || Schedule::builder().add_transforms(bundle()).build(),
    ///     |_, _| Ok(()),
    /// );
    /// # };
    /// # let panic = std::panic::catch_unwind(test).unwrap_err();
    /// # let text = panic.downcast_ref::<String>().unwrap();
    /// # assert!(text.contains("NonUniformScale, which had an effect, has no effect any more"));
    /// ```
    ///
    /// It fails: "NonUniformScale, which had an effect, has no effect any more".
    #[must_use]
    pub fn edits_keep_meaning(mut self) -> Self {
        self.judging.edits_keep_meaning = true;
        self
    }

    /// Puts resources in place, for each world before its first step: what systems ask for by
    /// `#[resource]`.
    ///
    /// ```
    /// use legion::*;
    /// use legion_transform::prelude::*;
    /// use legion_transform_testing::{Check, edits};
    ///
    /// struct Wind(f32);
    ///
    /// #[system(for_each)]
    /// fn drift(place: &mut Translation, #[resource] wind: &Wind) {
    ///     place.x += wind.0;
    /// }
    ///
    /// Check::default().resources(|resources| resources.insert(Wind(0.5))).run(
    ///     edits(),
    ///     || {
    ///         let bundle = TransformSystemBundle::default();
    ///         Schedule::builder().add_system(drift_system()).add_transforms(bundle).build()
    ///     },
    ///     |_, _| Ok(()),
    /// );
    /// ```
    #[must_use]
    pub fn resources(self, resources: impl Fn(&mut Resources) + 'static) -> Self {
        Self { resources: Arc::new(resources), ..self }
    }

    /// Each number of each component of the crate is finite after each run, as the numbers of
    /// [`edits`](crate::edits) are unless you ask for others. (A tween that divides by
    /// a duration of 0 is found.)
    #[must_use]
    pub fn stays_finite(mut self) -> Self {
        self.judging.stays_finite = true;
        self
    }

    /// Systems may write inputs that do not count where they are written, as `Rotation` beside
    /// Euler angles, which are the ones that count. By default that is a mistake.
    #[must_use]
    pub fn may_write_in_vain(mut self) -> Self {
        self.judging.may_write_in_vain = true;
        self
    }

    /// [`check_system`] with these options.
    ///
    /// # Panics
    ///
    /// With the shortest program that fails.
    #[track_caller]
    pub fn run(
        &self,
        edits: Histories,
        schedule: impl Fn() -> Schedule,
        property: impl Fn(&World, &mut Resources) -> TestCaseResult,
    ) -> Seen {
        self.run_by(edits, &schedule, &property)
    }

    /// The same, compiled once for all.
    #[track_caller]
    fn run_by(
        &self,
        edits: Histories,
        schedule: &dyn Fn() -> Schedule,
        property: &Property<'_>,
    ) -> Seen {
        let asked = Asked::by(schedule());
        self.try_empty_world(&asked, schedule);
        let seen = RefCell::new(Seen::default());
        let is_quiet = RefCell::new(true);
        let judge = |history: &History| {
            let resources = self.first_resources(*is_quiet.borrow());
            Case::new(&self.judging, schedule(), &seen).play(history, resources, property)
        };
        // The findings of the shortest program alone are printed, not those of all that are tried.
        let last = |history: &History| {
            *is_quiet.borrow_mut() = false;
            let _ = catch_unwind(AssertUnwindSafe(|| judge(history)));
        };
        let mut wanted = asked.components;
        wanted.extend(edits.named());
        let Config { cases, max_shrink_iters: tries, .. } = self.config;
        let large_tries = tries.min(MOST_TRIES_OF_LARGE_ONES);
        let (crowds, large) = (edits.crowds(), edits.large());
        let passes = [
            (Some(edits), cases, tries),
            (crowds, cases.div_ceil(4), tries),
            (large, cases.min(1), large_tries),
        ];
        for (edits, cases, max_shrink_iters) in passes {
            let config = Config { cases, max_shrink_iters, ..self.config.clone() };
            edits.into_iter().for_each(|edits| check(config.clone(), edits, &judge, &last));
        }
        let seen = seen.into_inner();
        seen.assert_all(&wanted);
        seen
    }

    fn first_resources(&self, is_quiet: bool) -> Resources {
        let mut resources = Resources::default();
        if is_quiet {
            resources.insert(Findings::not_printed());
        }
        (self.resources)(&mut resources);
        resources
    }

    /// Whether the schedule runs at all: without a resource it does not, on any world.
    #[track_caller]
    fn try_empty_world(&self, asked: &Asked, schedule: &dyn Fn() -> Schedule) {
        let run = || schedule().execute(&mut World::default(), &mut self.first_resources(true));
        let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else { return };
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        let asked: Vec<&str> = asked.resources.iter().map(String::as_str).collect();
        panic!(
            "the schedule does not run on an empty world: {text}. Its systems ask for the \
             resources {asked:?}: put them there by `Check::resources(|resources| ..)`"
        );
    }
}

/// Plays random histories by your own judge: [`check_system`] without the kit's.
///
/// ```
/// use legion::*;
/// use legion_transform_testing::{check_histories, config, edits};
///
/// check_histories(config(), edits(), |history| {
///     let (mut world, mut resources) = (World::default(), Resources::default());
///     history.play(&mut world, &mut resources, |world, _| {
///         assert!(world.len() <= 36, "12 in the beginning, and 24 edits");
///         true
///     });
///     Ok(())
/// });
/// ```
///
/// # Panics
///
/// With the shortest program that fails.
#[track_caller]
pub fn check_histories(
    config: Config,
    edits: Histories,
    judge: impl Fn(&History) -> TestCaseResult,
) {
    check(config, edits, &judge, &|_| {});
}

/// The same. `last` gets the shortest history that fails.
#[track_caller]
#[cfg(not(target_family = "wasm"))]
fn check(
    config: Config,
    edits: Histories,
    judge: &dyn Fn(&History) -> TestCaseResult,
    last: &dyn Fn(&History),
) {
    use proptest::test_runner::TestError;

    match TestRunner::new(config).run(&edits, |history| judge(&history)) {
        Ok(()) => {}
        Err(TestError::Fail(reason, history)) => {
            last(&history);
            panic!("{}\nafter\n{history:?}", reason.message());
        }
        Err(TestError::Abort(reason)) => panic!("no cases: {}", reason.message()),
    }
}

/// The same on WebAssembly, where a failing history does not shrink.
#[track_caller]
#[cfg(target_family = "wasm")]
fn check(
    config: Config,
    edits: Histories,
    judge: &dyn Fn(&History) -> TestCaseResult,
    last: &dyn Fn(&History),
) {
    let mut runner = TestRunner::new(config.clone());
    for _ in 0..config.cases {
        let history = edits.sample(&mut runner);
        if let Err(error) = judge(&history) {
            last(&history);
            panic!("{error}\nafter\n{history:?}");
        }
    }
}

/// Plays random worlds, with the edits and runs of `edits`, through your own schedule that has
/// the [`TransformSystemBundle`] in it. After each run the world must be what its inputs say (as
/// [`assert_up_to_date`](crate::assert_up_to_date)), the list of changes, if the bundle makes one,
/// must be complete (as [`ListMirror`](crate::ListMirror)) and a
/// [`Smooth`](legion_transform::smooth::Smooth) that follows it must know both ticks, and
/// `property` must hold. What a property wants to remember from run to run it keeps in the
/// resources.
///
/// A property may panic (`assert!`) or return an error (`prop_assert!`).
///
/// After the 256 worlds come 64 *crowds*: from 4 to 70 entities that all have the same components,
/// because four rows at a time are computed otherwise than one. And one large world comes, of 9,000
/// entities: threads, sectors and copies of inputs are for these. [`start`](Histories::start) and
/// [`most`](Histories::most) can forbid both.
///
/// Returns what it has [seen](Seen). Each component that your own system asks for, and each that
/// [`components`](Histories::components) names, must be among it: else nothing was tested. (A
/// function that gets the whole world asks for none.)
///
/// # Panics
///
/// With the shortest program that fails, ready to be pasted into a test: see
/// [`examples`](crate::examples).
#[track_caller]
pub fn check_system(
    edits: Histories,
    schedule: impl Fn() -> Schedule,
    property: impl Fn(&World, &mut Resources) -> TestCaseResult,
) -> Seen {
    Check::default().run(edits, schedule, property)
}
