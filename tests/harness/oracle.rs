//! What a run must make of a world, and what it must leave alone.
//!
//! The oracle looks at the world before and after a run. It derives the structure from nothing but
//! the components before the run; it requires of every value after the run that it follows, within
//! `f32` rounding, from the values it is made of, which (no value being made of itself) leaves one
//! result only. What a run remembers of earlier ones is kept here too.
//!
//! `legion_transform_testing`'s `Reference` computes a world from its inputs alone, so that its
//! bounds grow with the depth. It cannot take the place of the oracle, which sees more: an error of
//! one rounding 1,000 links down; that the same bits in come out as the same bits, in each world
//! and archetype; what systems of the user's write between composition and propagation; findings,
//! versions, and the order of `Children`. Rules, formulas, links, groups, bounds are those of the
//! kit, which are held against answers worked out by hand (`testing/tests/known_answers.rs`).

use std::collections::HashMap;

use legion::Entity;
use legion_transform::{
    findings::{Finding, FindingKind},
    frames::Origin,
};
use legion_transform_testing::{
    Bounded, Derived, Kind, Numbers,
    formulas::rotation,
    groups::{Groups, Writer},
    inverse::Inverse,
    links::Links,
    snapshot::{Row, Snapshot, matrix32, same_bits},
};

use super::{
    structure::{self, Expected, check_findings},
    test_world::TestWorld,
    user::snapshot,
    values::{Rule, Rules, is_identity},
    versions::check_versions,
};

/// The judge of one world.
#[derive(Default)]
pub struct Oracle {
    groups: Groups,
    /// The world after the last run.
    pub last: Snapshot,
    /// The `ParentScaleInverse` values that the bundle wrote; a value that differs is the user's.
    written: HashMap<Entity, Numbers>,
    /// Values that the bundle wrote before a user's component stopped it: no rule says whose they
    /// are then.
    disputed: HashMap<Entity, Numbers>,
    /// What came out of which bits, so far: the same must always come out.
    results: HashMap<Vec<u32>, Numbers>,
    pub links: Links,
    /// From where the world is seen in the last run.
    origin: Option<Entity>,
}

impl Oracle {
    pub fn new(groups: Groups) -> Self {
        Self { groups, ..Self::default() }
    }

    /// Runs the schedule and judges what came of it.
    pub fn run(&mut self, test: &mut TestWorld) {
        let before = snapshot(&test.world);
        self.origin = test.resources.get::<Origin>().map(|origin| origin.0);
        let is_edited = test.is_edited;
        test.run();
        let after = snapshot(&test.world);
        self.judge(&before, after, is_edited, &test.findings());
    }

    /// Runs the schedule once more: nothing may change and no version may be bumped, whatever the
    /// world is.
    pub fn run_again(&mut self, test: &mut TestWorld) {
        let standing: Vec<_> =
            test.findings().into_iter().filter(|finding| !finding.kind.is_repaired()).collect();
        self.run(test);
        assert_eq!(test.findings(), standing, "standing findings last, repaired ones do not");
    }

    fn judge(&mut self, before: &Snapshot, after: Snapshot, is_edited: bool, findings: &[Finding]) {
        self.links = Links::of(before);
        structure::check(&self.links, before, &after, (!is_edited).then_some(&self.last));
        let mut expected = structure::findings(&self.links, &after);
        for row in &after.rows {
            let old = before.get(row.entity).expect("a run does not spawn");
            self.check_presence(old, row);
            for (kind, now) in &row.numbers {
                let was = old.get(*kind).expect("checked");
                self.check_value(&after, row, *kind, was, now, findings, &mut expected);
            }
        }
        check_findings(findings, &expected);
        check_versions(&self.last, before, &after);
        self.last = after;
    }

    /// A run adds and removes none of these components, but for the `LocalToParent` of those it
    /// makes roots.
    fn check_presence(&self, old: &Row, row: &Row) {
        let repaired = self.links.repaired.contains_key(&row.entity);
        let kept = old
            .numbers
            .iter()
            .map(|(kind, _)| *kind)
            .filter(|kind| !(repaired && *kind == Kind::LocalToParent));
        let now = row.numbers.iter().map(|(kind, _)| *kind);
        assert!(
            kept.clone().eq(now.clone()),
            "components of {:?}: {:?}, then {:?}",
            row.entity,
            kept,
            now
        );
    }

    #[allow(clippy::too_many_arguments)] // all of them are the circumstances of one value
    fn check_value(
        &mut self,
        after: &Snapshot,
        row: &Row,
        kind: Kind,
        was: &Numbers,
        now: &Numbers,
        findings: &[Finding],
        expected: &mut Vec<Expected>,
    ) {
        let rules = Rules { groups: &self.groups, links: &self.links, after, origin: self.origin };
        let rule = rules.rule(row, kind);
        if kind == Kind::ParentScaleInverse && rule.value.is_none() {
            let stopped = self.groups.stopped(Writer::ParentScaleInverse, after, row);
            return self.check_left_alone_scale(row, was, now, stopped);
        }
        if !row.has(Kind::LocalToWorld) && same_bits(was, now) {
            return; // not a transform: whether it is derived is open
        }
        let place = || format!("{kind:?} of {:?}, which has {:?}", row.entity, names(row));
        match rule.value {
            None => assert!(
                same_bits(was, now),
                "{} was the user's {was:?} and became {now:?}",
                place()
            ),
            Some(Derived::Kept(numbers)) => {
                assert!(same_bits(&numbers, now), "{} is {now:?} and must be {numbers:?}", place());
            }
            Some(Derived::Near(bounded)) => {
                let mismatch = mismatch(kind, &bounded, now);
                assert!(mismatch.is_none(), "{}: {}", place(), mismatch.unwrap_or_default());
            }
            Some(Derived::InverseOf(inverse)) => {
                let related =
                    (kind == Kind::ParentScaleInverse).then(|| self.links.linked[&row.entity]);
                let finding = Finding::new(finding_of(kind), row.entity, related);
                expected.extend(check_inverse(inverse, now, finding, findings, &place));
            }
        }
        if kind == Kind::ParentScaleInverse {
            self.written.insert(row.entity, *now);
            self.disputed.remove(&row.entity);
        }
        self.check_repeatable(rule, now, &place);
    }

    /// `ParentScaleInverse` on an entity without a parent, below one that has no scale, or taken
    /// over by the user.
    fn check_left_alone_scale(&mut self, row: &Row, was: &Numbers, now: &Numbers, stopped: bool) {
        let entity = row.entity;
        let linked = self.links.linked.contains_key(&entity);
        let holds = |values: &HashMap<_, Numbers>| {
            values.get(&entity).is_some_and(|value| same_bits(value, was))
        };
        if !linked || stopped {
            assert!(same_bits(was, now), "ParentScaleInverse of {entity:?} is the user's");
            if stopped && let Some(value) = self.written.remove(&entity) {
                self.disputed.insert(entity, value);
            }
        } else if holds(&self.written) {
            assert!(
                is_identity(now),
                "ParentScaleInverse of {entity:?} was written by the bundle and lost its source: \
                 {now:?}"
            );
            self.written.remove(&entity);
        } else {
            let disputed = holds(&self.disputed) && is_identity(now);
            assert!(
                same_bits(was, now) || disputed,
                "ParentScaleInverse of {entity:?} was written by the user"
            );
            self.disputed.remove(&entity);
        }
    }

    fn check_repeatable(&mut self, rule: Rule, now: &Numbers, place: &dyn Fn() -> String) {
        if rule.key.is_empty() {
            return;
        }
        let known = self.results.entry(rule.key).or_insert(*now);
        assert!(
            same_bits(known, now),
            "{} came out as {now:?}, and of the same inputs as {known:?} before",
            place()
        );
    }
}

fn names(row: &Row) -> Vec<Kind> {
    row.numbers.iter().map(|(kind, _)| *kind).collect()
}

fn finding_of(kind: Kind) -> FindingKind {
    if kind == Kind::ParentScaleInverse {
        FindingKind::ScaleWithoutInverse
    } else {
        FindingKind::WorldWithoutInverse
    }
}

/// Compares a matrix, or the rotation of a quaternion (whose sign does not matter).
pub fn mismatch(kind: Kind, expected: &Bounded, now: &Numbers) -> Option<String> {
    if matches!(kind, Kind::Rotation | Kind::PostRotation) {
        let length = now[..4].iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
        if (length - 1.0).abs() > 1e-5 {
            return Some(format!("the quaternion {:?} has length {length}", &now[..4]));
        }
        let actual = rotation([now[0].into(), now[1].into(), now[2].into(), now[3].into()]);
        return expected.mismatch(&actual.value.cast::<f32>());
    }
    expected.mismatch(&matrix32(now))
}

/// Judges an inverse, and says which finding it makes.
fn check_inverse(
    inverse: Inverse,
    now: &Numbers,
    finding: Finding,
    findings: &[Finding],
    place: &dyn Fn() -> String,
) -> Option<Expected> {
    assert!(now.iter().all(|x| x.is_finite()), "{} is not finite: {now:?}", place());
    match inverse {
        Inverse::Finite(bounded) => {
            let mismatch = mismatch(Kind::WorldToLocal, &bounded, now);
            assert!(mismatch.is_none(), "{}: {}", place(), mismatch.unwrap_or_default());
            None
        }
        Inverse::None => {
            assert!(is_identity(now), "{} inverts what has no inverse: {now:?}", place());
            Some(Expected { finding, required: true })
        }
        Inverse::Unclear => {
            let found = findings.contains(&finding);
            assert!(
                !found || is_identity(now),
                "{} is {now:?} although a finding says that there is no inverse",
                place()
            );
            Some(Expected { finding, required: false })
        }
    }
}
