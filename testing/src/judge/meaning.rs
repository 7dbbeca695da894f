//! Whether an edit keeps what components mean.

use std::{collections::HashSet, fmt};

use legion::{Entity, World};
use legion_transform::findings::{FindingKind, Findings};

use crate::{
    kind::{Kind, Numbers, POST_ROTATION_EULERS, ROTATION_EULERS, Shape, padded},
    reference::{
        Reference,
        algebra::{V, axis, cross, dot, length, linear},
        bounded::{Bounded, UNIT},
        setup::Setup,
    },
    snapshot::{Row, Snapshot, same_bits},
};

/// A world before an edit. [`check`](Self::check) asks of the world after it what a look at the
/// matrices does not show:
///
/// 1. *Does each component still count?* One that had an effect before the edit has one afterwards,
///    when it is written next. `NonUniformScale` in the place of `Scale` is fine; `Scale` beside
///    `NonUniformScale` is not, because the latter counts no more.
/// 2. *Did the edit make a mistake?* Each component that it added has an effect, and there is no
///    new [finding](Findings::check).
/// 3. *Is it the pose that is meant?* What got another parent and is seen where it was is also
///    there when a size of 0 becomes 1. A turn that is lost at size 0 shows then.
///
/// ```
/// use legion::*;
/// use legion_transform::prelude::*;
/// use legion_transform_testing::{Meaning, Setup};
///
/// let mut world = World::default();
/// let sword = world.push_transform((NonUniformScale::new(1.0, 2.0, 1.0),));
/// let hand = world.push_transform((Scale(0.01),));
/// let before = Meaning::of(&world, &Setup::default());
/// world.set_parent(sword, hand).unwrap();
/// before.check(&world).unwrap();
///
/// // By hand it goes wrong: `NonUniformScale` counts no more.
/// world.entry(sword).unwrap().add_component(Scale(100.0));
/// let lost = before.check(&world).unwrap_err();
/// assert!(lost.to_string().contains("NonUniformScale"));
/// ```
#[derive(Clone)]
pub struct Meaning {
    setup: Setup,
    before: Snapshot,
    findings: HashSet<(FindingKind, Entity)>,
}

/// What an edit lost.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LostMeaning {
    /// The entity that was edited.
    pub entity: Entity,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for LostMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} means something else after the edit: {}", self.entity, self.what)
    }
}

impl std::error::Error for LostMeaning {}

impl Meaning {
    /// Of a world as it is now.
    #[must_use]
    pub fn of(world: &World, setup: &Setup) -> Self {
        Self {
            setup: setup.clone(),
            before: Snapshot::without_versions(world, &[]),
            findings: findings(world),
        }
    }

    /// Compares with the world after the edit.
    ///
    /// # Errors
    ///
    /// The first thing that is lost.
    pub fn check(&self, world: &World) -> Result<(), LostMeaning> {
        let after = Snapshot::without_versions(world, &[]);
        if let Some((kind, entity)) = findings(world).difference(&self.findings).next() {
            let what = format!("a new finding, {kind:?}");
            return Err(LostMeaning { entity: *entity, what });
        }
        for row in &after.rows {
            let entity = row.entity;
            let old = self.before.get(entity).filter(|old| is_edited(old, row));
            let lost = |what| LostMeaning { entity, what };
            if let Some(old) = old {
                self.components_count(old, row, &after).map_err(lost)?;
                self.is_in_place(old, row, &after).map_err(lost)?;
            }
        }
        Ok(())
    }

    fn components_count(&self, old: &Row, new: &Row, after: &Snapshot) -> Result<(), String> {
        let (Some(before), Some(now)) =
            (effective(&self.before, old, &self.setup), effective(after, new, &self.setup))
        else {
            return Ok(());
        };
        let is_replaced = now.contains(&Kind::NonUniformScale) && !new.has(Kind::Scale);
        let is_kept = |kind: &Kind| now.contains(kind) || *kind == Kind::Scale && is_replaced;
        let lost = before.iter().find(|kind| !is_kept(kind));
        if let Some(kind) = lost {
            let is_there = if new.has(*kind) { "has no effect any more" } else { "is gone" };
            return Err(format!("{kind:?}, which had an effect, {is_there}"));
        }
        let added = new.numbers.iter().map(|(kind, _)| kind).filter(|kind| !old.has(**kind));
        match added.into_iter().find(|kind| !is_derived(**kind, new) && !now.contains(kind)) {
            Some(kind) => Err(format!("{kind:?}, which was added, has no effect")),
            None => Ok(()),
        }
    }

    fn is_in_place(&self, old: &Row, new: &Row, after: &Snapshot) -> Result<(), String> {
        if old.parent == new.parent {
            return Ok(());
        }
        let worlds = |fill: fn(&Snapshot, Entity) -> Snapshot| {
            let of = |snapshot| {
                let reference = Reference::next(fill(snapshot, new.entity), &self.setup, [].into());
                reference.world(new.entity).copied()
            };
            of(&self.before).zip(of(after))
        };
        let is_seen = worlds(|snapshot, _| snapshot.clone());
        let is_meant = worlds(filled);
        let flat =
            [0, 1, 2].map(|i| match (new.get(Kind::Scale), new.get(Kind::NonUniformScale)) {
                (Some(scale), _) => scale[0] == 0.0,
                (None, axes) => axes.is_some_and(|axes| axes[i] == 0.0),
            });
        match (is_seen, is_meant) {
            // Of sizes that are all 0, none can mirror.
            (_, Some((a, b))) if flat == [true; 3] && mirrors(&a) != mirrors(&b) => Ok(()),
            (Some(seen), Some(meant)) if is_near(&seen, [false; 3]) && !is_near(&meant, flat) => {
                Err("it is seen where it was, but not with 1 in the place of its sizes of 0".into())
            }
            _ => Ok(()),
        }
    }
}

fn findings(world: &World) -> HashSet<(FindingKind, Entity)> {
    let found = Findings::check(world).into_iter();
    // Where an entity stands does not depend on what its components mean.
    let found = found.filter(|finding| finding.kind != FindingKind::FarAway);
    found.map(|finding| (finding.kind, finding.entity)).collect()
}

fn is_edited(old: &Row, new: &Row) -> bool {
    let same = |(a, b): (&(Kind, Numbers), &(Kind, Numbers))| a.0 == b.0 && same_bits(&a.1, &b.1);
    old.parent != new.parent
        || old.numbers.len() != new.numbers.len()
        || !old.numbers.iter().zip(&new.numbers).all(same)
}

/// An edit may take so much shear for none, and leave it out.
const SHEAR: f64 = 1.1e-5;

/// Whether the axes are the same but for rounding; those that are `flat`, but for their lengths.
///
/// A turn carries all axes, so it is known as well as the axis that is known worst. Below parents
/// that are scaled by 0.01 and then by 100, a y axis may be (0, 1, 0.000006) by rounding; an edit
/// that takes it for (0, 1, 0) turned has a z axis of (0, -0.000006, 1).
fn is_near((a, b): &(Bounded, Bounded), flat: [bool; 3]) -> bool {
    let of = |it: &Bounded, i| -> (V, f64) {
        let (value, error) = (axis(&linear(&it.value), i), axis(&linear(&it.magnitude), i));
        (value, length(error) * 2.0 * UNIT)
    };
    let axes = [0, 1, 2].map(|i| (of(a, i), of(b, i)));
    let share = |(value, error)| error / length(value).max(f64::MIN_POSITIVE);
    let unsure = axes.iter().map(|(a, b)| share(*a) + share(*b)).fold(0.0, f64::max);
    (0..3).all(|i| {
        let ((a, _), (b, _)) = axes[i];
        let size = length(a).max(length(b));
        let (a, b) = if flat[i] { (a / length(a) * size, b / length(b) * size) } else { (a, b) };
        // What is not a number is none of its mistakes.
        let is_off = length(a - b) > size * (unsure + SHEAR);
        !is_off
    })
}

fn mirrors(matrix: &Bounded) -> bool {
    let [x, y, z] = [0, 1, 2].map(|i| axis(&linear(&matrix.value), i));
    dot(cross(x, y), z) < 0.0
}

/// Whether a component makes a local matrix, and is not made by the bundle only.
pub(crate) fn is_input(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::LocalToWorld
            | Kind::LocalToParent
            | Kind::WorldToLocal
            | Kind::ParentScaleInverse
            | Kind::Inherits
            | Kind::Own(_)
    )
}

/// The components of an entity that have an effect on its world matrix: another value of one is
/// another matrix. What values there are has no part in that, so all are replaced by ordinary ones.
/// `None` where the reference cannot tell: where parts of parts of a sheared matrix are inherited.
#[must_use]
pub fn effective(snapshot: &Snapshot, row: &Row, setup: &Setup) -> Option<Vec<Kind>> {
    let mut ordinary = snapshot.clone();
    for row in &mut ordinary.rows {
        row.numbers.iter_mut().for_each(|(kind, numbers)| *numbers = usual(*kind, 1.0, numbers));
    }
    let world = |snapshot: &Snapshot| {
        let reference = Reference::next(snapshot.clone(), setup, [].into());
        reference.world(row.entity).copied()
    };
    let at = snapshot.index[&row.entity];
    let before = world(&ordinary);
    if before.as_ref().is_some_and(Bounded::is_unknown) {
        return None;
    }
    let moves = |kind: &Kind| {
        let mut other = ordinary.clone();
        let place = other.rows[at].numbers.iter_mut().find(|(of, _)| of == kind);
        place.into_iter().for_each(|(_, numbers)| *numbers = usual(*kind, 1.25, numbers));
        let differ = |a: Bounded, b: Bounded| (a.value - b.value).amax() > 1e-6;
        before.zip(world(&other)).is_some_and(|(a, b)| differ(a, b))
    };
    let kinds = row.numbers.iter().map(|(kind, _)| *kind);
    Some(kinds.filter(|kind| is_input(*kind) && moves(kind)).collect())
}

/// Whether other components of the row may make this one.
fn is_derived(kind: Kind, row: &Row) -> bool {
    match kind {
        Kind::Rotation => row.has_any(&ROTATION_EULERS),
        Kind::PostRotation => row.has_any(&POST_ROTATION_EULERS),
        Kind::CompositeRotation | Kind::CompositeScale => true,
        kind => !is_input(kind),
    }
}

/// A value without zeros and right angles.
fn usual(kind: Kind, by: f32, old: &Numbers) -> Numbers {
    match kind.shape() {
        Shape::Scalar => padded(&[1.5 * by]),
        Shape::Vector => padded(&[0.3 * by, 0.7 * by, 0.5 * by]),
        Shape::Quaternion => {
            let (sine, cosine) = (0.3 * by).sin_cos();
            padded(&[0.6 * sine, 0.0, 0.8 * sine, cosine])
        }
        Shape::Matrix => {
            let mut matrix = kind.identity();
            (matrix[0], matrix[4], matrix[12]) = (1.5 * by, 0.25 * by, 2.0 * by);
            matrix
        }
        Shape::Parts => *old,
    }
}

/// The same world, but that an entity has 1 for each size of 0.
fn filled(snapshot: &Snapshot, entity: Entity) -> Snapshot {
    let mut filled = snapshot.clone();
    if let Some(&at) = snapshot.index.get(&entity) {
        for (kind, numbers) in &mut filled.rows[at].numbers {
            let count = match kind {
                Kind::Scale => 1,
                Kind::NonUniformScale => 3,
                _ => 0,
            };
            numbers[..count].iter_mut().filter(|size| **size == 0.0).for_each(|size| *size = 1.0);
        }
    }
    filled
}
