//! What a run must find, and what it may find.

use std::collections::HashSet;

use legion::{Entity, Resources, World};
use legion_transform::findings::{Finding, FindingKind, Findings};

use crate::{
    kind::{Kind, POST_ROTATION_EULERS, ROTATION_EULERS},
    reference::{groups::LOCAL, links::Links},
    snapshot::{Row, Snapshot},
};

/// The findings of a world, after a run. What runs of debug builds alone look for is looked for in
/// release builds here.
///
/// # Panics
///
/// If no bundle has run with these resources.
#[must_use]
pub fn findings(world: &World, resources: &Resources) -> Vec<Finding> {
    let findings = resources.get::<Findings>().expect("the bundle inserts its findings");
    let mut all: Vec<_> = findings.of(world).collect();
    if !cfg!(debug_assertions) {
        let is_of_runs =
            |it: &Finding| !matches!(it.kind, FindingKind::FrameBelowNone | FindingKind::FarAway);
        all.extend(Findings::check(world).into_iter().filter(is_of_runs));
        all.sort_by_key(|finding| (finding.kind.is_repaired(), finding.kind));
    }
    all
}

/// The findings about structure, setup and numbers: what must be there, and what may be there,
/// on entities that have no `LocalToWorld`, for which there is no rule, and where a matrix of
/// the user's is not finite behind one that is derived.
pub(crate) fn expected(links: &Links, after: &Snapshot) -> Vec<Expected> {
    let of = |kind, (&entity, &parent): (&Entity, &Entity)| {
        Expected::new(kind, entity, Some(parent), true)
    };
    let repaired =
        links.repaired.iter().map(|(entity, (kind, parent))| of(*kind, (entity, parent)));
    let cyclic = links.cyclic.iter().map(|it| of(FindingKind::Cycle, it));
    let waiting = links.waiting.iter().map(|it| of(FindingKind::WaitsForParent, it));
    // Not if the `Parent` was removed since the last run.
    let strays = links.strays.iter().map(|&(entity, parent)| {
        Expected::new(FindingKind::ChildWithoutParent, entity, Some(parent), false)
    });
    let mut all: Vec<_> = repaired.chain(cyclic).chain(waiting).chain(strays).collect();
    after.rows.iter().for_each(|row| all.extend(of_row(row)));
    all
}

/// Those about the components of one entity.
fn of_row(row: &Row) -> Vec<Expected> {
    let is_transform = row.has(Kind::LocalToWorld);
    let mut all = without_effect(row);
    let mut add = |kind, related, required| {
        all.push(Expected::new(kind, row.entity, related, required));
    };
    match (row.parent, row.has(Kind::LocalToParent)) {
        _ if !is_transform => {}
        (Some(parent), false) => {
            add(FindingKind::ParentWithoutLocalToParent, Some(parent), true);
        }
        (None, true) => add(FindingKind::LocalToParentWithoutParent, None, true),
        _ => {}
    }
    if row.has(Kind::Scale) && row.has(Kind::NonUniformScale) {
        add(FindingKind::TwoScales, None, is_transform);
    }
    let several = |eulers: &[Kind]| eulers.iter().filter(|euler| row.has(**euler)).count() > 1;
    if several(&ROTATION_EULERS) {
        add(FindingKind::TwoRotationEulers, None, is_transform);
    }
    if several(&POST_ROTATION_EULERS) {
        add(FindingKind::TwoPostRotationEulers, None, is_transform);
    }
    for (kind, component) in [(Kind::Rotation, "Rotation"), (Kind::PostRotation, "PostRotation")] {
        let Some(q) = row.quaternion(kind) else { continue };
        // Near the tolerance rounding decides.
        let off = (q.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0).abs();
        if off.is_finite() && off > 0.9e-3 {
            add(FindingKind::RotationNotUnit { component }, None, off > 1.1e-3);
        }
    }
    let is_finite =
        |kind| row.matrix(kind).is_none_or(|matrix| matrix.iter().all(|x| x.is_finite()));
    let is_child = row.has(Kind::LocalToParent);
    if !is_finite(if is_child { Kind::LocalToParent } else { Kind::LocalToWorld }) {
        add(FindingKind::NotFinite, None, is_transform);
    } else if is_transform && !is_finite(Kind::LocalToWorld) {
        add(FindingKind::NotFinite, None, false);
    }
    let is_input = row.numbers.iter().any(|(kind, _)| kind.is_transform());
    if !is_transform && (row.parent.is_some() || row.frame.is_some() || is_input) {
        add(FindingKind::MissingLocalToWorld, None, true);
    }
    all
}

/// A finding that a run must or may make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub finding: Finding,
    pub required: bool,
}

impl Expected {
    fn new(kind: FindingKind, entity: Entity, related: Option<Entity>, required: bool) -> Self {
        Self { finding: Finding::new(kind, entity, related), required }
    }
}

/// Compares the findings of a run with the expected ones, as sets, each at most once.
pub(crate) fn check_findings(actual: &[Finding], expected: &[Expected]) {
    let set: HashSet<_> = actual.iter().collect();
    assert_eq!(set.len(), actual.len(), "a finding is made once: {actual:?}");
    let allowed: HashSet<_> = expected.iter().map(|expected| &expected.finding).collect();
    // It names the entity of a resource, which is not looked at here.
    let is_of_world = |finding: &&Finding| finding.kind != FindingKind::DeadOrigin;
    for finding in actual.iter().filter(is_of_world) {
        assert!(allowed.contains(finding), "unexpected {finding:?}: {finding}");
    }
    for expected in expected.iter().filter(|expected| expected.required) {
        assert!(
            set.contains(&expected.finding),
            "missing {:?}: {}",
            expected.finding,
            expected.finding
        );
    }
    let order = actual.iter().map(|finding| (finding.kind.is_repaired(), finding.kind));
    assert!(order.is_sorted(), "findings stand by kind, repaired ones last: {actual:?}");
}

/// The components of an entity that do nothing without another one, or beside a frame. None are
/// required: a user's component may read them.
fn without_effect(row: &Row) -> Vec<Expected> {
    use Kind::*;
    let readers: [(&[Kind], Kind); 4] = [
        (&ROTATION_EULERS, Rotation),
        (&POST_ROTATION_EULERS, PostRotation),
        (&[PostRotation, RotationPivot, RotationPivotTranslation], CompositeRotation),
        (&[ScalePivot, ScalePivotTranslation, Shear], CompositeScale),
    ];
    let mut kinds = Vec::new();
    for (inputs, reader) in readers.into_iter().filter(|(_, reader)| !row.has(*reader)) {
        for input in inputs.iter().filter(|input| row.has(**input)) {
            let (component, needs) = (input.name(), reader.name());
            kinds.push(FindingKind::WithoutEffect { component, needs });
        }
    }
    if row.frame.is_some() && row.has_any(&LOCAL) {
        kinds.push(FindingKind::InputsBesideFrame);
    }
    if row.frame.is_some() {
        kinds.push(FindingKind::FrameOverridden);
    }
    kinds.into_iter().map(|kind| Expected::new(kind, row.entity, None, false)).collect()
}
