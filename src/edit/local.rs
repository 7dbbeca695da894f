//! Writing a local transform.

use legion::{Entity, World};
use nalgebra::{Matrix4, Translation3, UnitQuaternion, Vector3};

use super::{
    EditError,
    apply::rewrite,
    plan::{LocalChange, Plan},
    planner::Planner,
    solve::set_rotation,
    standing::Ground,
    wanted::Wanted,
};
use crate::{
    components::*,
    engine::{Kind, LocalInputs, Mask, Overrides},
    transform::Transform,
};

/// Writes the transform of an entity whose components can hold it as they are, as most can. No
/// other entity is asked, and none is moved. Returns whether it could.
pub(super) fn write_in_place(
    world: &mut World,
    entity: Entity,
    transform: &Transform,
    overrides: &Overrides,
) -> bool {
    let Some(mut entry) = world.entry(entity) else { return false };
    let kind = Kind::of(entry.archetype().layout(), overrides);
    let has = |component| kind.mask.has(component);
    let Transform { translation, rotation, scale } = *transform;
    let is_uniform = scale.x == scale.y && scale.y == scale.z;
    let fits = match (has(Mask::SCALE), has(Mask::NON_UNIFORM_SCALE)) {
        (false, true) => true,
        (true, false) => is_uniform,
        (false, false) => is_uniform && scale.x == 1.0,
        (true, true) => false,
    };
    let turns = has(Mask::ROTATION) || rotation == UnitQuaternion::identity();
    if !kind.is_simple() || !has(Mask::TRANSLATION) || !turns || !fits {
        return false;
    }
    let entry = &mut entry;
    rewrite(entry, Some(Translation(Translation3 { vector: translation })));
    rewrite(entry, has(Mask::ROTATION).then_some(Rotation(rotation)));
    rewrite(entry, has(Mask::SCALE).then_some(Scale(scale.x)));
    rewrite(entry, has(Mask::NON_UNIFORM_SCALE).then_some(NonUniformScale(scale)));
    true
}

impl Planner<'_> {
    pub fn set_local(&self, entity: Entity, transform: &Transform) -> Result<Plan, EditError> {
        let mut path = self.start(entity)?;
        let standing = self.standing(&mut path)?;
        if matches!(standing.ground, Ground::Own) || standing.writes_matrix() {
            return Ok(standing.plan(standing.stored(transform.to_matrix(), false)));
        }
        let inputs = self.inputs(&standing, false)?;
        let composed = inputs.rotation.composite.is_some() || inputs.scale.composite.is_some();
        if composed || inputs.parent_scale_inverse.is_some() {
            let target = Wanted::new(&Matrix4::identity(), &transform.to_matrix());
            let target = target.ok_or_else(|| standing.singular())?;
            return Ok(standing.plan(self.solved(&standing, &target, inputs)?));
        }
        let changed = with_transform(&inputs, transform)
            .map_err(|component| EditError::Overridden { entity, component })?;
        Ok(standing.plan(LocalChange::Inputs(Box::new((inputs, changed)))))
    }
}

/// The inputs of an entity without composites, with these values.
fn with_transform(
    inputs: &LocalInputs,
    transform: &Transform,
) -> Result<LocalInputs, &'static str> {
    let mut changed = inputs.clone();
    let empty = inputs.is_empty();
    if inputs.translation.is_some() || empty || transform.translation != Vector3::zeros() {
        changed.translation = Some(transform.translation);
    }
    let turn = transform.rotation;
    if inputs.rotation.rotation.unwrap_or_else(UnitQuaternion::identity) != turn {
        set_rotation(&mut changed, &UnitQuaternion::new_normalize(turn.into_inner().cast()))?;
        if inputs.rotation.euler.is_none() {
            changed.rotation.rotation = Some(turn);
        }
    }
    let scale = &mut changed.scale;
    if scale.along_axes().unwrap_or_else(|| Vector3::repeat(1.0)) != transform.scale {
        let uniform =
            transform.scale.x == transform.scale.y && transform.scale.y == transform.scale.z;
        if uniform && (scale.uniform.is_some() || scale.axes.is_none()) {
            scale.uniform = Some(transform.scale.x);
        } else {
            scale.axes = Some(transform.scale);
            scale.uniform = None;
        }
    }
    Ok(changed)
}
