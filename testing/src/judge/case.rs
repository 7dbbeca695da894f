//! One random world, played through a schedule and judged after each run.

use std::cell::RefCell;

use legion::{Resources, Schedule, World};
use proptest::test_runner::{TestCaseError, TestCaseResult};

use crate::{
    judge::{
        findings::findings, idle::assert_nothing_rewritten, list_mirror::ListMirror,
        meaning::Meaning, mismatch::Mismatch, run::RunJudge, seen::Seen, smooth::SmoothMirror,
        spy::Spies,
    },
    kind::Numbers,
    reference::{Reference, setup::Setup},
    snapshot::Snapshot,
    world::edits::{Cast, History, Step},
};

/// How a world is judged: the options of [`Check`](crate::Check) of these names.
#[derive(Clone, Default)]
pub(crate) struct Judging {
    pub setup: Setup,
    pub bundle_alone: bool,
    pub edits_keep_meaning: bool,
    pub stays_finite: bool,
    pub may_write_in_vain: bool,
}

/// What must hold after each run.
pub(crate) type Property<'a> = dyn Fn(&World, &mut Resources) -> TestCaseResult + 'a;

/// One world.
pub(crate) struct Case<'a> {
    judging: &'a Judging,
    schedule: Schedule,
    spies: Spies,
    mirror: ListMirror,
    smooth: SmoothMirror,
    judge: RunJudge,
    /// Whether edits of your own came since the last run.
    is_edited: bool,
    seen: &'a RefCell<Seen>,
}

impl<'a> Case<'a> {
    pub fn new(judging: &'a Judging, schedule: Schedule, seen: &'a RefCell<Seen>) -> Self {
        let spies = Spies::default();
        let schedule = match judging.bundle_alone || judging.may_write_in_vain {
            true => schedule,
            false => spies.between(schedule, &judging.setup),
        };
        let judge = RunJudge::new(judging.setup.clone(), &[]);
        let (mirror, smooth, is_edited) = Default::default();
        Self { judging, schedule, spies, mirror, smooth, judge, is_edited, seen }
    }

    pub fn play(
        mut self,
        history: &History,
        mut resources: Resources,
        property: &Property<'_>,
    ) -> TestCaseResult {
        let mut world = World::default();
        let (mut cast, mut result) = (Cast::default(), Ok(()));
        self.seen.borrow_mut().worlds += 1;
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
        &mut self,
        step: &Step,
        world: &mut World,
        resources: &mut Resources,
        cast: &mut Cast,
    ) -> TestCaseResult {
        self.seen.borrow_mut().edits += 1;
        let is_own = matches!(step, Step::Own(_));
        self.is_edited |= is_own;
        let is_asked = self.judging.edits_keep_meaning && is_own;
        let before = is_asked.then(|| Meaning::of(world, &self.judging.setup));
        step.play(world, resources, cast);
        let kept = before.map_or(Ok(()), |before| before.check(world));
        kept.map_err(|lost| TestCaseError::fail(lost.to_string()))
    }

    fn run(&mut self, world: &mut World, resources: &mut Resources) -> TestCaseResult {
        let fail = |mismatch: Box<Mismatch>| TestCaseError::fail(mismatch.to_string());
        let setup = &self.judging.setup;
        let is_alone = self.judging.bundle_alone;
        let before = is_alone
            .then(|| Reference::next(Snapshot::of(world), setup, self.judge.written.clone()));
        self.schedule.execute(world, resources);
        self.seen.borrow_mut().count(world);
        if let Some(mistake) = self.spies.mistake() {
            return Err(TestCaseError::fail(mistake));
        }
        let reference = before.unwrap_or_else(|| Reference::with(world, setup));
        let after =
            if is_alone { Snapshot::of(world) } else { Snapshot::without_versions(world, &[]) };
        reference.check_after(world, &after).map_err(fail)?;
        if self.judging.stays_finite {
            is_finite(&reference.snapshot)?;
        }
        self.follow_changes(world, resources);
        if is_alone {
            let in_order = !std::mem::take(&mut self.is_edited);
            let findings = findings(world, resources);
            self.judge.judge(&reference.snapshot, after, in_order, &findings);
            self.schedule.execute(world, resources);
            assert_nothing_rewritten(&self.judge.last, &Snapshot::of(world));
            self.follow_changes(world, resources);
        }
        Ok(())
    }

    /// Judges the list of changes, if there is one, and what follows it.
    fn follow_changes(&mut self, world: &World, resources: &Resources) {
        self.mirror.follow(world, resources);
        self.smooth.follow(world, resources);
    }
}

/// Whether all numbers of a world are finite.
fn is_finite(world: &Snapshot) -> TestCaseResult {
    for row in &world.rows {
        let is_odd = |(_, numbers): &&(_, Numbers)| numbers.iter().any(|x| !x.is_finite());
        if let Some((kind, numbers)) = row.numbers.iter().find(is_odd) {
            let text = format!("{kind:?} of {:?} is not finite: {numbers:?}", row.entity);
            return Err(TestCaseError::fail(text));
        }
    }
    Ok(())
}
