//! Reading an entity's [`Transform`].

use legion::{Entity, EntityStore};

use super::{QueryError, TransformQuery};
use crate::{engine::simple_transform, transform::Transform};

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
        if let Some(transform) = simple_transform(store, entity)? {
            return Ok(transform);
        }
        TransformQuery::new(store).transform(entity)
    }
}

impl<S: EntityStore> TransformQuery<'_, S> {
    /// The entity's local transform, as [`Transform::read`] reads it. Where many entities are read,
    /// one query costs less than [`Transform::read`] of each.
    ///
    /// # Errors
    /// As [`Transform::read`].
    pub fn transform(&self, entity: Entity) -> Result<Transform, QueryError> {
        if let Some(transform) = self.rows.transform(entity)? {
            return Ok(transform);
        }
        Transform::try_from_matrix(&self.local_to_parent(entity)?.0)
            .map_err(|reason| QueryError::NoTransform { entity, reason })
    }
}
