//! Solving for parts: which ones make a wanted local matrix?
//!
//! Three candidates, the least change first: the turn is kept; it changes; shear comes, too. The
//! first that is right within rounding wins. In each, a turn or a size that is right already keeps
//! its bits, and the translation comes last.

use legion::Entity;
use nalgebra::{Matrix4, Vector3};

use super::{
    EditError,
    error::{RESULT, Result},
    parts::{Parts, Written},
};
use crate::{
    engine::LocalInputs,
    math::{
        Axes, Base, Factors,
        decompose::{
            DecomposeError::{Projective, Sheared, Singular},
            SHEAR_TOLERANCE, right_angled,
        },
        filled, linear_part, origin,
    },
};

/// The rounding error of a chain of matrices: about 16 times `f32`'s epsilon.
pub(super) const ROUNDING: f64 = 2e-6;

/// Up to this fraction of the numbers that make it, a place is another one by rounding.
pub(super) const SAME_PLACE: f64 = f32::EPSILON as f64 / 2.0;

/// What is wanted of an entity's local matrix.
pub(super) struct Target<'a> {
    /// What the local matrix leads to: what is inherited of the parent's world.
    pub base: &'a Base,
    pub local: Matrix4<f64>,
    /// The axes of size 0, which `local` shows as if they had another size. `None` if it shows
    /// them as 0.
    pub zeros: Option<Axes>,
    /// Sizes with the signs that are wanted; those of the old ones if `None`.
    pub signs: Option<Vector3<f64>>,
    /// How far a turn is off that is the same but for rounding.
    pub same_turn: f64,
    /// The same of a place, as a fraction of the numbers that make it.
    pub same_place: f64,
}

impl<'a> Target<'a> {
    /// A matrix that was given, or one made of `f32` matrices.
    pub fn new(base: &'a Base, local: Matrix4<f64>, zeros: Option<Axes>) -> Self {
        Self { base, local, zeros, signs: None, same_turn: ROUNDING, same_place: SAME_PLACE }
    }

    /// The old local matrix, changed in `f64` alone: the smallest change counts.
    pub fn exact(self) -> Self {
        Self { same_turn: 1e-9, same_place: 1e-12, ..self }
    }

    /// The local matrix with its zeros, in `f32`.
    pub fn matrix(&self) -> Matrix4<f32> {
        let zeros = self.zeros.unwrap_or_default();
        let is_zero = |row: usize, column: usize| row < 3 && column < 3 && zeros[column];
        self.local.map_with_location(|i, j, x| if is_zero(i, j) { 0.0 } else { x as f32 })
    }
}

/// Makes `changed` the inputs that make the wanted matrix. With `adds`, an entity gets a place for
/// shear if it needs one.
pub(super) fn solve(
    (entity, adds): (Entity, bool),
    inputs: &LocalInputs,
    changed: &mut LocalInputs,
    target: &Target<'_>,
) -> Result<()> {
    let refused = |reason| EditError::NoTransform { entity, reason };
    let beyond = EditError::NotFinite { entity, what: RESULT };
    if target.local.iter().any(|x| !(*x as f32).is_finite()) {
        return Err(beyond);
    }
    let tolerance = f64::from(SHEAR_TOLERANCE);
    if (target.local.row(3) - Matrix4::<f64>::identity().row(3)).amax() > tolerance {
        return Err(refused(Projective));
    }
    let parts = Parts::of(inputs).ok_or(refused(Projective))?;
    let (mut frame, mut wanted) = (linear_part(&target.base.matrix), linear_part(&target.local));
    if inputs.parent_scale_inverse.is_some() {
        wanted = parts.psi.try_inverse().ok_or(refused(Singular))? * wanted;
        frame *= parts.psi;
    }
    let (own, one_number) = (&parts.own, parts.is_one_number(inputs).then_some(ROUNDING));
    let (wanted, zeros) = match target.zeros {
        Some(zeros) => (wanted, zeros),
        None => filled(&wanted, || own.product()),
    };
    let signs = target.signs.unwrap_or(own.sizes);
    let turned = || own.turned(&wanted, &signs, &zeros, one_number);
    let candidates: [&dyn Fn() -> Option<Factors>; 3] =
        [&|| own.resized(&wanted, &signs, &zeros), &turned, &turned];

    let (mut best, mut least, mut fixed) = (None, tolerance, None);
    for (step, candidate) in candidates.into_iter().enumerate() {
        let Some(new) = candidate() else { continue };
        if step == 0 && new.deviation(&wanted, &frame, tolerance).is_infinite() {
            continue; // it turns
        }
        changed.clone_from(inputs);
        let mut write = || -> Written<Option<Factors>> {
            let mut made = own.clone();
            if step > 0 {
                made.turn = parts.set_turn(changed, &new.turn, target.same_turn)?;
            }
            made.sizes = parts.set_sizes(changed, &new.sizes, &zeros, ROUNDING)?;
            let shear = if step == 2 { new.shear.cast::<f32>() } else { own.shear.cast() };
            made.shear = shear.cast();
            Ok((step < 2 || parts.set_shear(changed, &made, &zeros, adds)).then_some(made))
        };
        let made = write().map_err(|component| fixed = Some(component)).ok().flatten();
        let off = made.map_or(f64::INFINITY, |it| it.deviation(&wanted, &frame, tolerance));
        if off <= if step > 0 { ROUNDING } else { target.same_turn } {
            return place(changed, target).then_some(()).ok_or(beyond);
        }
        // Half as much, or the change is not worth it.
        if off < least && (best.is_none() || off < least / 2.0) {
            (best, least) = (Some(changed.clone()), off);
        }
    }
    if let Some(best) = best {
        *changed = best;
        return place(changed, target).then_some(()).ok_or(beyond);
    }
    let shear = turned().map(|turned| turned.shear.amax());
    Err(match (fixed, shear) {
        (Some(component), _) => EditError::Overridden { entity, component },
        (None, Some(shear)) if shear <= tolerance => beyond,
        (None, Some(shear)) => refused(Sheared(shear as f32)),
        // It was turned, and is flat now: sheared by more than can be told.
        (None, None) if target.zeros.is_some() && right_angled(&own.between).is_some() => {
            refused(Sheared(f32::INFINITY))
        }
        (None, None) => refused(Singular),
    })
}

/// Moves the origin to the wanted place by `Translation`. It stays as it is where it is off by
/// rounding alone, and is added only where more than that is off. Returns whether all is finite.
fn place(changed: &mut LocalInputs, target: &Target<'_>) -> bool {
    let (wanted, base) = (origin(&target.local), linear_part(&target.base.matrix));
    let old = changed.translation.replace(Vector3::zeros());
    // Without pivots the origin is the translation. With them, the sum is rounded to `f32`.
    let matrix = if changed.is_composed() { changed.matrix() } else { None };
    let rest = matrix.as_ref().map_or_else(Vector3::zeros, |matrix| origin(&matrix.cast()));
    let sum = if matrix.is_some() { rest.abs() + wanted.abs() } else { Vector3::zeros() };
    let share = f64::from(f32::EPSILON) * (base.abs() * sum).amax();
    let off = (base * (wanted - rest - old.unwrap_or_default().cast())).amax();
    let least = if old.is_some() { target.same_place } else { 4.0 * target.same_place };
    let is_right = off <= target.base.rounding(&wanted, least) + share;
    changed.translation = if is_right { old } else { Some((wanted - rest).cast()) };
    changed.translation.is_none_or(|at| at.iter().all(|x| x.is_finite()))
}
