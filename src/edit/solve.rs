//! Solving for parts: which ones make a wanted local matrix?
//!
//! Three candidates, the least change first: the turn is kept; it changes; shear comes, too. The
//! first that is right within rounding wins. In each, a turn or a size that is right already keeps
//! its bits, and the translation comes last.

use legion::Entity;
use nalgebra::{Matrix4, Vector3};

use super::{
    EditError,
    error::{RESULT, Result, finite},
    parts::{Parts, Written},
};
use crate::{
    engine::LocalInputs,
    math::{
        Axes, Base, Factors, Linear, by_growth, column_squares,
        decompose::{
            DecomposeError::{self, Projective, Sheared, Singular},
            SHEAR_TOLERANCE, right_angled,
        },
        filled, linear_part, origin, row_squares,
    },
};

/// The rounding error of a chain of matrices: about 16 times `f32`'s epsilon.
pub(super) const ROUNDING: f64 = 2e-6;

/// Up to this fraction of the numbers that make it, a place is another one by rounding.
pub(super) const SAME_PLACE: f64 = f32::EPSILON as f64 / 2.0;

/// How far the turn of an edit in `f64` may be off.
pub(super) const EXACT: f64 = 1e-9;

/// So much shear counts as none.
const TOLERANCE: f64 = SHEAR_TOLERANCE as f64;

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
    /// The product by which the wanted matrix of the world is known: the squares of the lengths of
    /// the rows of its first factor, and of the columns of the second. No element is known better
    /// than the rounding error of its row times its column.
    made_of: Option<[Vector3<f64>; 2]>,
}

impl<'a> Target<'a> {
    /// A local matrix that is given, or made of `f32` matrices.
    #[inline]
    pub fn new(base: &'a Base, local: Matrix4<f64>, zeros: Option<Axes>) -> Self {
        let (same_turn, same_place) = (ROUNDING, SAME_PLACE);
        Self { base, local, zeros, signs: None, same_turn, same_place, made_of: None }
    }

    /// The matrix of the world is known as this product.
    #[inline]
    pub fn made_of(self, from: &Linear, local: &Linear) -> Self {
        Self { made_of: Some([row_squares(from), column_squares(local)]), ..self }
    }

    /// The old local matrix, changed in `f64` alone: the smallest change counts.
    #[inline]
    pub fn exact(self) -> Self {
        Self { same_turn: EXACT, same_place: 1e-12, ..self }
    }

    /// The local matrix with its zeros, in `f32`.
    pub fn matrix(&self) -> Matrix4<f32> {
        let zeros = self.zeros.unwrap_or_default();
        let is_zero = |row: usize, column: usize| row < 3 && column < 3 && zeros[column];
        self.local.map_with_location(|i, j, x| if is_zero(i, j) { 0.0 } else { x as f32 })
    }
}

/// Makes `changed`, a copy of the inputs, those that make the wanted matrix. With `adds`, an entity
/// gets a place for shear if it needs one.
pub(super) fn solve(
    (entity, adds): (Entity, bool),
    parts: &Parts,
    inputs: &LocalInputs,
    changed: &mut LocalInputs,
    target: &Target<'_>,
) -> Result<()> {
    let refused = |reason| EditError::NoTransform { entity, reason };
    let beyond = EditError::NotFinite { entity, what: RESULT };
    if target.local.iter().any(|x| !(*x as f32).is_finite()) {
        return Err(beyond);
    }
    if (target.local.row(3) - Matrix4::<f64>::identity().row(3)).amax() > TOLERANCE {
        return Err(refused(Projective));
    }
    let wanted = Wanted::of(parts, inputs, target).ok_or(refused(Singular))?;
    let (mut best, mut least, mut fixed) = (None, TOLERANCE, None);
    for step in [Step::Sizes, Step::Turn, Step::Shear] {
        let off = match wanted.attempt(step, adds, changed) {
            Ok(Some(off)) => off,
            Ok(None) => continue,
            Err(component) => {
                fixed = Some(component);
                f64::INFINITY
            }
        };
        if off <= if step == Step::Sizes { target.same_turn } else { ROUNDING } {
            return place(entity, changed, target);
        }
        // Half as much, or the change is not worth it.
        if off < least && (best.is_none() || off < least / 2.0) {
            (best, least) = (Some(*changed), off);
        }
        *changed = *inputs;
    }
    if let Some(best) = best {
        *changed = best;
        return place(entity, changed, target);
    }
    Err(match fixed {
        Some(component) => EditError::Overridden { entity, component },
        None => wanted.reason().map_or(beyond, refused),
    })
}

/// What may change besides the translation; each includes those before it.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Sizes,
    Turn,
    Shear,
}

/// The linear map that `R K H S` is to be.
struct Wanted<'a> {
    parts: &'a Parts,
    target: &'a Target<'a>,
    linear: Linear,
    /// What it is multiplied into.
    frame: Linear,
    /// The squares of the sizes of the terms that make each element of the product.
    sizes: Linear,
    zeros: Axes,
    /// The squares of the lengths that its columns had in what is known.
    known: Vector3<f64>,
    signs: Vector3<f64>,
    /// How far sizes may differ that one number holds.
    one_number: Option<f64>,
}

impl<'a> Wanted<'a> {
    /// `None` if `PSI` is flat.
    fn of(parts: &'a Parts, inputs: &LocalInputs, target: &'a Target<'a>) -> Option<Self> {
        let mut frame = linear_part(&target.base.matrix);
        let mut linear = linear_part(&target.local);
        if let Some(psi) = &parts.psi {
            (linear, frame) = (psi.try_inverse()? * linear, frame * psi);
        }
        let mut columns = column_squares(&linear);
        let mut zeros = target.zeros.unwrap_or_default();
        if target.zeros.is_none() && columns.min() == 0.0 {
            (linear, zeros) = filled(&linear, || parts.own.product());
            columns = column_squares(&linear);
        }
        let rows = row_squares(&frame);
        let [from, made] = target.made_of.unwrap_or([rows, columns]);
        let sizes = Linear::from_fn(|i, j| (rows[i] * columns[j]).max(from[i] * made[j]));
        let signs = target.signs.unwrap_or(parts.own.sizes);
        let one_number = parts.is_one_number(inputs).then_some(ROUNDING);
        let known = made;
        Some(Self { parts, target, linear, frame, sizes, zeros, known, signs, one_number })
    }

    fn deviation(&self, made: &Factors) -> f64 {
        made.deviation(&self.linear, &self.frame, &self.sizes, TOLERANCE)
    }

    /// Writes what a step changes. Returns how far the result is off, or `None` if nothing is
    /// written: by that step alone there is no such map.
    fn attempt(&self, step: Step, adds: bool, changed: &mut LocalInputs) -> Written<Option<f64>> {
        let Self { parts, linear, signs, zeros, one_number, .. } = self;
        let mut made = parts.own.clone();
        let rounded = |changed: &_, sizes| parts.rounded(changed, sizes, ROUNDING);
        if step == Step::Sizes {
            let Some(sizes) = made.resized(linear, signs, zeros) else { return Ok(None) };
            made.sizes = rounded(changed, &sizes);
            let off = self.deviation(&made);
            if off == f64::INFINITY {
                return Ok(None); // it turns
            }
            parts.set_sizes(changed, &made.sizes, zeros)?;
            return Ok(Some(off));
        }
        let found = if step == Step::Turn {
            let order = by_growth(&column_squares(linear).component_div(&self.known));
            made.turned(linear, order, signs, zeros, *one_number)
        } else {
            made.reshaped(linear, signs, zeros, *one_number).map(|it| {
                made.shear = it.shear.cast::<f32>().cast();
                (it.turn, it.sizes)
            })
        };
        let Some((turn, sizes)) = found else { return Ok(None) };
        made.turn = parts.set_turn(changed, &turn, self.target.same_turn)?;
        made.sizes = rounded(changed, &sizes);
        parts.set_sizes(changed, &made.sizes, zeros)?;
        if step == Step::Shear && !parts.set_shear(changed, &made, zeros, adds) {
            return Ok(Some(f64::INFINITY));
        }
        Ok(Some(self.deviation(&made)))
    }

    /// Why no step makes the map. `None` if its numbers are too great.
    fn reason(&self) -> Option<DecomposeError> {
        let Self { linear, signs, zeros, one_number, .. } = self;
        let own = &self.parts.own;
        let is_solid = own.between.is_none_or(|between| right_angled(&between).is_some());
        match own.reshaped(linear, signs, zeros, *one_number).map(|made| made.shear.amax()) {
            Some(shear) if shear <= TOLERANCE => None,
            Some(shear) => Some(Sheared(shear as f32)),
            // It was turned, and is flat now: sheared by more than can be told.
            None if self.target.zeros.is_some() && is_solid => Some(Sheared(f32::INFINITY)),
            None => Some(Singular),
        }
    }
}

/// Moves the origin to the wanted place by `Translation`. It stays as it is where it is off by
/// rounding alone, and is added only where more than that is off.
pub(super) fn place(entity: Entity, changed: &mut LocalInputs, target: &Target<'_>) -> Result<()> {
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
    finite(entity, RESULT, [changed.translation.as_ref().map_or(&[][..], |at| at.as_slice())])
}
