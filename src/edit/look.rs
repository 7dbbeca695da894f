//! Turning towards a point.

use legion::Entity;
use nalgebra::{Point3, Vector3};

use super::{
    EditError,
    error::{GIVEN, OWN, Result, finite},
    parts::Parts,
    plan::Plan,
    planner::Planner,
    solve::Target,
    standing::Here,
};
use crate::math::{
    Factors, Linear, compose::product, decompose::DecomposeError, facing, filled, frame,
    linear_part, origin,
};

impl Planner<'_> {
    /// Only the turn changes. It carries the filled axes, so one that is flat looks, too.
    pub fn look_at(&self, entity: Entity, target: &Point3<f32>, up: &Vector3<f32>) -> Result<Plan> {
        finite(entity, GIVEN, target.iter().chain(up.iter()))?;
        self.local(entity, |Here { standing, base, change, local, is_stored }| {
            finite(entity, OWN, local.iter())?;
            let inverse = linear_part(&base.inverse.ok_or_else(|| standing.flat(&base))?);
            let here = origin(&product(&base.matrix.cast(), &local).cast());
            let old = linear_part(&local.cast());
            let singular = EditError::NoTransform { entity, reason: DecomposeError::Singular };
            // A stored matrix is turned as it is. Of the others, `K H S` is.
            let (psi, unturned, axes, zeros) = if is_stored {
                let one = Linear::identity();
                (one, old, filled(&old, Linear::identity).0, None)
            } else {
                let Parts { psi, own, zeros, .. } = Parts::of(&change.0).ok_or(singular)?;
                let unturned = Factors { turn: Linear::identity(), ..own }.product();
                (psi, unturned, unturned, Some(zeros))
            };
            let into = psi.try_inverse().ok_or(singular)? * inverse;
            let wanted = facing(&into, &(target.coords.cast() - here), &up.cast());
            let wanted = wanted.ok_or(EditError::NoDirection(entity))?;
            let current = frame(&axes.column(2).into(), &axes.column(1).into()).ok_or(singular)?;
            let turned = psi * (wanted * current.inverse()) * unturned;
            let mut local = local.cast();
            local.fixed_view_mut::<3, 3>(0, 0).copy_from(&turned);
            self.reach(&standing, change, &Target::new(&base, local, zeros).exact())
        })
    }
}
