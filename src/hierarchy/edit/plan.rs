//! What an edit would write, worked out before anything is touched.

use legion::{Entity, World};
use nalgebra::{Matrix3, Matrix4, Point3, Rotation3, Unit, UnitQuaternion, Vector3};

use super::{
    EditError, Edits, IfNotTrs,
    solve::{Target, Unsolved, moved_to, set_rotation, solve},
};
use crate::{
    components::*,
    hierarchy::walk::{
        access::{component, entry, has},
        path::{Path, follow},
    },
    layout::Mask,
    transform::Transform,
    world::query::{FreshWorld, LocalInputs, QueryError, is_orphan},
};

/// All that an edit changes on one entity.
pub(super) struct Plan {
    pub entity: Entity,
    pub parent: ParentChange,
    pub local: LocalChange,
}

pub(super) enum ParentChange {
    Keep,
    /// `reset` says that `ParentScaleInverse` cancelled the old parent's scale and the new one has none.
    Set {
        parent: Entity,
        reset: bool,
    },
    Remove {
        reset: bool,
    },
}

pub(super) enum LocalChange {
    Keep,
    /// These were the inputs, those are they to be.
    Inputs(Box<(LocalInputs, LocalInputs)>),
    /// The stored matrix; `strip` removes the inputs that would overwrite it.
    LocalToParent {
        matrix: Matrix4<f32>,
        strip: bool,
    },
    /// Likewise.
    LocalToWorld {
        matrix: Matrix4<f32>,
        strip: bool,
    },
}

/// Where an entity's place in the world is written.
enum Place {
    /// Its `LocalToWorld` is the user's.
    Own,
    /// Computed from inputs (or its stored matrix), below this parent.
    Below(Entity),
    /// On a cycle: in the world, by `LocalToParent`.
    Cyclic,
    Root,
}

/// Works out plans for one world.
pub(super) struct Planner<'a> {
    world: &'a World,
    edits: &'a Edits,
    fresh: FreshWorld<'a, World>,
}

impl<'a> Planner<'a> {
    pub fn new(world: &'a World, edits: &'a Edits) -> Self {
        Self { world, edits, fresh: edits.fresh(world) }
    }

    pub fn set_parent(&self, child: Entity, parent: Entity) -> Result<Plan, EditError> {
        let path = self.fresh.path(child)?;
        let parent_world = self.fresh.local_to_world(parent)?;
        self.refuse_cycle(child, parent)?;
        if path.entities.get(1) == Some(&parent) {
            return Ok(Plan { entity: child, parent: ParentChange::Keep, local: LocalChange::Keep });
        }
        let pose = self.fresh.local_to_world(child)?;
        let reset = self.cancels(&path)? && !self.has_scale(parent)?;
        let local = if self.overrides_world(child)? {
            LocalChange::Keep
        } else {
            self.local(child, Place::Below(parent), &parent_world, &pose, reset)?
        };
        Ok(Plan { entity: child, parent: ParentChange::Set { parent, reset }, local })
    }

    pub fn remove_parent(&self, child: Entity) -> Result<Plan, EditError> {
        let path = self.fresh.path(child)?;
        let entry = entry(self.world, child)?;
        if !has::<Parent>(&entry) && !has::<LocalToParent>(&entry) {
            return Ok(Plan { entity: child, parent: ParentChange::Keep, local: LocalChange::Keep });
        }
        let pose = self.fresh.local_to_world(child)?;
        let reset = self.cancels(&path)?;
        let local = if self.overrides_world(child)? {
            LocalChange::Keep
        } else {
            self.local(child, Place::Root, &Matrix4::identity(), &pose, false)?
        };
        Ok(Plan { entity: child, parent: ParentChange::Remove { reset }, local })
    }

    pub fn set_world(&self, entity: Entity, pose: &Matrix4<f32>) -> Result<Plan, EditError> {
        let place = self.place(entity)?;
        let base = self.base(&place)?;
        let local = self.local(entity, place, &base, pose, false)?;
        Ok(Plan { entity, parent: ParentChange::Keep, local })
    }

    pub fn set_local(&self, entity: Entity, transform: &Transform) -> Result<Plan, EditError> {
        let place = self.place(entity)?;
        let inputs = self.inputs(entity, &place, false)?;
        let plan = |local| Plan { entity, parent: ParentChange::Keep, local };
        if matches!(place, Place::Own) || self.writes_matrix(entity, &place)? {
            return Ok(plan(stored(&place, transform.to_matrix(), false)));
        }
        let composed = inputs.rotation.composite.is_some() || inputs.scale.composite.is_some();
        if composed || inputs.parent_scale_inverse.is_some() {
            let pose = transform.to_matrix();
            return Ok(plan(self.solved(entity, &place, &Matrix4::identity(), &pose, inputs)?));
        }
        let changed = with_transform(&inputs, transform).map_err(|component| EditError::Overridden { entity, component })?;
        Ok(plan(LocalChange::Inputs(Box::new((inputs, changed)))))
    }

    pub fn look_at(&self, entity: Entity, target: &Point3<f32>, up: &Vector3<f32>) -> Result<Plan, EditError> {
        let place = self.place(entity)?;
        let base = self.base(&place)?;
        let pose = self.fresh.local_to_world(entity)?;
        let local = self.fresh_local(entity, &place)?;
        let towards = target.coords - pose.fixed_view::<3, 1>(0, 3);
        let singular = || base_error(entity, &place);
        let inverse = linear(&base).try_inverse().ok_or_else(singular)?;
        let wanted = facing(&inverse, &towards.cast(), &up.cast()).ok_or(EditError::NoDirection(entity))?;
        let plan = |local| Plan { entity, parent: ParentChange::Keep, local };

        let inputs = self.inputs(entity, &place, false)?;
        if matches!(place, Place::Own) || inputs.is_empty() || self.writes_matrix(entity, &place)? {
            let now = linear(&local);
            let current = frame(&now.column(2).into(), &now.column(1).into()).ok_or(EditError::NoDirection(entity))?;
            let mut turned = local;
            turned.fixed_view_mut::<3, 3>(0, 0).copy_from(&(wanted * current.inverse() * now).cast::<f32>());
            return Ok(plan(stored(&place, turned, false)));
        }

        // R must carry the scaled z axis to where, below PSI and the parent, it points at the target.
        let scale = scale_linear(&inputs);
        let current = frame(&scale.column(2).into(), &scale.column(1).into()).ok_or(EditError::NoDirection(entity))?;
        let wanted = match &inputs.parent_scale_inverse {
            Some(psi) => {
                let below = linear(&(base * psi)).try_inverse().ok_or_else(singular)?;
                facing(&below, &towards.cast(), &up.cast()).ok_or(EditError::NoDirection(entity))?
            }
            None => wanted,
        };
        let mut changed = inputs.clone();
        let turn = UnitQuaternion::from_rotation_matrix(&(wanted * current.inverse()));
        set_rotation(&mut changed, &turn).map_err(|component| EditError::Overridden { entity, component })?;
        // The origin stays; with a pivot that takes another translation.
        let mut held = changed.matrix().unwrap_or_else(Matrix4::identity);
        held.set_column(3, &local.column(3));
        let held = Target::new(&Matrix4::identity(), &held).ok_or_else(singular)?;
        let (_, changed) = moved_to(changed, &held);
        Ok(plan(LocalChange::Inputs(Box::new((inputs, changed)))))
    }

    /// The change that makes the entity's world matrix `pose` in this place.
    fn local(
        &self,
        entity: Entity,
        place: Place,
        base: &Matrix4<f32>,
        pose: &Matrix4<f32>,
        reset: bool,
    ) -> Result<LocalChange, EditError> {
        let inputs = self.inputs(entity, &place, reset)?;
        if matches!(place, Place::Own) || inputs.is_empty() || self.writes_matrix(entity, &place)? {
            let target = Target::new(base, pose).ok_or_else(|| base_error(entity, &place))?;
            return Ok(stored(&place, target.matrix(), false));
        }
        self.solved(entity, &place, base, pose, inputs)
    }

    fn solved(
        &self,
        entity: Entity,
        place: &Place,
        base: &Matrix4<f32>,
        pose: &Matrix4<f32>,
        inputs: LocalInputs,
    ) -> Result<LocalChange, EditError> {
        let target = Target::new(base, pose).ok_or_else(|| base_error(entity, place))?;
        match solve(&inputs, &target) {
            Ok(changed) => Ok(LocalChange::Inputs(Box::new((inputs, changed)))),
            Err(Unsolved::Fixed(component)) => Err(EditError::Overridden { entity, component }),
            Err(Unsolved::NotTrs(reason)) => match self.edits.if_not_trs {
                IfNotTrs::Fail => Err(EditError::NotTrs { entity, reason }),
                IfNotTrs::WriteMatrix => Ok(stored(place, target.matrix(), true)),
            },
        }
    }

    fn place(&self, entity: Entity) -> Result<Place, EditError> {
        let path = self.fresh.path(entity)?;
        Ok(match path.entities.get(1) {
            _ if self.is_own(entity)? => Place::Own,
            Some(parent) => Place::Below(*parent),
            None if path.cyclic => Place::Cyclic,
            None => Place::Root,
        })
    }

    fn base(&self, place: &Place) -> Result<Matrix4<f32>, EditError> {
        match place {
            Place::Below(parent) => Ok(self.fresh.local_to_world(*parent)?),
            Place::Own | Place::Cyclic | Place::Root => Ok(Matrix4::identity()),
        }
    }

    fn fresh_local(&self, entity: Entity, place: &Place) -> Result<Matrix4<f32>, EditError> {
        Ok(match place {
            Place::Below(_) => self.fresh.local_to_parent(entity)?,
            Place::Own | Place::Cyclic | Place::Root => self.fresh.local_to_world(entity)?,
        })
    }

    fn inputs(&self, entity: Entity, place: &Place, reset: bool) -> Result<LocalInputs, EditError> {
        let parent = if let Place::Below(parent) = place { Some(*parent) } else { None };
        let mut inputs = LocalInputs::load(self.world, entity, parent, &self.edits.overrides)?;
        if reset && inputs.parent_scale_inverse.is_some() {
            inputs.parent_scale_inverse = Some(Matrix4::identity());
        }
        Ok(inputs)
    }

    fn overrides_world(&self, entity: Entity) -> Result<bool, EditError> {
        let path = self.fresh.path(entity)?;
        Ok(self.fresh.is_world_overridden(&path, 0, &entry(self.world, entity)?))
    }

    /// Whether nothing of the bundle's writes the entity's `LocalToWorld`.
    fn is_own(&self, entity: Entity) -> Result<bool, EditError> {
        Ok(self.overrides_world(entity)? || is_orphan(&entry(self.world, entity)?))
    }

    /// Whether a user's component writes the `LocalToParent` that places the entity.
    fn writes_matrix(&self, entity: Entity, place: &Place) -> Result<bool, EditError> {
        let member = matches!(place, Place::Below(_) | Place::Cyclic);
        Ok(member && self.edits.overrides.has(&entry(self.world, entity)?, Mask::LOCAL_TO_PARENT))
    }

    /// Whether the entity's `ParentScaleInverse` is computed from its parent.
    fn cancels(&self, path: &Path) -> Result<bool, EditError> {
        let [child, parent, ..] = path.entities[..] else { return Ok(false) };
        let entry = entry(self.world, child)?;
        let derived = has::<ParentScaleInverse>(&entry) && !self.edits.overrides.has(&entry, Mask::PARENT_SCALE_INVERSE);
        Ok(derived && self.has_scale(parent)?)
    }

    fn has_scale(&self, entity: Entity) -> Result<bool, EditError> {
        let entry = entry(self.world, entity)?;
        Ok(has::<CompositeScale>(&entry) || has::<Scale>(&entry) || has::<NonUniformScale>(&entry))
    }

    /// Walks up from the parent by `Parent` alone: a chain that is not linked yet would close the cycle when it is.
    fn refuse_cycle(&self, child: Entity, parent: Entity) -> Result<(), EditError> {
        let mut met = false;
        follow(parent, |entity| {
            met |= entity == child;
            match entry(self.world, entity) {
                Ok(entry) if !met => Ok(component::<Parent>(&entry, entity)?.map(|parent| parent.0)),
                Ok(_) | Err(QueryError::Dead(_)) => Ok(None),
                Err(error) => Err(error),
            }
        })?;
        if met { Err(EditError::Cycle { child, parent }) } else { Ok(()) }
    }
}

fn base_error(entity: Entity, place: &Place) -> EditError {
    match place {
        Place::Below(parent) => EditError::ParentNotInvertible { entity, parent: *parent },
        Place::Own | Place::Cyclic | Place::Root => EditError::Query(QueryError::NoInverse(entity)),
    }
}

fn stored(place: &Place, matrix: Matrix4<f32>, strip: bool) -> LocalChange {
    match place {
        Place::Below(_) | Place::Cyclic => LocalChange::LocalToParent { matrix, strip },
        Place::Own | Place::Root => LocalChange::LocalToWorld { matrix, strip },
    }
}

/// The inputs of an entity without composites, with these values.
fn with_transform(inputs: &LocalInputs, transform: &Transform) -> Result<LocalInputs, &'static str> {
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
        let uniform = transform.scale.x == transform.scale.y && transform.scale.y == transform.scale.z;
        if uniform && (scale.uniform.is_some() || scale.axes.is_none()) {
            scale.uniform = Some(transform.scale.x);
        } else {
            scale.axes = Some(transform.scale);
            scale.uniform = None;
        }
    }
    Ok(changed)
}

fn linear(matrix: &Matrix4<f32>) -> Matrix3<f64> {
    matrix.fixed_view::<3, 3>(0, 0).map(f64::from)
}

fn scale_linear(inputs: &LocalInputs) -> Matrix3<f64> {
    match (inputs.scale.composite(), inputs.scale.along_axes()) {
        (Some(composite), _) => linear(&composite),
        (None, Some(axes)) => Matrix3::from_diagonal(&axes.cast()),
        (None, None) => Matrix3::identity(),
    }
}

/// The rotation whose z axis, mapped out of a space by the inverse of `into`, points `towards`, with y as near `up` as can be.
fn facing(into: &Matrix3<f64>, towards: &Vector3<f64>, up: &Vector3<f64>) -> Option<Rotation3<f64>> {
    let towards = Unit::try_new(*towards, f64::from(f32::MIN_POSITIVE))?;
    let ups = [*up, Vector3::y(), Vector3::z(), Vector3::x()];
    let up = ups.into_iter().find(|up| {
        let up = Unit::try_new(*up, f64::from(f32::MIN_POSITIVE));
        up.is_some_and(|up| up.cross(&towards).norm() > 1e-6)
    })?;
    frame(&(into * towards.into_inner()), &(into * up))
}

/// The rotation that carries the z axis along `forward` and the y axis into the plane of `forward` and `up`.
fn frame(forward: &Vector3<f64>, up: &Vector3<f64>) -> Option<Rotation3<f64>> {
    let across = up.cross(forward);
    let usable = forward.norm() > 0.0 && across.norm() > 0.0 && across.iter().all(|x| x.is_finite());
    usable.then(|| Rotation3::face_towards(forward, up))
}
