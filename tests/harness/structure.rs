//! What a run must make of a world's structure: repairs, lists of children, findings. The hierarchy
//! that components describe is `legion_transform_testing::links`.

use std::collections::HashSet;

use legion::Entity;
use legion_transform::findings::{Finding, FindingKind};

use legion_transform_testing::{
    groups::LOCAL,
    kind::{Kind, POST_ROTATION_EULERS, ROTATION_EULERS},
    links::Links,
    snapshot::{Row, Snapshot},
};

/// Checks `Parent`, `PreviousParent` and `Children` after a run. `last` is the world after the
/// run before, where `Children` must keep their order.
pub fn check(links: &Links, before: &Snapshot, after: &Snapshot, last: Option<&Snapshot>) {
    assert_eq!(after.rows.len(), before.rows.len(), "a run neither spawns nor despawns");
    for row in &after.rows {
        let entity = row.entity;
        let old = before.get(entity).expect("a run does not spawn");
        if links.repaired.contains_key(&entity) {
            assert_eq!(row.parent, None, "{entity:?} had a parent that cannot be linked to");
        } else {
            assert_eq!(row.parent, old.parent, "Parent of {entity:?} is the user's");
        }
        check_previous(links, row);
        check_children(links, row, old, last.and_then(|last| last.get(entity)));
    }
}

fn check_previous(links: &Links, row: &Row) {
    let entity = row.entity;
    if let Some(&parent) = links.linked.get(&entity) {
        assert_eq!(
            row.previous,
            Some(Some(parent)),
            "PreviousParent of {entity:?}, which is linked"
        );
    } else if links.is_held(entity) {
        let text = "which is on a cycle or waits";
        assert_eq!(row.previous, Some(None), "PreviousParent of {entity:?}, {text}");
    } else if row.parent.is_some() {
        let fine = matches!(row.previous, None | Some(None));
        assert!(fine, "PreviousParent of {entity:?}, which has no link: {:?}", row.previous);
    } else {
        assert_eq!(row.previous, None, "PreviousParent of {entity:?}, which has no Parent");
    }
}

fn check_children(links: &Links, row: &Row, old: &Row, last: Option<&Row>) {
    let entity = row.entity;
    let Some(expected) = links.children.get(&entity) else {
        let text = "off which no entity hangs";
        let listed = links.listed.get(&entity);
        assert_eq!(row.children.as_ref(), listed, "Children of {entity:?}, {text}");
        return;
    };
    let actual =
        row.children.as_ref().unwrap_or_else(|| panic!("{entity:?} lacks Children {expected:?}"));
    let set: HashSet<_> = actual.iter().copied().collect();
    let same = set.len() == actual.len() && set == expected.iter().copied().collect();
    assert!(same, "Children of {entity:?}: {actual:?} instead of {expected:?}");
    let Some(listed) = last.and_then(|last| last.children.as_ref()) else { return };
    if old.children.as_ref() != Some(listed) {
        return; // the user wrote there, any order will do
    }
    let stayed: Vec<_> = listed.iter().copied().filter(|child| set.contains(child)).collect();
    assert_eq!(
        actual[..stayed.len()],
        stayed[..],
        "Children of {entity:?}: those that stay keep their order, in front"
    );
}

/// The findings about structure, setup and numbers: what must be there, and what may be there,
/// on entities that have no `LocalToWorld`, for which there is no rule, and where a matrix of
/// the user's is not finite behind one that is derived.
pub fn findings(links: &Links, after: &Snapshot) -> Vec<Expected> {
    let mut findings: Vec<_> =
        links
            .repaired
            .iter()
            .map(|(&entity, &(kind, parent))| Expected::required(kind, entity, Some(parent)))
            .chain(links.cyclic.iter().map(|(&entity, &parent)| {
                Expected::required(FindingKind::Cycle, entity, Some(parent))
            }))
            .chain(links.waiting.iter().map(|(&entity, &parent)| {
                Expected::required(FindingKind::WaitsForParent, entity, Some(parent))
            }))
            .chain(links.strays.iter().map(|&(entity, parent)| {
                // Not if the `Parent` was removed since the last run.
                let kind = FindingKind::ChildWithoutParent;
                Expected { finding: Finding::new(kind, entity, Some(parent)), required: false }
            }))
            .collect();
    for row in &after.rows {
        let mut add = |kind, related| {
            let finding = Finding::new(kind, row.entity, related);
            findings.push(Expected { finding, required: row.has(Kind::LocalToWorld) });
        };
        match (row.parent, row.has(Kind::LocalToParent)) {
            _ if !row.has(Kind::LocalToWorld) => {}
            (Some(parent), false) => add(FindingKind::ParentWithoutLocalToParent, Some(parent)),
            (None, true) => add(FindingKind::LocalToParentWithoutParent, None),
            _ => {}
        }
        let finite =
            |kind| row.matrix(kind).is_none_or(|matrix| matrix.iter().all(|x| x.is_finite()));
        let local =
            if row.has(Kind::LocalToParent) { Kind::LocalToParent } else { Kind::LocalToWorld };
        if row.has(Kind::Scale) && row.has(Kind::NonUniformScale) {
            add(FindingKind::TwoScales, None);
        }
        let several = |eulers: &[Kind]| eulers.iter().filter(|euler| row.has(**euler)).count() > 1;
        if several(&ROTATION_EULERS) {
            add(FindingKind::TwoRotationEulers, None);
        }
        if several(&POST_ROTATION_EULERS) {
            add(FindingKind::TwoPostRotationEulers, None);
        }
        findings.extend(without_effect(row));
        let not_finite = Finding::new(FindingKind::NotFinite, row.entity, None);
        for (kind, component) in
            [(Kind::Rotation, "Rotation"), (Kind::PostRotation, "PostRotation")]
        {
            let length =
                row.quaternion(kind).map_or(1.0, |q| q.iter().map(|x| x * x).sum::<f64>().sqrt());
            let kind = FindingKind::RotationNotUnit { component };
            let finding = Finding::new(kind, row.entity, None);
            // Near the tolerance rounding decides.
            let off = (length - 1.0).abs();
            if length.is_finite() && off > 0.9e-3 {
                findings.push(Expected { finding, required: off > 1.1e-3 });
            }
        }
        if !finite(local) {
            findings.push(Expected { finding: not_finite, required: row.has(Kind::LocalToWorld) });
        }
        if !row.has(Kind::LocalToWorld) {
            let is_input = row.numbers.iter().any(|(kind, _)| kind.is_transform());
            let wants_one = row.parent.is_some() || row.frame.is_some() || is_input;
            let finding = Finding::new(FindingKind::MissingLocalToWorld, row.entity, None);
            findings.extend(wants_one.then_some(Expected { finding, required: true }));
        } else if finite(local) && !finite(Kind::LocalToWorld) {
            findings.push(Expected { finding: not_finite, required: false });
        }
    }
    findings
}

/// A finding that a run must or may make.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub finding: Finding,
    pub required: bool,
}

impl Expected {
    pub fn required(kind: FindingKind, entity: Entity, related: Option<Entity>) -> Self {
        Self { finding: Finding::new(kind, entity, related), required: true }
    }
}

/// Compares the findings of a run with the expected ones, as sets, each at most once.
pub fn check_findings(actual: &[Finding], expected: &[Expected]) {
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
    let expected = |kind| {
        let finding = Finding::new(kind, row.entity, None);
        Expected { finding, required: false }
    };
    kinds.into_iter().map(expected).collect()
}
