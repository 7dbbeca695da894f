//! Turning towards a point.

use legion::Entity;
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

use super::{
    EditError,
    plan::{LocalChange, Plan},
    planner::Planner,
    solve::{move_to, scale_part, set_rotation},
    standing::Ground,
    wanted::Wanted,
};
use crate::math::{compose::product, decompose::linear, facing, frame};

impl Planner<'_> {
    pub fn look_at(
        &self,
        entity: Entity,
        target: &Point3<f32>,
        up: &Vector3<f32>,
    ) -> Result<Plan, EditError> {
        let mut path = self.start(entity)?;
        let standing = self.standing(&mut path)?;
        let base = self.base(&standing)?;
        let local = self.fresh_local(&standing)?;
        let pose = match standing.ground {
            Ground::Below(_) => product(&base, &local),
            Ground::Own | Ground::Cyclic | Ground::Root => local,
        };
        let towards = target.coords - pose.fixed_view::<3, 1>(0, 3);
        let singular = || standing.singular();
        let inverse = linear(&base).try_inverse().ok_or_else(singular)?;
        let wanted =
            facing(&inverse, &towards.cast(), &up.cast()).ok_or(EditError::NoDirection(entity))?;

        let inputs = self.inputs(&standing, false)?;
        let is_own = matches!(standing.ground, Ground::Own);
        if is_own || inputs.is_empty() || standing.writes_matrix() {
            let now = linear(&local);
            let current = frame(&now.column(2).into(), &now.column(1).into())
                .ok_or(EditError::NoDirection(entity))?;
            let mut turned = local;
            turned
                .fixed_view_mut::<3, 3>(0, 0)
                .copy_from(&(wanted * current.inverse() * now).cast::<f32>());
            return Ok(standing.plan(standing.stored(turned, false)));
        }

        // R must carry the scaled z axis to a direction that PSI and the parent map towards the
        // target.
        let scale = scale_part(&inputs);
        let current = frame(&scale.column(2).into(), &scale.column(1).into())
            .ok_or(EditError::NoDirection(entity))?;
        let wanted = match &inputs.parent_scale_inverse {
            Some(psi) => {
                let below = linear(&(base * psi)).try_inverse().ok_or_else(singular)?;
                facing(&below, &towards.cast(), &up.cast()).ok_or(EditError::NoDirection(entity))?
            }
            None => wanted,
        };
        let mut changed = inputs.clone();
        let turn = UnitQuaternion::from_rotation_matrix(&(wanted * current.inverse()));
        set_rotation(&mut changed, &turn)
            .map_err(|component| EditError::Overridden { entity, component })?;
        // The origin stays. With a pivot, that needs another translation.
        let mut held = changed.matrix().unwrap_or_else(Matrix4::identity);
        held.set_column(3, &local.column(3));
        let held = Wanted::new(&Matrix4::identity(), &held).ok_or_else(singular)?;
        move_to(&mut changed, &held);
        Ok(standing.plan(LocalChange::Inputs(Box::new((inputs, changed)))))
    }
}
