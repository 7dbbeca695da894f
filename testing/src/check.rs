//! Systems of yours, tried on random worlds.

use std::collections::HashMap;

use legion::{Resources, Schedule, World, storage::Component};
use legion_transform::{TransformChanges, prelude::*};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestCaseResult, TestRunner};

use crate::{
    edits::{Cast, Edits, History, Step},
    idle::{assert_nothing_rewritten, assert_versions_moved},
    list_mirror::ListMirror,
    meaning::Meaning,
    reference::{Reference, Setup},
    snapshot::Snapshot,
};

/// The options that [`check_system`] gives proptest, also for properties of forests and components:
/// 256 cases, or what the environment variable `PROPTEST_CASES` says. The cases are the same on
/// each run, so that a test does not fail by chance after another change; `PROPTEST_RNG_SEED` asks
/// for others. No file is written: a failing case prints as a program.
#[must_use]
pub fn config() -> Config {
    let config = Config { failure_persistence: None, ..Config::default() };
    let rng_seed = match config.rng_seed {
        RngSeed::Random => RngSeed::Fixed(0),
        fixed @ RngSeed::Fixed(_) => fixed,
    };
    Config { rng_seed, max_shrink_iters: 16_384, ..config }
}

/// How systems are checked: [`check_system`] with options.
#[derive(Clone)]
pub struct Check {
    config: Config,
    setup: Setup,
    bundle_alone: bool,
    edits_keep_meaning: bool,
}

impl Default for Check {
    fn default() -> Self {
        Self {
            config: config(),
            setup: Setup::default(),
            bundle_alone: false,
            edits_keep_meaning: false,
        }
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
    pub fn write_group<Target: Component, Member: Component>(self) -> Self {
        Self { setup: self.setup.write_group::<Target, Member>(), ..self }
    }

    /// As [`TransformSystemBundle::inherit`]: effective values are compared, too.
    #[must_use]
    pub fn inherit<P: Inherited<Value: std::fmt::Debug>>(self) -> Self {
        Self { setup: self.setup.inherit::<P>(), ..self }
    }

    /// The schedule has no systems but the bundle: what it must make of a world is known before the
    /// run, users' matrices must stay as they are, what changes must show in versions, and a second
    /// run must write nothing.
    #[must_use]
    pub fn bundle_alone(self) -> Self {
        Self { bundle_alone: true, ..self }
    }

    /// Each of [your own edits](Edits::edit) must keep what components mean: see [`Meaning`].
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
    pub fn edits_keep_meaning(self) -> Self {
        Self { edits_keep_meaning: true, ..self }
    }

    /// [`check_system`] with these options.
    ///
    /// # Panics
    ///
    /// With the shortest program that fails.
    #[track_caller]
    pub fn run(
        &self,
        edits: Edits,
        schedule: impl Fn() -> Schedule,
        property: impl Fn(&World, &mut Resources) -> TestCaseResult,
    ) {
        check_histories(self.config.clone(), edits, |history| {
            Case::new(self, schedule()).play(history, &property)
        });
    }
}

/// Plays random histories by a judge of yours: [`check_system`] without the kit's.
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
#[cfg(not(target_family = "wasm"))]
pub fn check_histories(config: Config, edits: Edits, judge: impl Fn(&History) -> TestCaseResult) {
    use proptest::test_runner::TestError;

    match TestRunner::new(config).run(&edits, |history| judge(&history)) {
        Ok(()) => {}
        Err(TestError::Fail(reason, history)) => {
            panic!("{}\nafter\n{history:?}", reason.message());
        }
        Err(TestError::Abort(reason)) => panic!("no cases: {}", reason.message()),
    }
}

/// Plays random histories by a judge of yours. On WebAssembly a failing one does not shrink.
///
/// # Panics
///
/// With the program that fails.
#[track_caller]
#[cfg(target_family = "wasm")]
pub fn check_histories(config: Config, edits: Edits, judge: impl Fn(&History) -> TestCaseResult) {
    let mut runner = TestRunner::new(config.clone());
    for _ in 0..config.cases {
        let history = edits.sample(&mut runner);
        if let Err(error) = judge(&history) {
            panic!("{error}\nafter\n{history:?}");
        }
    }
}

/// Plays random worlds, with the edits and runs of `edits`, through a schedule of yours that has
/// the [`TransformSystemBundle`] in it. After each run the world must be what its inputs say (as
/// [`assert_up_to_date`](crate::assert_up_to_date)), the list of changes, if the bundle makes one,
/// must be complete (as [`ListMirror`]), and `property` must hold. What a property wants to
/// remember from run to run it keeps in the resources.
///
/// A property may panic (`assert!`) or return an error (`prop_assert!`).
///
/// # Panics
///
/// With the shortest program that fails, ready to be pasted into a test: see
/// [`examples`](crate::examples).
#[track_caller]
pub fn check_system(
    edits: Edits,
    schedule: impl Fn() -> Schedule,
    property: impl Fn(&World, &mut Resources) -> TestCaseResult,
) {
    Check::default().run(edits, schedule, property);
}

/// One world.
struct Case<'a> {
    check: &'a Check,
    schedule: Schedule,
    mirror: ListMirror,
    /// The `ParentScaleInverse` that the bundle has written.
    written: HashMap<legion::Entity, crate::kind::Numbers>,
}

impl<'a> Case<'a> {
    fn new(check: &'a Check, schedule: Schedule) -> Self {
        Self { check, schedule, mirror: ListMirror::default(), written: HashMap::new() }
    }

    fn play(
        mut self,
        history: &History,
        property: &impl Fn(&World, &mut Resources) -> TestCaseResult,
    ) -> TestCaseResult {
        let (mut world, mut resources) = (World::default(), Resources::default());
        let (mut cast, mut result) = (Cast::default(), Ok(()));
        history.follow(|step| {
            result = match step {
                Step::Run => self
                    .run(&mut world, &mut resources)
                    .and_then(|()| property(&world, &mut resources)),
                step => self.edit(step, &mut world, &mut resources, &mut cast),
            };
            result.is_ok()
        });
        result
    }

    fn edit(
        &self,
        step: &Step,
        world: &mut World,
        resources: &mut Resources,
        cast: &mut Cast,
    ) -> TestCaseResult {
        let is_asked = self.check.edits_keep_meaning && matches!(step, Step::Own(_));
        let before = is_asked.then(|| Meaning::of(world, &self.check.setup));
        step.play(world, resources, cast);
        let kept = before.map_or(Ok(()), |before| before.check(world));
        kept.map_err(|lost| TestCaseError::fail(lost.to_string()))
    }

    fn run(&mut self, world: &mut World, resources: &mut Resources) -> TestCaseResult {
        let fail = |mismatch: Box<crate::Mismatch>| TestCaseError::fail(mismatch.to_string());
        let setup = &self.check.setup;
        let written = std::mem::take(&mut self.written);
        let before =
            self.check.bundle_alone.then(|| Reference::next(Snapshot::of(world), setup, written));
        self.schedule.execute(world, resources);
        let reference = before.unwrap_or_else(|| Reference::with(world, setup));
        reference.check(world).map_err(fail)?;
        if resources.contains::<TransformChanges>() {
            self.mirror.follow(world, resources);
        }
        if self.check.bundle_alone {
            let after = Snapshot::of(world);
            assert_versions_moved(&reference.snapshot, &after);
            self.written = reference.scales_written(&after);
            self.schedule.execute(world, resources);
            assert_nothing_rewritten(&after, &Snapshot::of(world));
            if resources.contains::<TransformChanges>() {
                self.mirror.follow(world, resources);
            }
        }
        Ok(())
    }
}
