//! Writing an entity's [`Transform`].

use legion::{Entity, World};

use super::{EditError, Edits};
use crate::transform::Transform;

impl Transform {
    /// Writes the entity's local transform into the components it has, and adds those it lacks
    /// where they matter.
    ///
    /// A scale goes into the component that the entity has, if that holds it; else a uniform one
    /// into [`Scale`](crate::components::Scale), another into
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
