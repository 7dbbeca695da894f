//! Where an entity is *now*, between two runs of the bundle, and its relatives.
//!
//! [`LocalToWorld`] is as of the last run. [`TransformQuery`] computes a *fresh* answer from the
//! components of the entity and its ancestors. It has the bits that the next run will write, unless
//! your own system changes something first.
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
//! An answer costs in proportion to the entity's depth. A query keeps no answers, but what it has
//! learnt of archetypes: so ask one query many questions. A system declares what it reads by
//! [`read_transforms!`](crate::read_transforms). [`Walk`] goes from entity to entity.
//!
//! [Where is it now](crate::guide::where_is_it_now) lists all questions; [fast
//! worlds](crate::guide::fast_worlds) has their costs. Normals go through
//! [`AffineMap`](crate::math::algebra::AffineMap); shear comes from
//! [`decompose`](crate::math::decompose::decompose).

mod answers;
mod place;
mod read_transforms;
mod transform;
mod walk;

use std::fmt;

use legion::{Entity, EntityStore};
use nalgebra::{Matrix4, Point3};

use crate::{components::*, engine::FreshRows};

pub use crate::findings::query_error::QueryError;
pub(crate) use place::{Place, between, frame_at, has_met_frames, own_frame, pose};
pub use read_transforms::ReadTransforms;
pub(crate) use walk::Subtree;
pub use walk::Walk;

/// Answers about where entities are now. Works on a `World` and on a `SubWorld`.
///
/// It goes by the options of the bundles that have run on the world: where your own component has
/// taken over a derived one by a write group, the stored value counts, and with
/// [`insert_missing`](crate::TransformSystemBundle::insert_missing) an entity counts as if it had
/// what it lacks. Before the first run these are not known: none of your write groups counts, every
/// [`Frame`] does, as with [`large_worlds`](crate::TransformSystemBundle::large_worlds), and where
/// a matrix is missing without which a link is ignored, the answer is an error that names it.
///
/// Two things that the next run does are not foreseen. The first are writes of your own systems,
/// those in the bundle's places for them too. The second is one reset: a [`ParentScaleInverse`]
/// that the bundle wrote becomes the identity when its source goes (the parent loses its last
/// scale, or the entity moves below a parent without one). Whether the bundle wrote it is not
/// visible from outside, so the stored value counts until that run.
///
/// What the entities of an archetype share is found once a query: many questions to one query cost
/// less each than the first.
pub struct TransformQuery<'a, S> {
    rows: FreshRows<'a, &'a S>,
}

impl<S> fmt::Debug for TransformQuery<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransformQuery").finish_non_exhaustive()
    }
}

impl<'a, S: EntityStore> TransformQuery<'a, S> {
    /// Answers about this world, or about the part of it that a system sees.
    #[must_use]
    #[inline]
    pub fn new(store: &'a S) -> Self {
        Self { rows: FreshRows::new(store) }
    }

    /// The entity's `LocalToWorld` after the next run.
    ///
    /// An entity that the next run makes a root (its parent has died, or lost its `LocalToWorld`)
    /// counts as one. The `LocalToWorld` of an entity on a cycle is its `LocalToParent`, while the
    /// cycle lasts; so is that of one that waits for its parent. A [`Frame`] is where the last run
    /// put it, relative to `Origin`, whatever was written since; so is what is below it. Costs in
    /// proportion to the depth.
    ///
    /// # Errors
    /// [`QueryError`] if the entity is dead or has no `LocalToWorld`, or if access to a component
    /// is missing.
    pub fn local_to_world(&self, entity: Entity) -> Result<LocalToWorld, QueryError> {
        self.rows.local_to_world(entity)
    }

    /// Where the entity is after the next run. Costs as much as its matrix.
    ///
    /// # Errors
    /// As [`local_to_world`](Self::local_to_world).
    pub fn position(&self, entity: Entity) -> Result<Point3<f32>, QueryError> {
        self.rows.position(entity)
    }

    /// The entity's `WorldToLocal` after the next run. Costs in proportion to the depth.
    ///
    /// # Errors
    /// As [`local_to_world`](Self::local_to_world), and [`QueryError::NoInverse`] if there is no
    /// finite inverse. The bundle would write the identity.
    pub fn world_to_local(&self, entity: Entity) -> Result<WorldToLocal, QueryError> {
        self.rows.world_to_local(entity)
    }

    /// From the entity's space to its parent's, or to the world's for a root. An entity that
    /// [inherits](Inherits) parts of its parent's world only: to the space of these parts. Costs in
    /// proportion to the depth: an entity on a cycle has no parent, so all ancestors are looked at.
    ///
    /// # Errors
    /// As [`local_to_world`](Self::local_to_world).
    pub fn local_to_parent(&self, entity: Entity) -> Result<LocalToParent, QueryError> {
        self.rows.local_to_parent(entity)
    }

    /// From one entity's space to another's. Costs in proportion to both depths.
    ///
    /// It goes by way of the world, in `f32`. Where one of the two is in a [`Frame`], it goes by
    /// way of that frame, or of both, in `f64`, and is rounded at the end: as exact as the local
    /// matrices on the way, however far away the two are.
    ///
    /// # Errors
    /// As [`local_to_world`](Self::local_to_world) of `from` and
    /// [`world_to_local`](Self::world_to_local) of `to`.
    pub fn between(&self, from: Entity, to: Entity) -> Result<Matrix4<f32>, QueryError> {
        self.rows.between(from, to)
    }

    /// Where the entity is in the space of the [`Frame`] that `frame` has or stands in: from the
    /// entity's space to that one, in `f64`. It is computed from the components of now, frames
    /// among them, by way of the frames of both. [`Frame::between`] answers the same for frames.
    ///
    /// It is as exact as the local matrices between the entity and its own frame, which are `f32`;
    /// and the way from one frame to the other is off by at most 1e-15, relative to the distances
    /// on it. An entity in no frame is relative to the origin of the last run, and is as exact as
    /// `LocalToWorld`.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{frames::Frame, prelude::*};
    /// # let mut world = World::default();
    /// let station = world.push_transform((Frame::from_xyz(1e11, 0.0, 0.0),));
    /// let ship = world.push_transform((Frame::from_xyz(1e11 + 50.0, 0.0, 0.0),));
    /// let lamp = world.push_child(ship, (Translation::new(0.25, 0.0, 0.0),));
    /// let query = TransformQuery::new(&world);
    /// assert_eq!(query.in_frame(lamp, ship)?.m14, 0.25);
    /// assert_eq!(query.in_frame(lamp, station)?.m14, 50.25);
    /// # Ok::<(), legion_transform::query::QueryError>(())
    /// ```
    ///
    /// # Errors
    /// As [`local_to_world`](Self::local_to_world). [`QueryError::NoFrame`] if `frame` is in no
    /// frame.
    pub fn in_frame(&self, entity: Entity, frame: Entity) -> Result<Matrix4<f64>, QueryError> {
        self.rows.in_frame(entity, frame)
    }
}
