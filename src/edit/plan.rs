//! Plans: all that an edit will write.

use legion::Entity;
use nalgebra::Matrix4;

use crate::{components::Frame, engine::LocalInputs};

/// All that an edit changes on one entity.
pub(super) struct Plan {
    pub entity: Entity,
    pub parent: ParentChange,
    /// `ParentScaleInverse` becomes the identity: the new parent has no scale, and the value
    /// cancelled the old parent's scale, or had no effect because there was no parent.
    pub reset: bool,
    pub local: LocalChange,
}

impl Plan {
    /// One that changes nothing but the place below the parent.
    pub fn local(entity: Entity, local: LocalChange) -> Self {
        Self { entity, parent: ParentChange::Keep, reset: false, local }
    }
}

pub(super) enum ParentChange {
    Keep,
    Set(Entity),
    Remove,
}

/// The inputs before and after.
pub(super) type Change = Box<(LocalInputs, LocalInputs)>;

pub(super) enum LocalChange {
    Keep,
    Inputs(Change),
    /// The pose of an entity with a frame, or one that gets a frame in place of its inputs.
    Frame(Frame),
    /// The stored matrix: `LocalToParent`, or `LocalToWorld` of a root. `strip` removes the inputs
    /// that would overwrite it.
    Matrix {
        matrix: Matrix4<f32>,
        is_local: bool,
        strip: bool,
    },
}
