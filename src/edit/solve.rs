//! Solving for parts: which ones make a wanted local matrix?
//!
//! It decides in parts: a translation, a turn (`Rotation` or angles), and sizes (`Scale` or
//! `NonUniformScale`). An edit goes so:
//!
//! 1. Numbers that are not finite are refused. Below a flat parent, of scale (1, 1, 0), only moves
//!    in its plane are possible: (4, 0, 0) is, (0, 0, 1) is an error.
//! 2. The parts are read. A size of 0 counts as 1 for now: the local matrix is *filled*.
//! 3. The wanted matrix is filled, too. `Scale(0.0)`, turned by 1 radian: wanted is the turn, not
//!    the zero. A given column of 0 gets a direction at right angles to the others.
//! 4. Sizes keep their signs if the matrix is of the same hand. (-2, 2, 2) that leaves a parent of
//!    `Scale(2.0)` becomes (-4, 4, 4), not (4, -4, 4) and half a turn. If the matrix mirrors, one
//!    axis changes its sign: one for which the rotation can stay, else the one by which the turn
//!    changes least, or all three of a `Scale`.
//! 5. Three candidates, the least change first: the turn is kept; it changes; shear comes, too. The
//!    first that is right within rounding wins, and right parts keep their bits. `look_at` is the
//!    turn alone.
//! 6. Sizes go into the scale that counts. `Scale(1.0)` below (0.5, 1, 1) is replaced by
//!    `NonUniformScale(2, 1, 1)`. A missing scale is added, but not for 1. Then zeros are written
//!    again: (1, 1, 0) becomes (2, 2, 0).
//! 7. A turn is written as near to the old one as possible. Angles of (0, 80, 0) degrees, turned by
//!    20 about y, are (0, 100, 0), not (180, 80, 180). Whole turns are kept, up to 1,024 radians.
//!    Of `q` and `-q`, the nearer one is written.
//! 8. The translation is last. It stays where only rounding moves it: at (1000, 0, 0) by 0.00006.
//!    If the place is then more than 0.01 units off, the edit is [`EditError::TooFar`].

use legion::Entity;
use nalgebra::{Matrix4, Vector3};

use super::{
    EditError,
    error::{GIVEN, RESULT, Result, finite},
    parts::{Parts, Written},
    standing::Standing,
};
use crate::{
    engine::LocalInputs,
    math::{
        Goal, ROUNDING, TOLERANCE, Target,
        decompose::{
            DecomposeError::{Projective, Sheared, Singular},
            right_angled,
        },
        linear_part, origin,
    },
};

/// Makes `changed`, a copy of the inputs, those that make the wanted matrix. With `adds`, an entity
/// gets a place for shear if it needs one.
pub(super) fn solve(
    (standing, adds): (&Standing<'_, '_>, bool),
    inputs: &LocalInputs,
    changed: &mut LocalInputs,
    target: &Target<'_>,
) -> Result<()> {
    let entity = standing.node.entity;
    let refused = |reason| EditError::NoTransform { entity, reason };
    let beyond = EditError::NotFinite { entity, what: RESULT };
    if target.local.iter().any(|x| !(*x as f32).is_finite()) {
        return Err(beyond);
    }
    if (target.local.row(3) - Matrix4::<f64>::identity().row(3)).amax() > TOLERANCE {
        return Err(refused(Projective));
    }
    // Not by `?`, which would move them.
    let Some(parts) = &Parts::of(inputs) else { return Err(refused(Projective)) };
    let one_number = parts.is_one_number(inputs);
    let Some(goal) = &Goal::of(target, parts.psi.as_ref(), &parts.own, one_number) else {
        return Err(refused(Singular));
    };
    if goal.may_vanish && target.vanishes() {
        return Err(standing.flat(target.base));
    }
    let (mut best, mut least, mut fixed) = (None, TOLERANCE, None);
    for step in [Step::Sizes, Step::Turn, Step::Shear] {
        let off = match attempt(step, parts, goal, adds, changed) {
            Ok(Some(off)) => off,
            Ok(None) => continue,
            Err(component) => {
                fixed = Some(component);
                f64::INFINITY
            }
        };
        if off <= if step == Step::Sizes { target.same_turn } else { ROUNDING } {
            return place(standing, changed, target);
        }
        // Half as much, or the change is not worth it.
        if off < least && (best.is_none() || off < least / 2.0) {
            (best, least) = (Some(*changed), off);
        }
        *changed = *inputs;
    }
    if let Some(best) = best {
        *changed = best;
        return place(standing, changed, target);
    }
    let world = linear_part(&target.base.matrix) * linear_part(&target.local);
    // A target without zeros is filled, and so are not flat matrices.
    let given = Some(world).filter(|_| target.zeros.is_none());
    let is_solid = [given, parts.own.between].iter().flatten().all(|it| right_angled(it).is_some());
    Err(match (fixed, goal.reshaped()) {
        (Some(component), _) => EditError::Overridden { entity, component },
        (None, Some(made)) if !made.sizes.iter().all(|x| (*x as f32).is_normal()) => beyond,
        (None, Some(made)) => refused(Sheared(made.shear.amax() as f32)),
        // It is flat below its parent alone: sheared by more than can be measured.
        (None, None) if is_solid => refused(Sheared(f32::INFINITY)),
        (None, None) => refused(Singular),
    })
}

/// What may change besides the translation; each includes those before it.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Sizes,
    Turn,
    Shear,
}

/// Writes what a step changes. Returns how far the result is off, or `None` if nothing is written:
/// by that step alone the goal is not reached.
fn attempt(
    step: Step,
    parts: &Parts,
    goal: &Goal<'_>,
    adds: bool,
    changed: &mut LocalInputs,
) -> Written<Option<f64>> {
    let mut made = parts.own.clone();
    if step == Step::Sizes {
        let Some(sizes) = goal.resized() else { return Ok(None) };
        made.sizes = parts.rounded(changed, &sizes, goal.same_turn);
        let off = goal.deviation(&made);
        if off == f64::INFINITY {
            return Ok(None); // it turns
        }
        parts.set_sizes(changed, &made.sizes, &goal.zeros)?;
        return Ok(Some(off));
    }
    let found = match step {
        Step::Shear => goal.reshaped().map(|it| {
            made.shear = it.shear;
            (it.turn, it.sizes)
        }),
        _ => goal.turned(),
    };
    let Some((turn, sizes)) = found else { return Ok(None) };
    made.turn = parts.set_turn(changed, &turn, goal.same_turn)?;
    made.sizes = parts.rounded(changed, &sizes, goal.same_turn);
    parts.set_sizes(changed, &made.sizes, &goal.zeros)?;
    if step == Step::Shear && !parts.shear(changed, &mut made, &goal.zeros, adds) {
        return Ok(Some(f64::INFINITY));
    }
    Ok(Some(goal.deviation(&made)))
}

/// Moves the origin to the wanted place by `Translation`. It stays as it is where it is off by
/// rounding alone, and is added only where more than that is off.
pub(super) fn place(
    standing: &Standing<'_, '_>,
    changed: &mut LocalInputs,
    target: &Target<'_>,
) -> Result<()> {
    let (wanted, base) = (origin(&target.local), linear_part(&target.base.matrix));
    let old = changed.translation.replace(Vector3::zeros());
    // Without pivots the origin is the translation. With them, the sum is rounded to `f32`.
    let matrix = changed.composed();
    let rest = matrix.as_ref().map_or_else(Vector3::zeros, |matrix| origin(&matrix.cast()));
    let sum = if matrix.is_some() { rest.abs() + wanted.abs() } else { Vector3::zeros() };
    let share = f64::from(f32::EPSILON) * (base.abs() * sum).amax();
    let off = (base * (wanted - rest - old.unwrap_or_default().cast())).amax();
    let least = if old.is_some() { target.same_place } else { 4.0 * target.same_place };
    let is_right = off <= target.base.rounding(&wanted, least) + share;
    changed.translation = if is_right { old } else { Some((wanted - rest).cast()) };
    let made = changed.translation.as_ref().map_or(&[][..], |at| at.as_slice());
    finite(standing.node.entity, RESULT, [made])?;
    standing.reaches(target.base, changed, &target.place)
}

/// So far from (0, 0, 0, 1) may the bottom row be of a pose that is given, and be that row but for
/// rounding.
const AFFINE: f32 = 1e-6;

/// A matrix that is given. Its bottom row may be off by rounding.
pub(super) fn given_matrix(entity: Entity, matrix: &Matrix4<f32>) -> Result<Matrix4<f32>> {
    finite(entity, GIVEN, [matrix.as_slice()])?;
    let (mut matrix, affine) = (*matrix, Matrix4::identity().row(3).into_owned());
    if (matrix.row(3) - affine).amax() <= AFFINE {
        matrix.set_row(3, &affine);
    }
    Ok(matrix)
}
