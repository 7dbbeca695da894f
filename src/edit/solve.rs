//! Solving for inputs: which ones make a wanted world matrix?
//!
//! The local matrix is `T PSI R S`; each factor is a component or a composite. Four candidates are
//! tried in turn. The first changes at most the translation, the last all inputs. Each is composed
//! with the bundle's own formulas, and the first whose world matrix is right within rounding wins.
//! So no input changes without need, and each result is checked.

use nalgebra::{Matrix3, Matrix4, UnitQuaternion, Vector3};

use super::{
    euler,
    wanted::{Wanted, linear},
};
use crate::{
    engine::LocalInputs,
    math::decompose::{DecomposeError, LinearParts, SHEAR_TOLERANCE, decompose_linear},
};

/// The rounding error of composing and decomposing once: about 16 times `f32`'s epsilon.
const ROUNDING: f64 = 2e-6;

/// Why no inputs make the wanted matrix.
pub(super) enum Unsolved {
    NoTransform(DecomposeError),
    /// This component would have to change, but a user's component writes it.
    Fixed(&'static str),
}

/// Makes `changed` the inputs that make the wanted matrix: those of the first candidate that is
/// right.
pub(super) fn solve(
    inputs: &LocalInputs,
    changed: &mut LocalInputs,
    target: &Wanted,
) -> Result<(), Unsolved> {
    if target.local.iter().any(|x| !(*x as f32).is_finite()) {
        return Err(Unsolved::NoTransform(DecomposeError::NotFinite));
    }
    if (target.local.row(3) - Matrix4::<f64>::identity().row(3)).amax() > f64::from(SHEAR_TOLERANCE)
    {
        return Err(Unsolved::NoTransform(DecomposeError::Projective));
    }
    let (mut best, mut least) = (None, f64::from(SHEAR_TOLERANCE));
    let mut fixed = None;
    for candidate in [Attempt::Move, Attempt::Turn, Attempt::Grow, Attempt::Stretch] {
        changed.clone_from(inputs);
        match candidate.apply(inputs, changed, target) {
            Ok(true) => {
                let deviation = move_to(changed, target);
                if deviation <= ROUNDING {
                    return Ok(());
                }
                if deviation < least {
                    (best, least) = (Some(changed.clone()), deviation);
                }
            }
            Ok(false) => {}
            Err(component) => fixed = Some(component),
        }
    }
    *changed = best.ok_or_else(|| {
        fixed.map_or_else(|| Unsolved::NoTransform(why_not(inputs, target)), Unsolved::Fixed)
    })?;
    Ok(())
}

/// Which inputs may change. Each candidate may also change the inputs of the ones before it.
#[derive(Clone, Copy)]
enum Attempt {
    Move,
    Turn,
    /// A uniform scale.
    Grow,
    /// Scale along each axis, and shear if the entity can hold it.
    Stretch,
}

impl Attempt {
    /// Changes rotation and scale of `changed`, a copy of the inputs. Returns whether the matrix
    /// can be made so, or the name of a component that may not change.
    fn apply(
        self,
        inputs: &LocalInputs,
        changed: &mut LocalInputs,
        target: &Wanted,
    ) -> Result<bool, &'static str> {
        if matches!(self, Self::Move) {
            return Ok(true);
        }
        let Some(wanted) = wanted_linear(inputs, target) else { return Ok(false) };
        if matches!(self, Self::Turn) {
            let Some(unscaled) = scale_part(inputs).try_inverse().map(|inverse| wanted * inverse)
            else {
                return Ok(false);
            };
            let Some(parts) = decompose_linear(&unscaled, &Vector3::repeat(1.0)) else {
                return Ok(false);
            };
            return set_rotation(changed, &parts.rotation).map(|()| true);
        }
        let signs = match (self, inputs.scale.along_axes()) {
            // One number mirrors along all axes or along none.
            (Self::Grow, _) => Vector3::repeat(wanted.determinant().signum()),
            (_, Some(axes)) => axes.cast(),
            (_, None) => Vector3::repeat(1.0),
        };
        let Some(parts) = decompose_linear(&wanted, &signs) else { return Ok(false) };
        set_scale(changed, &parts, matches!(self, Self::Grow))?;
        set_rotation(changed, &parts.rotation)?;
        Ok(true)
    }
}

/// The linear part that `R S` must have: the wanted one without `PSI`.
fn wanted_linear(inputs: &LocalInputs, target: &Wanted) -> Option<Matrix3<f64>> {
    let wanted = linear(&target.local);
    match &inputs.parent_scale_inverse {
        Some(inverse) => Some(linear(&inverse.cast()).try_inverse()? * wanted),
        None => Some(wanted),
    }
}

/// The linear part of `S`.
pub(super) fn scale_part(inputs: &LocalInputs) -> Matrix3<f64> {
    match (inputs.scale.composite(), inputs.scale.along_axes()) {
        (Some(composite), _) => linear(&composite.cast()),
        (None, Some(axes)) => Matrix3::from_diagonal(&axes.cast()),
        (None, None) => Matrix3::identity(),
    }
}

/// Makes the linear part of `R` this rotation.
pub(super) fn set_rotation(
    inputs: &mut LocalInputs,
    turn: &UnitQuaternion<f64>,
) -> Result<(), &'static str> {
    let slot = &mut inputs.rotation;
    let mut turn = *turn;
    if slot.composite.is_some() {
        if slot.composite_overridden {
            return Err("CompositeRotation");
        }
        if !slot.derives_composite() {
            slot.composite = Some(turn.to_homogeneous().cast());
            return Ok(());
        }
        if let Some(post) = slot.post_rotation {
            turn *= UnitQuaternion::new_normalize(post.into_inner().cast()).inverse();
        }
    }
    if slot.rotation_overridden {
        return Err("Rotation");
    }
    match slot.euler {
        Some(order) => {
            let angles = euler::angles(order, &turn);
            slot.angles = Some(angles);
            slot.rotation = Some(order.rotation(&angles));
        }
        None => slot.rotation = Some(UnitQuaternion::new_normalize(turn.into_inner().cast())),
    }
    Ok(())
}

/// Makes the linear part of `S` this scale, and this shear if the entity can hold it.
fn set_scale(
    inputs: &mut LocalInputs,
    parts: &LinearParts,
    uniform: bool,
) -> Result<(), &'static str> {
    let slot = &mut inputs.scale;
    if slot.composite.is_some() {
        if slot.composite_overridden {
            return Err("CompositeScale");
        }
        if !slot.derives_composite() {
            let mut shear = Matrix3::identity();
            (shear.m12, shear.m13, shear.m23) = (parts.shear.x, parts.shear.y, parts.shear.z);
            slot.composite =
                Some((shear * Matrix3::from_diagonal(&parts.scale)).to_homogeneous().cast());
            return Ok(());
        }
        if slot.shear.is_some() {
            slot.shear = Some(parts.shear.cast());
        }
    }
    if uniform {
        slot.uniform = Some((parts.scale.sum() / 3.0) as f32);
    } else {
        slot.axes = Some(parts.scale.cast());
        slot.uniform = None;
    }
    Ok(())
}

/// Moves the inputs' origin to the wanted one by `Translation`, which is added if it is missing and
/// needed. Returns the error. There is no tolerance: at 1 km, a move of 1 mm is half of
/// [`ROUNDING`].
pub(super) fn move_to(inputs: &mut LocalInputs, target: &Wanted) -> f64 {
    let mut local = matrix(inputs);
    let turned = target.deviation(&local, 0..3);
    if turned > f64::from(SHEAR_TOLERANCE) {
        return turned; // no move makes it right
    }
    let unmoved = turned.max(target.deviation(&local, 3..4));
    let wanted = origin(&target.local);
    let old = inputs.translation.replace(Vector3::zeros());
    // Without pivots the origin is the translation.
    let is_composed = inputs.is_composed();
    let origin = if is_composed { origin(&matrix(inputs)) } else { Vector3::zeros() };
    let translation: Vector3<f32> = (wanted - origin).cast();
    inputs.translation = Some(translation);
    if is_composed {
        local = matrix(inputs);
    } else {
        local.fixed_view_mut::<3, 1>(0, 3).copy_from(&translation.cast());
    }
    let moved = turned.max(target.deviation(&local, 3..4));
    if unmoved <= moved {
        inputs.translation = old;
    }
    moved.min(unmoved)
}

fn origin(matrix: &Matrix4<f64>) -> Vector3<f64> {
    matrix.fixed_view::<3, 1>(0, 3).into()
}

fn matrix(inputs: &LocalInputs) -> Matrix4<f64> {
    inputs.matrix().unwrap_or_else(Matrix4::identity).cast()
}

/// Why no scale and rotation made the wanted matrix.
fn why_not(inputs: &LocalInputs, target: &Wanted) -> DecomposeError {
    let Some(wanted) = wanted_linear(inputs, target) else { return DecomposeError::Singular };
    match decompose_linear(&wanted, &Vector3::repeat(1.0)) {
        Some(parts) => DecomposeError::Sheared(parts.shear.amax() as f32),
        None => DecomposeError::Singular,
    }
}
