//! Where an entity is *now*, between two runs of the bundle, and its relatives.
//!
//! [`LocalToWorld`] is as of the last run; later changes (a parent that moved, a new entity,
//! another parent) are not in it. [`TransformQuery`] computes a *fresh* answer from the components
//! of the entity and its ancestors, with the formulas and in the order of the bundle. It has the
//! bits that the next run will write, unless a system of yours changes something first.
//!
//! ```
//! use legion::*;
//! use legion_transform::prelude::*;
//! use nalgebra::{Point3, Vector3};
//!
//! let mut world = World::default();
//! let ship = world.push((LocalToWorld::identity(), Translation::new(10.0, 0.0, 0.0), Scale(2.0)));
//! let gun = world.push((
//!     LocalToWorld::identity(),
//!     LocalToParent::identity(),
//!     Parent(ship),
//!     Translation::new(0.0, 1.0, 0.0),
//! ));
//!
//! // No schedule has run yet.
//! let query = TransformQuery::new(&world);
//! let gun_to_world = query.local_to_world(gun)?;
//! assert_eq!(gun_to_world.position(), Point3::new(10.0, 2.0, 0.0));
//! // A matrix has nalgebra's methods.
//! assert_eq!(gun_to_world.transform_vector(&Vector3::x()), Vector3::new(2.0, 0.0, 0.0));
//! assert_eq!(
//!     query.between(ship, gun)?.transform_point(&Point3::origin()),
//!     Point3::new(0.0, -1.0, 0.0)
//! );
//! # Ok::<(), legion_transform::query::QueryError>(())
//! ```
//!
//! An answer costs in proportion to the entity's depth: it walks up, composes on the way down, and
//! keeps nothing. For the whole world, run the bundle.
//!
//! The answer has the entity's own directions, rotation and scale. Other directions of length 1,
//! and normals, go through [`AffineMap`](crate::math::algebra::AffineMap); shear comes from
//! [`decompose`](crate::math::decompose::decompose). [`Walk`] goes from entity to entity.
//!
//! # In a system
//!
//! Both take the `SubWorld` that a system is given, and need read access only. For a system by the
//! attribute `#[system]`, [`read_transforms!`](crate::read_transforms) declares it, for one by
//! Legion's builder [`ReadTransforms::read_transforms`]. An access that is missing is a
//! [`QueryError::MissingAccess`] that names the component:
//!
//! ```
//! # use legion::{world::SubWorld, *};
//! # use legion_transform::prelude::*;
//! struct Target(Entity);
//!
//! read_transforms! {
//!     #[system(for_each)]
//!     fn aim(world: &SubWorld<'_>, target: &Target) {
//!         match TransformQuery::new(world).local_to_world(target.0) {
//!             Ok(target) => println!("aiming at {}", target.position()),
//!             Err(error) => eprintln!("{error}"), // says what to declare
//!         }
//!     }
//! }
//! # let (mut world, mut resources) = (World::default(), Resources::default());
//! # let sun = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
//! # world.push((Target(sun),));
//! # Schedule::builder().add_system(aim_system()).build().execute(&mut world, &mut resources);
//! ```

mod access;
mod inputs;
mod overrides;
mod path;
mod read_transforms;
mod transform;
mod walk;

use std::fmt;

use legion::{Entity, EntityStore, storage::Component, world::EntryRef};
use nalgebra::Matrix4;

pub(crate) use access::{component, entry, has};
pub(crate) use inputs::{LocalInputs, is_orphan};
pub(crate) use overrides::Overrides;
use path::path;
pub(crate) use path::{Path, follow, link};

use crate::{
    components::*,
    math::{
        compose::{inverse, product},
        inherited,
    },
    storage::Mask,
    write_group::WriteGroups,
};

pub use access::QueryError;
pub use read_transforms::ReadTransforms;
pub use walk::Walk;

/// Answers about where entities are now. Works on a `World` and on a `SubWorld`.
///
/// It does not foresee your own systems' writes (in the bundle's places for them, too), nor one
/// reset by the bundle. A [`ParentScaleInverse`] that the bundle wrote becomes the identity when
/// its source goes: the parent loses its last scale, or the entity moves below a parent without
/// one. Who wrote the value is not visible from outside, so the stored value is used until that
/// run.
pub struct TransformQuery<'a, S> {
    store: &'a S,
    overrides: Overrides,
}

impl<S> fmt::Debug for TransformQuery<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransformQuery").field("overrides", &self.overrides).finish_non_exhaustive()
    }
}

impl<'a, S: EntityStore> TransformQuery<'a, S> {
    /// Answers about this world, or about the part of it that a system sees.
    #[must_use]
    pub fn new(store: &'a S) -> Self {
        Self { store, overrides: Overrides::default() }
    }

    /// With the bundle's write groups: where a component of yours took over a derived one, the
    /// stored value of the derived one is used. Without registrations of your own this changes
    /// nothing.
    ///
    /// Clone the groups of the bundle
    /// ([`TransformSystemBundle::write_groups`](crate::TransformSystemBundle::write_groups)) before
    /// it goes into the schedule; as a resource they are at hand everywhere.
    #[must_use]
    pub fn with_groups(self, groups: &WriteGroups) -> Self {
        self.with_overrides(Overrides::new(groups))
    }

    pub(crate) fn with_overrides(self, overrides: Overrides) -> Self {
        Self { overrides, ..self }
    }

    /// The entity's `LocalToWorld` after the next run.
    ///
    /// An entity that the next run makes a root (its parent is dead, or lacks `LocalToWorld`)
    /// counts as one. The `LocalToWorld` of an entity on a cycle is its `LocalToParent`, while the
    /// cycle lasts.
    ///
    /// # Errors
    /// [`QueryError`] if the entity is dead or has no `LocalToWorld`, or if access to a component
    /// is missing.
    pub fn local_to_world(&self, entity: Entity) -> Result<LocalToWorld, QueryError> {
        let path = self.path(entity)?;
        // A world matrix that a user's component writes needs none of its ancestors.
        let mut start = path.entities.len() - 1;
        let mut matrix = None;
        for (i, &entity) in path.entities.iter().enumerate() {
            let entry = entry(self.store, entity)?;
            if self.is_world_overridden(&path, i, &entry) {
                (start, matrix) =
                    (i, component::<LocalToWorld>(&entry, entity)?.map(|matrix| matrix.0));
                break;
            }
        }
        let mut matrix = match matrix {
            Some(matrix) => matrix,
            None => self.root_matrix(&path)?,
        };
        for i in (0..start).rev() {
            let local = self.member_matrix(path.entities[i], path.entities[i + 1])?;
            matrix = product(&self.inherited(path.entities[i], &matrix)?, &local);
        }
        Ok(LocalToWorld(matrix))
    }

    /// The entity's `WorldToLocal` after the next run.
    ///
    /// # Errors
    /// As [`local_to_world`](Self::local_to_world), and [`QueryError::NoInverse`] if there is no
    /// finite inverse. The bundle would write the identity.
    pub fn world_to_local(&self, entity: Entity) -> Result<WorldToLocal, QueryError> {
        inverse(&self.local_to_world(entity)?.0)
            .map(WorldToLocal)
            .ok_or(QueryError::NoInverse(entity))
    }

    /// From the entity's space to its parent's, or to the world's for a root. (Below a parent of
    /// which a part is [inherited](Inherits), to the space of that part.)
    ///
    /// # Errors
    /// As [`local_to_world`](Self::local_to_world).
    pub fn local_to_parent(&self, entity: Entity) -> Result<LocalToParent, QueryError> {
        match self.path(entity)?.entities.get(1).copied() {
            Some(parent) => self.member_matrix(entity, parent).map(LocalToParent),
            None => self.local_to_world(entity).map(|matrix| LocalToParent(matrix.0)),
        }
    }

    /// From one entity's space to another's, by way of the world.
    ///
    /// # Errors
    /// As [`local_to_world`](Self::local_to_world) of `from` and
    /// [`world_to_local`](Self::world_to_local) of `to`.
    pub fn between(&self, from: Entity, to: Entity) -> Result<Matrix4<f32>, QueryError> {
        let from = self.local_to_world(from)?;
        Ok(product(&self.world_to_local(to)?.0, &from.0))
    }

    /// What the entity inherits of its parent's world.
    pub(crate) fn inherited(
        &self,
        entity: Entity,
        parent: &Matrix4<f32>,
    ) -> Result<Matrix4<f32>, QueryError> {
        let entry = entry(self.store, entity)?;
        let inherits = component::<Inherits>(&entry, entity)?.copied().unwrap_or_default();
        Ok(inherited(parent, inherits))
    }

    pub(crate) fn path(&self, entity: Entity) -> Result<Path, QueryError> {
        if !has::<LocalToWorld>(&entry(self.store, entity)?) {
            return Err(QueryError::NoLocalToWorld(entity));
        }
        path(self.store, entity)
    }

    /// Whether the bundle will not write the world matrix of the `i`-th entity of a path, because a
    /// user's component does.
    pub(crate) fn is_world_overridden(&self, path: &Path, i: usize, entry: &EntryRef<'_>) -> bool {
        let is_root = i + 1 == path.entities.len() && !path.cyclic;
        if is_root && has::<Parent>(entry) && has::<LocalToParent>(entry) {
            // Its parent is dead or has no `LocalToWorld`: the next run unlinks it first.
            return self.overrides.has_unlinked(entry, Mask::LOCAL_TO_WORLD);
        }
        self.overrides.has(entry, Mask::LOCAL_TO_WORLD)
    }

    /// The local matrix of an entity with a parent.
    fn member_matrix(&self, entity: Entity, parent: Entity) -> Result<Matrix4<f32>, QueryError> {
        let overridden = self.overrides.has(&entry(self.store, entity)?, Mask::LOCAL_TO_PARENT);
        self.stored_or_composed::<LocalToParent>(entity, Some(parent), overridden)
    }

    /// The world matrix of the last entity of a path: a root, or an entity on a cycle.
    fn root_matrix(&self, path: &Path) -> Result<Matrix4<f32>, QueryError> {
        let root = path.root();
        if path.cyclic {
            let overridden = self.overrides.has(&entry(self.store, root)?, Mask::LOCAL_TO_PARENT);
            return self.stored_or_composed::<LocalToParent>(root, None, overridden);
        }
        let entry = entry(self.store, root)?;
        if is_orphan(&entry) {
            return component::<LocalToWorld>(&entry, root)?
                .map(|matrix| matrix.0)
                .ok_or(QueryError::NoLocalToWorld(root));
        }
        self.stored_or_composed::<LocalToWorld>(root, None, false)
    }

    /// The local matrix where there are inputs and `T` is not overridden, else the stored `T`.
    fn stored_or_composed<T>(
        &self,
        entity: Entity,
        parent: Option<Entity>,
        overridden: bool,
    ) -> Result<Matrix4<f32>, QueryError>
    where
        T: Component + std::ops::Deref<Target = Matrix4<f32>>,
    {
        let entry = entry(self.store, entity)?;
        if !overridden
            && let Some(matrix) =
                LocalInputs::load(self.store, entity, parent, &self.overrides)?.matrix()
        {
            return Ok(matrix);
        }
        component::<T>(&entry, entity)?
            .map(|matrix| **matrix)
            .ok_or(QueryError::NoLocalToWorld(entity))
    }
}
