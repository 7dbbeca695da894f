//! Writing a local transform, and turning towards a point.

use legion::{Entity, EntityStore, World};
use nalgebra::{Matrix4, Point3, Translation3, UnitQuaternion, Vector3};

use super::{
    EditError,
    apply::{LocalChange, Plan},
    error::{GIVEN, OWN, Result, finite},
    parts::{Parts, set_axes},
    planner::Planner,
    solve,
    solve::given_matrix,
    standing::Here,
};
use crate::{
    components::*,
    engine::{LocalInputs, Mask, Meaning, RowWriter, rules},
    math::{
        Base, EXACT, Factors, Linear, ROUNDING, Target, decompose::DecomposeError, facing, filled,
        frame, linear_part, origin, times, turning, without_zeros,
    },
    transform::Transform,
};

// A place for each of these is looked for below, and in `parts::set_axes`.
const _: () = assert!(rules::AXES.len() == 2);

/// Writes the transform of an entity whose components can hold it as they are, as most can. No
/// other entity is asked, and none is moved. Returns whether it could.
pub(super) fn write_in_place(world: &mut World, entity: Entity, transform: &Transform) -> bool {
    let Ok(entry) = world.entry_ref(entity) else { return false };
    let at = entry.location();
    let meaning = Meaning::met(&&*world, at.archetype());
    let has = |component| meaning.mask.has(component);
    let Transform { translation, rotation, scale } = *transform;
    let is_uniform = scale.x == scale.y && scale.y == scale.z;
    let (one, axes) = (has(Mask::SCALE), has(Mask::NON_UNIFORM_SCALE));
    let fits = if axes { !one } else { is_uniform && (one || scale.x == 1.0) };
    let turns = has(Mask::ROTATION) || rotation == UnitQuaternion::identity();
    if !meaning.is_simple() || !has(Mask::TRANSLATION) || !turns || !fits {
        return false;
    }
    RowWriter::edit(world, at, |row| {
        row.rewrite(Translation(Translation3 { vector: translation }));
        if has(Mask::ROTATION) {
            row.rewrite(Rotation(rotation));
        }
        if one {
            row.rewrite(Scale(scale.x));
        }
        if axes {
            row.rewrite(NonUniformScale(scale));
        }
    });
    true
}

impl Planner<'_> {
    pub fn set_local(&self, entity: Entity, transform: &Transform) -> Result<Plan> {
        self.local(entity, |Here { standing, .. }, mut change| {
            let (matrix, base) = (transform.to_matrix(), Base::new(&Matrix4::identity()));
            if standing.is_own || standing.is_stored(&change.0) && !change.0.is_empty() {
                return standing.stored(matrix, false, (&base, &transform.translation.cast()));
            }
            let mut local = matrix.cast();
            let inputs = &mut change.0;
            let was_empty = inputs.is_empty();
            if was_empty {
                inputs.translation = Some(Vector3::zeros());
                change.1 = *inputs;
            }
            let (sizes, zeros) = without_zeros(&transform.scale.cast());
            let linear = turning(&transform.rotation) * Linear::from_diagonal(&sizes);
            local.fixed_view_mut::<3, 3>(0, 0).copy_from(&linear);
            let mut to = Target::new(&base, local, origin(&local), Some(zeros))
                .made_of(&Linear::identity(), &linear);
            (to.signs, to.same_turn) = (Some(sizes), EXACT);
            let mut change = self.reach(standing, change, &to)?;
            if let LocalChange::Inputs(change) = &mut change
                && !change.0.is_composed()
            {
                as_given(&mut change.1, transform);
                change.0.translation = change.0.translation.filter(|_| !was_empty);
            }
            Ok(change)
        })
    }
}

impl Planner<'_> {
    /// The same by a matrix: the parts are those that come nearest to the old ones.
    pub fn set_local_matrix(&self, entity: Entity, matrix: &Matrix4<f32>) -> Result<Plan> {
        let matrix = given_matrix(entity, matrix)?;
        self.local(entity, |Here { standing, .. }, change| {
            let base = Base::new(&Matrix4::identity());
            let target =
                Target::given(&base, &matrix.cast()).ok_or_else(|| standing.flat(&base))?;
            let mut target = target.exact();
            target.same_turn = ROUNDING;
            self.reach(standing, change, &target)
        })
    }
}

/// Writes the very numbers of a transform, where the parts are no more than its own.
fn as_given(inputs: &mut LocalInputs, transform: &Transform) {
    let Transform { translation, rotation, scale } = *transform;
    if inputs.translation.is_some() || translation != Vector3::zeros() {
        inputs.translation = Some(translation);
    }
    let slot = &mut inputs.rotation;
    if slot.euler.is_none() && (slot.rotation.is_some() || rotation != UnitQuaternion::identity()) {
        slot.rotation = Some(rotation);
    }
    set_axes(inputs, &scale);
}

impl Planner<'_> {
    /// Only the turn changes. It carries the filled axes, so one that is flat looks, too.
    pub fn look_at(&self, entity: Entity, target: &Point3<f32>, up: &Vector3<f32>) -> Result<Plan> {
        finite(entity, GIVEN, [target.coords.as_slice(), up.as_slice()])?;
        self.local(entity, |here, mut change| {
            let Here { standing, base, local, .. } = here;
            let given = self.given(here)?;
            finite(entity, OWN, [local.as_slice()])?;
            let (place, mut local) = (here.place(), local.cast::<f64>());
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
                return standing.stored(local.map(|x| x as f32), false, (base, &place));
            }
            let parts = Parts::of(&change.0).ok_or(singular)?;
            let psi = parts.psi.map_or(Some(Linear::identity()), |psi| psi.try_inverse());
            let into = psi.ok_or(singular)? * linear_part(inverse);
            let unturned = Factors { turn: Linear::identity(), ..parts.own.clone() };
            let turn = looking(&unturned.product(), &into)?;
            let written = parts.set_turn(&mut change.1, &turn, EXACT);
            written.map_err(|component| EditError::Overridden { entity, component })?;
            let stays = Target::new(base, local, place, Some(parts.zeros)).exact();
            solve::place(standing, &mut change.1, &stays)?;
            Ok(LocalChange::Inputs(change))
        })
    }
}
