//! Plans: all that an edit will write, worked out before anything is touched.

use legion::{Entity, World};
use nalgebra::Matrix4;

use super::{
    EditError, Edits, OnShear,
    solve::{Target, Unsolved, solve},
};
use crate::{
    components::*,
    query::{
        LocalInputs, Path, QueryError, TransformQuery, component, entry, follow, has, is_orphan,
    },
    rules,
    storage::Mask,
};

/// All that an edit changes on one entity.
pub(super) struct Plan {
    pub entity: Entity,
    pub parent: ParentChange,
    pub local: LocalChange,
}

pub(super) enum ParentChange {
    Keep,
    /// With `reset`, `ParentScaleInverse` becomes the identity: the new parent has no scale, and
    /// the value cancelled the old parent's scale, or had no effect because there was no parent.
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
    /// The inputs before and after.
    Inputs(Box<(LocalInputs, LocalInputs)>),
    /// The pose of an entity with a frame.
    Frame(Frame),
    /// The stored matrix. `strip` removes the inputs that would overwrite it.
    LocalToParent {
        matrix: Matrix4<f32>,
        strip: bool,
    },
    /// The stored matrix of a root.
    LocalToWorld {
        matrix: Matrix4<f32>,
        strip: bool,
    },
}

/// Where an entity stands, and so which matrix places it in the world.
pub(super) enum Place {
    /// Where its stored `LocalToWorld` says: the bundle does not write that.
    Own,
    /// Below this parent, by its inputs or its stored matrix.
    Below(Entity),
    /// On a cycle: its `LocalToParent` is its world matrix.
    Cyclic,
    Root,
}

/// Works out plans for one world.
pub(super) struct Planner<'a> {
    world: &'a World,
    edits: &'a Edits,
    pub(super) fresh: TransformQuery<'a, World>,
}

impl<'a> Planner<'a> {
    pub fn new(world: &'a World, edits: &'a Edits) -> Self {
        Self { world, edits, fresh: edits.fresh(world) }
    }

    /// The child is to stand at `pose`, or where it is now if there is none.
    pub fn set_parent(
        &self,
        child: Entity,
        parent: Entity,
        pose: Option<LocalToWorld>,
    ) -> Result<Plan, EditError> {
        let path = self.fresh.path(child)?;
        let below = Place::Below(parent);
        let base = self.base(child, &below)?;
        self.refuse_cycle(child, parent)?;
        if path.entities.get(1) == Some(&parent) && pose.is_none() {
            return Ok(Plan {
                entity: child,
                parent: ParentChange::Keep,
                local: LocalChange::Keep,
            });
        }
        let pose = pose.map_or_else(|| self.fresh.local_to_world(child), Ok)?;
        // Without a parent the value had no effect. It may stem from one that is dead by now.
        let is_stale = path.entities.len() == 1 && self.derives_inverse(child)?;
        let reset = (is_stale || self.cancels(&path)?) && !self.has_scale(parent)?;
        let local = if has::<Frame>(&entry(self.world, child)?) {
            LocalChange::Frame(Frame::seen_from(self.world, child, Some(parent)))
        } else if self.overrides_world(child)? {
            LocalChange::Keep
        } else {
            self.local(child, below, Target::new(&base, &pose), reset)?
        };
        Ok(Plan { entity: child, parent: ParentChange::Set { parent, reset }, local })
    }

    pub fn remove_parent(&self, child: Entity) -> Result<Plan, EditError> {
        let path = self.fresh.path(child)?;
        let entry = entry(self.world, child)?;
        if !has::<Parent>(&entry) && !has::<LocalToParent>(&entry) {
            return Ok(Plan {
                entity: child,
                parent: ParentChange::Keep,
                local: LocalChange::Keep,
            });
        }
        let pose = self.fresh.local_to_world(child)?;
        let reset = self.cancels(&path)?;
        let local = if has::<Frame>(&entry) {
            LocalChange::Frame(Frame::seen_from(self.world, child, None))
        } else if self.overrides_world(child)? {
            LocalChange::Keep
        } else {
            self.local(child, Place::Root, Target::new(&Matrix4::identity(), &pose), false)?
        };
        Ok(Plan { entity: child, parent: ParentChange::Remove { reset }, local })
    }

    pub fn set_world(&self, entity: Entity, pose: &Matrix4<f32>) -> Result<Plan, EditError> {
        let place = self.place(entity)?;
        let base = self.base(entity, &place)?;
        let local = self.local(entity, place, Target::new(&base, pose), false)?;
        Ok(Plan { entity, parent: ParentChange::Keep, local })
    }

    /// The entity carried by a map of the world. Its local matrix and its parent's are taken, not
    /// its world matrix: far from the origin, that is rounded to a coarser step than small moves.
    pub fn carry(&self, entity: Entity, map: &Matrix4<f64>) -> Result<Plan, EditError> {
        let place = self.place(entity)?;
        let local = self.fresh_local(entity, &place)?;
        let target = Target::carried(&self.base(entity, &place)?, &local, map);
        let local = self.local(entity, place, target, false)?;
        Ok(Plan { entity, parent: ParentChange::Keep, local })
    }

    /// The change that brings the entity to the target in this place. There is no target if what
    /// the entity stands in has no inverse.
    fn local(
        &self,
        entity: Entity,
        place: Place,
        target: Option<Target>,
        reset: bool,
    ) -> Result<LocalChange, EditError> {
        let inputs = self.inputs(entity, &place, reset)?;
        let target = target.ok_or_else(|| base_error(entity, &place))?;
        if matches!(place, Place::Own) || inputs.is_empty() || self.writes_matrix(entity, &place)? {
            return Ok(stored(&place, target.matrix(), false));
        }
        self.solved(entity, &place, &target, inputs)
    }

    pub(super) fn solved(
        &self,
        entity: Entity,
        place: &Place,
        target: &Target,
        inputs: LocalInputs,
    ) -> Result<LocalChange, EditError> {
        match solve(&inputs, target) {
            Ok(changed) => Ok(LocalChange::Inputs(Box::new((inputs, changed)))),
            Err(Unsolved::Fixed(component)) => Err(EditError::Overridden { entity, component }),
            Err(Unsolved::NoTransform(reason)) => match self.edits.on_shear {
                OnShear::Fail => Err(EditError::NoTransform { entity, reason }),
                OnShear::WriteMatrix => Ok(stored(place, target.matrix(), true)),
            },
        }
    }

    pub(super) fn place(&self, entity: Entity) -> Result<Place, EditError> {
        let path = self.fresh.path(entity)?;
        if has::<Frame>(&entry(self.world, entity)?) {
            return Err(EditError::Framed(entity));
        }
        Ok(match path.entities.get(1) {
            _ if self.is_own(entity)? => Place::Own,
            Some(parent) => Place::Below(*parent),
            None if path.cyclic => Place::Cyclic,
            None => Place::Root,
        })
    }

    /// What the entity's local matrix leads to in this place: what it inherits of its parent's
    /// world, or would inherit there.
    pub(super) fn base(&self, entity: Entity, place: &Place) -> Result<Matrix4<f32>, EditError> {
        match place {
            Place::Below(parent) => {
                let parent = self.fresh.local_to_world(*parent)?;
                Ok(self.fresh.inherited(entity, &parent)?)
            }
            Place::Own | Place::Cyclic | Place::Root => Ok(Matrix4::identity()),
        }
    }

    pub(super) fn fresh_local(
        &self,
        entity: Entity,
        place: &Place,
    ) -> Result<Matrix4<f32>, EditError> {
        Ok(match place {
            Place::Below(_) => self.fresh.local_to_parent(entity)?.0,
            Place::Own | Place::Cyclic | Place::Root => self.fresh.local_to_world(entity)?.0,
        })
    }

    pub(super) fn inputs(
        &self,
        entity: Entity,
        place: &Place,
        reset: bool,
    ) -> Result<LocalInputs, EditError> {
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

    /// Whether the bundle does not write the entity's `LocalToWorld`.
    fn is_own(&self, entity: Entity) -> Result<bool, EditError> {
        Ok(self.overrides_world(entity)? || is_orphan(&entry(self.world, entity)?))
    }

    /// Whether a user's component writes the `LocalToParent` that places the entity.
    pub(super) fn writes_matrix(&self, entity: Entity, place: &Place) -> Result<bool, EditError> {
        let member = matches!(place, Place::Below(_) | Place::Cyclic);
        Ok(member && self.edits.overrides.has(&entry(self.world, entity)?, Mask::LOCAL_TO_PARENT))
    }

    /// Whether the entity's `ParentScaleInverse` is computed from its parent.
    fn cancels(&self, path: &Path) -> Result<bool, EditError> {
        let [child, parent, ..] = path.entities[..] else { return Ok(false) };
        Ok(self.derives_inverse(child)? && self.has_scale(parent)?)
    }

    /// Whether the entity has a `ParentScaleInverse` that the bundle may write.
    fn derives_inverse(&self, entity: Entity) -> Result<bool, EditError> {
        let entry = entry(self.world, entity)?;
        let is_overridden = || self.edits.overrides.has(&entry, Mask::PARENT_SCALE_INVERSE);
        Ok(has::<ParentScaleInverse>(&entry) && !is_overridden())
    }

    fn has_scale(&self, entity: Entity) -> Result<bool, EditError> {
        let entry = entry(self.world, entity)?;
        Ok(rules::first(Mask::of(entry.archetype().layout()), rules::SCALINGS) != Mask::NONE)
    }

    /// Walks up from the parent by `Parent` alone. A chain without the other components is not
    /// linked yet, but it would close a cycle when it gets them.
    fn refuse_cycle(&self, child: Entity, parent: Entity) -> Result<(), EditError> {
        let mut met = false;
        follow(parent, |entity| {
            met |= entity == child;
            match entry(self.world, entity) {
                Ok(entry) if !met => {
                    Ok(component::<Parent>(&entry, entity)?.map(|parent| parent.0))
                }
                Ok(_) | Err(QueryError::Dead(_)) => Ok(None),
                Err(error) => Err(error),
            }
        })?;
        if met { Err(EditError::Cycle { child, parent }) } else { Ok(()) }
    }
}

pub(super) fn base_error(entity: Entity, place: &Place) -> EditError {
    match place {
        Place::Below(parent) => EditError::ParentNotInvertible { entity, parent: *parent },
        Place::Own | Place::Cyclic | Place::Root => EditError::Query(QueryError::NoInverse(entity)),
    }
}

pub(super) fn stored(place: &Place, matrix: Matrix4<f32>, strip: bool) -> LocalChange {
    match place {
        Place::Below(_) | Place::Cyclic => LocalChange::LocalToParent { matrix, strip },
        Place::Own | Place::Root => LocalChange::LocalToWorld { matrix, strip },
    }
}
