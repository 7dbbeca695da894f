//! Turning towards a point.

use legion::Entity;
use nalgebra::{Point3, Vector3};

use super::{
    EditError,
    error::{GIVEN, OWN, Result, finite},
    parts::Parts,
    plan::{LocalChange, Plan},
    planner::Planner,
    solve::place,
    standing::Here,
};
use crate::math::{
    EXACT, Factors, Linear, Target, decompose::DecomposeError, facing, filled, frame, linear_part,
    origin, times,
};

impl Planner<'_> {
    /// Only the turn changes. It carries the filled axes, so one that is flat looks, too.
    pub fn look_at(&self, entity: Entity, target: &Point3<f32>, up: &Vector3<f32>) -> Result<Plan> {
        finite(entity, GIVEN, [target.coords.as_slice(), up.as_slice()])?;
        self.local(entity, |here, mut change| {
            let Here { standing, base, local, .. } = here;
            let given = self.given(here)?;
            finite(entity, OWN, [local.as_slice()])?;
            let mut local = local.cast::<f64>();
            let inverse = base.inverse().ok_or_else(|| standing.flat(base))?;
            let towards = given.point(&target.coords) - origin(&times(&base.matrix, &local));
            let up = given.step(&up.cast());
            let singular = EditError::NoTransform { entity, reason: DecomposeError::Singular };
            // The turn by which axes look there, in the space into which the world is mapped.
            let looking = |axes: &Linear, into: &Linear| -> Result<Linear> {
                let to = facing(into, &towards, &up).ok_or(EditError::NoDirection(entity))?;
                let current = frame(&axes.column(2).into(), &axes.column(1).into());
                Ok((to * current.ok_or(singular)?.inverse()).into_inner())
            };
            // A stored matrix is turned as it is. Of the others, `K H S` is.
            if standing.is_stored(&change.0) {
                let old = linear_part(&local);
                let turn = looking(&filled(&old, Linear::identity).0, &linear_part(inverse))?;
                local.fixed_view_mut::<3, 3>(0, 0).copy_from(&(turn * old));
                return standing.stored(local.map(|x| x as f32), false);
            }
            let parts = Parts::of(&change.0).ok_or(singular)?;
            let psi = parts.psi.map_or(Some(Linear::identity()), |psi| psi.try_inverse());
            let into = psi.ok_or(singular)? * linear_part(inverse);
            let unturned = Factors { turn: Linear::identity(), ..parts.own.clone() };
            let turn = looking(&unturned.product(), &into)?;
            let written = parts.set_turn(&mut change.1, &turn, EXACT);
            written.map_err(|component| EditError::Overridden { entity, component })?;
            let stays = Target::new(base, local, Some(parts.zeros)).exact();
            place(entity, &mut change.1, &stays)?;
            Ok(LocalChange::Inputs(change))
        })
    }
}
