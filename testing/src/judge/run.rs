//! What a run must make of a world, and what it must leave alone.
//!
//! The judge looks at the world before and after a run. It derives the structure from nothing but
//! the components before the run; it requires of every value after the run that it follows, within
//! `f32` rounding, from the values it is made of, which (no value being made of itself) leaves one
//! result only. What a run remembers of earlier ones is kept here too.
//!
//! [`Reference`](crate::Reference) computes a world from its inputs alone, so that its bounds grow
//! with the depth. The judge sees more: an error of one rounding 1,000 links down; that the same
//! bits in come out as the same bits, in each world and archetype; what systems of the user's write
//! between composition and propagation; findings, versions, and the order of `Children`. Both have
//! the same rules, formulas, links, groups and bounds.

use std::collections::HashMap;

use legion::{Entity, Resources, World};
use legion_transform::{
    findings::{Finding, FindingKind},
    frames::Origin,
};

use crate::{
    judge::{
        findings::{self, Expected, check_findings, findings},
        relations,
        steps::Rule,
        values::check_value,
        versions::check_versions,
    },
    kind::{Kind, Numbers},
    reference::{
        groups::Writer,
        inverse::Inverse,
        known::{Derived, Standing},
        links::Links,
        setup::Setup,
    },
    snapshot::{Row, Snapshot, same_bits},
};

/// The judge of the runs of one world: relations, values, findings and versions.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
/// use legion_transform_testing::{RunJudge, Setup};
///
/// let (mut world, mut resources) = (World::default(), Resources::default());
/// let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
/// let mut judge = RunJudge::new(Setup::default(), &[]);
/// let hand = world.push_transform((Translation::new(1.0, 0.0, 0.0),));
/// judge.run(&mut world, &mut resources, true, |world, resources| {
///     schedule.execute(world, resources);
/// });
/// assert_eq!(judge.last.get(hand).unwrap().archetype, 0);
/// ```
#[derive(Clone, Default)]
pub struct RunJudge {
    setup: Setup,
    /// Components of the user's, which are read, too.
    own: Vec<Kind>,
    /// The world after the last run.
    pub last: Snapshot,
    /// The `ParentScaleInverse` values that the bundle wrote; a value that differs is the user's.
    pub(crate) written: HashMap<Entity, Numbers>,
    /// Values that the bundle wrote before a user's component stopped it: no rule says whose they
    /// are then.
    disputed: HashMap<Entity, Numbers>,
    /// What came out of which bits, so far: the same must always come out.
    results: HashMap<Vec<u32>, Numbers>,
    /// Who hung off whom in the last run.
    pub links: Links,
}

/// One value, before a run and after it.
#[derive(Clone, Copy)]
struct Value<'a> {
    row: &'a Row,
    kind: Kind,
    was: &'a Numbers,
    now: &'a Numbers,
}

impl RunJudge {
    /// For worlds of a bundle with these options, and `own` components of the user's.
    #[must_use]
    pub fn new(setup: Setup, own: &[Kind]) -> Self {
        Self { setup, own: own.to_vec(), ..Self::default() }
    }

    /// Runs a world and judges what came of it. `in_order`: children that stay keep their order,
    /// in front. Those that go and come back by edits of the crate's, before the run, are the last
    /// ones.
    ///
    /// # Panics
    ///
    /// With the first thing that is not as it must be.
    #[track_caller]
    pub fn run(
        &mut self,
        world: &mut World,
        resources: &mut Resources,
        in_order: bool,
        execute: impl FnOnce(&mut World, &mut Resources),
    ) {
        let before = Snapshot::with(world, &self.own);
        let origin = resources.get::<Origin>().map(|origin| origin.0);
        execute(world, resources);
        let after = Snapshot::with(world, &self.own);
        self.setup.origin = origin;
        self.judge(&before, after, in_order, &findings(world, resources));
    }

    /// Runs it once more: nothing may change and no version may move, whatever the world is.
    ///
    /// # Panics
    ///
    /// With the first thing that is not as it must be.
    #[track_caller]
    pub fn run_again(
        &mut self,
        world: &mut World,
        resources: &mut Resources,
        execute: impl FnOnce(&mut World, &mut Resources),
    ) {
        let mut standing = findings(world, resources);
        standing.retain(|finding| !finding.kind.is_repaired());
        self.run(world, resources, true, execute);
        let now = findings(world, resources);
        assert_eq!(now, standing, "standing findings last, repaired ones do not");
    }

    #[track_caller]
    pub(crate) fn judge(
        &mut self,
        before: &Snapshot,
        after: Snapshot,
        in_order: bool,
        findings: &[Finding],
    ) {
        self.links = Links::of(before);
        relations::check_all(&self.links, before, &after, in_order);
        let mut expected = findings::expected(&self.links, &after);
        for row in &after.rows {
            let old = before.get(row.entity).expect("a run does not spawn");
            for (kind, now) in &row.numbers {
                let was = old.get(*kind).expect("checked");
                let value = Value { row, kind: *kind, was, now };
                expected.extend(self.check_value(&after, value, findings));
            }
        }
        check_findings(findings, &expected);
        check_versions(&self.setup.systems, &self.last, before, &after);
        self.last = after;
    }

    /// Judges a value, and says which finding it makes.
    #[track_caller]
    fn check_value(
        &mut self,
        after: &Snapshot,
        value: Value<'_>,
        findings: &[Finding],
    ) -> Option<Expected> {
        let Value { row, kind, was, now } = value;
        let standing = Standing { setup: &self.setup, links: &self.links, all: after };
        let rule = standing.rule(row, kind);
        if kind == Kind::ParentScaleInverse && rule.value.is_none() {
            let stopped = self.setup.groups.stopped(Writer::ParentScaleInverse, after, row);
            self.check_left_alone_scale(value, stopped);
            return None;
        }
        if !row.has(Kind::LocalToWorld) && same_bits(was, now) {
            return None; // not a transform: whether it is derived is open
        }
        let expected = rule.value.unwrap_or(Derived::Kept(*was));
        let result = check_value(&self.links, row, kind, &expected, now);
        result.unwrap_or_else(|mismatch| panic!("{mismatch}"));
        let finding = match expected {
            Derived::InverseOf(inverse) => self.found(inverse, value, findings),
            _ => None,
        };
        if kind == Kind::ParentScaleInverse {
            self.written.insert(row.entity, *now);
            self.disputed.remove(&row.entity);
        }
        self.check_repeatable(rule, value);
        finding
    }

    /// `ParentScaleInverse` on an entity without a parent, below one that has no scale, or taken
    /// over by the user.
    #[track_caller]
    fn check_left_alone_scale(&mut self, value: Value<'_>, stopped: bool) {
        let Value { row: Row { entity, .. }, was, now, .. } = value;
        let linked = self.links.linked.contains_key(entity);
        let holds = |values: &HashMap<_, Numbers>| {
            values.get(entity).is_some_and(|value| same_bits(value, was))
        };
        if !linked || stopped {
            assert!(same_bits(was, now), "ParentScaleInverse of {entity:?} is the user's");
            if stopped && let Some(value) = self.written.remove(entity) {
                self.disputed.insert(*entity, value);
            }
        } else if holds(&self.written) {
            assert!(
                is_identity(now),
                "ParentScaleInverse of {entity:?} was written by the bundle and lost its source: \
                 {now:?}"
            );
            self.written.remove(entity);
        } else {
            let disputed = holds(&self.disputed) && is_identity(now);
            assert!(
                same_bits(was, now) || disputed,
                "ParentScaleInverse of {entity:?} was written by the user"
            );
            self.disputed.remove(entity);
        }
    }

    #[track_caller]
    fn check_repeatable(&mut self, rule: Rule, value: Value<'_>) {
        if rule.key.is_empty() {
            return;
        }
        let Value { row, kind, now, .. } = value;
        let known = self.results.entry(rule.key).or_insert(*now);
        let has = row.numbers.iter().map(|(kind, _)| *kind).collect::<Vec<_>>();
        assert!(
            same_bits(known, now),
            "{kind:?} of {:?}, which has {has:?}, came out as {now:?}, and of the same inputs \
             as {known:?} before",
            row.entity
        );
    }

    /// The finding that an inverse makes.
    #[track_caller]
    fn found(
        &self,
        inverse: Inverse,
        Value { row, kind, now, .. }: Value<'_>,
        findings: &[Finding],
    ) -> Option<Expected> {
        let entity = row.entity;
        let finding = match kind {
            Kind::ParentScaleInverse => {
                let parent = self.links.linked[&entity];
                Finding::new(FindingKind::ScaleWithoutInverse, entity, Some(parent))
            }
            _ => Finding::new(FindingKind::WorldWithoutInverse, entity, None),
        };
        let required = match inverse {
            Inverse::Finite(_) => return None,
            Inverse::None => true,
            Inverse::Unclear => false,
        };
        assert!(
            !findings.contains(&finding) || is_identity(now),
            "{kind:?} of {entity:?} is {now:?} although a finding says that there is no inverse"
        );
        Some(Expected { finding, required })
    }
}

/// Whether a value is the identity matrix.
fn is_identity(numbers: &Numbers) -> bool {
    same_bits(numbers, &Kind::LocalToWorld.identity())
}
