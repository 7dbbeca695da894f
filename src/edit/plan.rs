//! Plans: all that an edit will write.

use legion::Entity;
use nalgebra::Matrix4;

use crate::{components::Frame, engine::LocalInputs};

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
