//! Writing an entity's [`Transform`].

use legion::{Entity, World};

use super::{EditError, Edits};
use crate::transform::Transform;

impl Transform {
    /// Writes the entity's local transform into its components. A missing one is added only where
    /// it matters.
    ///
    /// A scale goes into the component that the entity has, if it fits. Otherwise a uniform scale
    /// goes into [`Scale`](crate::components::Scale), another one into
    /// [`NonUniformScale`](crate::components::NonUniformScale), which replaces `Scale`. An entity
    /// with Euler angles gets new angles; one with pivots keeps them; one without `LocalToWorld`
    /// gets it. The derived matrices follow in the next run.
    ///
    /// # Errors
    /// [`EditError`] if the entity is dead, or if a component of yours writes its rotation or
    /// scale.
    pub fn write(&self, world: &mut World, entity: Entity) -> Result<(), EditError> {
        Edits::default().set_local(world, entity, *self)
    }
}
