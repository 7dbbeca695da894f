//! Reading an entity's [`Transform`].

use legion::{Entity, EntityStore};

use super::{
    Kind, LocalInputs, Overrides, QueryError, TransformQuery, entry,
    inputs::{plain_transform, transform_of},
    is_world_overridden,
};
use crate::{storage::Mask, transform::Transform};

impl Transform {
    /// Reads an entity's local transform, in its parent's space (or the world's, for a root).
    ///
    /// Absent components are the identity; Euler angles count as the rotation they will write. An
    /// entity without any of them has its local matrix taken apart, and so has one with composites,
    /// pivots or [`ParentScaleInverse`](crate::components::ParentScaleInverse): then it costs in
    /// proportion to the depth, otherwise it reads this entity's row alone.
    ///
    /// # Errors
    /// [`QueryError`] if the entity is dead, has no `LocalToWorld`, or access is missing;
    /// [`QueryError::NoTransform`] if the local matrix is sheared, singular or projective and so is
    /// no translation, rotation and scale.
    pub fn read<S: EntityStore>(store: &S, entity: Entity) -> Result<Self, QueryError> {
        let row = entry(store, entity)?;
        let kind = Kind::of(row.archetype().layout(), &Overrides::default());
        if kind.is_simple() {
            let (translation, rotation) = (kind.get(&row, entity)?, kind.get(&row, entity)?);
            let (scale, axes) = (kind.get(&row, entity)?, kind.get(&row, entity)?);
            if let Some(transform) = transform_of(translation, rotation, scale, axes) {
                return Ok(transform);
            }
        }
        Self::read_with(&TransformQuery::new(store), entity)
    }

    /// As [`read`](Self::read), through a query that knows the bundle's write groups.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_with<S: EntityStore>(
        query: &TransformQuery<'_, S>,
        entity: Entity,
    ) -> Result<Self, QueryError> {
        if let Some(transform) = query.simple_inputs(entity)? {
            return Ok(transform);
        }
        Self::try_from_matrix(&query.local_to_parent(entity)?.0)
            .map_err(|reason| QueryError::NoTransform { entity, reason })
    }
}

impl<S: EntityStore> TransformQuery<'_, S> {
    /// The entity's local transform from its components, if these are translation, rotation and
    /// scale only.
    fn simple_inputs(&self, entity: Entity) -> Result<Option<Transform>, QueryError> {
        let node = self.placed(entity)?;
        if node.archetype.is_simple() {
            return plain_transform(node);
        }
        let path = self.rows().path(node)?;
        let parent = path.parent();
        let member = parent.is_some() || path.cyclic;
        if is_world_overridden(&path.nodes, path.cyclic)
            || member && node.is_overridden(Mask::LOCAL_TO_PARENT)
            || !member && node.archetype.is_orphan()
        {
            return Ok(None);
        }
        Ok(LocalInputs::load(self.rows(), node, parent)?.simple())
    }
}
