//! Reading an entity's [`Transform`] and [`LocalToWorld`].

use legion::{Entity, EntityStore};

use super::{QueryError, TransformQuery};
use crate::{components::LocalToWorld, engine::FreshRows, transform::Transform};

impl LocalToWorld {
    /// The matrix of an entity as the last run left it: of a `World`, or of a `SubWorld` that may
    /// read it. [`TransformQuery`] has the one of now.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{prelude::*, query::QueryError};
    /// # let mut world = World::default();
    /// let rock = world.push_transform((Translation::new(1.0, 0.0, 0.0),));
    /// assert_eq!(LocalToWorld::of(&world, rock)?, LocalToWorld::identity()); // no run yet
    /// world.remove(rock);
    /// assert_eq!(LocalToWorld::of(&world, rock), Err(QueryError::Dead(rock)));
    /// # Ok::<(), QueryError>(())
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Dead`], [`QueryError::NoLocalToWorld`], or [`QueryError::MissingAccess`] if
    /// the system has not declared read access to `LocalToWorld`.
    pub fn of(store: &impl EntityStore, entity: Entity) -> Result<Self, QueryError> {
        FreshRows::stored_world(store, entity)
    }
}

impl Transform {
    /// Reads an entity's local transform, in its parent's space (or the world's, for a root).
    ///
    /// Absent components are the identity; Euler angles count as the rotation they will write. An
    /// entity without any of them has its local matrix taken apart, and so has one with composites,
    /// pivots or [`ParentScaleInverse`](crate::components::ParentScaleInverse): then it costs in
    /// proportion to the depth, otherwise it reads this entity's row alone.
    ///
    /// It also takes the `SubWorld` that a system is given. To write, take the components that you
    /// change into the system's own query, or record the edit, which finds the right components at
    /// the flush:
    ///
    /// ```
    /// # use legion::{world::SubWorld, systems::CommandBuffer, *};
    /// # use legion_transform::prelude::*;
    /// # use nalgebra::Vector3;
    /// struct Balloon;
    ///
    /// /// All balloons have these three components.
    /// #[system(for_each)]
    /// fn rise(_: &Balloon, t: &mut Translation, r: &mut Rotation, s: &mut NonUniformScale) {
    ///     let mut transform = Transform::from_components(t, r, s);
    ///     transform.translation.y += 1.0;
    ///     (*t, *r, *s) = transform.components();
    /// }
    ///
    /// read_transforms! {
    ///     /// Entities of any kind.
    ///     #[system]
    ///     fn shrink(
    ///         world: &SubWorld<'_>,
    ///         commands: &mut CommandBuffer,
    ///         #[resource] shrinking: &Vec<Entity>,
    ///     ) {
    ///         for &entity in shrinking {
    ///             let Ok(mut transform) = Transform::read(world, entity) else { continue };
    ///             transform.scale *= 0.5;
    ///             commands.set_transform(entity, transform);
    ///         }
    ///     }
    /// }
    ///
    /// # let (mut world, mut resources) = (World::default(), Resources::default());
    /// let balloon = world.push_transform((
    ///     Balloon,
    ///     Translation::identity(),
    ///     Rotation::identity(),
    ///     NonUniformScale::identity(),
    /// ));
    /// let box_ = world.push_transform((Translation::new(1.0, 0.0, 0.0), Scale(2.0)));
    /// resources.insert(vec![box_]);
    /// let mut schedule = Schedule::builder()
    ///     .add_system(rise_system())
    ///     .add_system(shrink_system())
    ///     .add_transforms(TransformSystemBundle::default())
    ///     .build();
    /// schedule.execute(&mut world, &mut resources);
    /// let matrix = |entity| {
    ///     *world.entry_ref(entity).unwrap().get_component::<LocalToWorld>().unwrap()
    /// };
    /// assert_eq!(matrix(balloon).position(), [0.0, 1.0, 0.0].into());
    /// assert_eq!(matrix(box_).scale(), NonUniformScale::identity());
    /// ```
    ///
    /// # Errors
    /// [`QueryError`] if the entity is dead, has no `LocalToWorld`, or access is missing;
    /// [`QueryError::NoTransform`] if the local matrix is sheared, singular or projective and so is
    /// no translation, rotation and scale.
    pub fn read<S: EntityStore>(store: &S, entity: Entity) -> Result<Self, QueryError> {
        if let Some(transform) = FreshRows::simple(&store, entity)? {
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
