//! Edits that keep entities in place: another parent, a place in the world, looking at a point,
//! despawning a subtree.
//!
//! ```
//! use legion::*;
//! use legion_transform::{edit::EditError, prelude::*};
//! use nalgebra::{Point3, Vector3};
//!
//! let mut world = World::default();
//! let hand = world.push((LocalToWorld::identity(), Translation::new(5.0, 0.0, 0.0), Scale(2.0)));
//! let cup = world.push((LocalToWorld::identity(), Translation::new(5.0, 1.0, 0.0)));
//!
//! world.set_parent(cup, hand)?; // stays where it is ...
//! let position = TransformQuery::new(&world).local_to_world(cup)?.position();
//! assert_eq!(position, Point3::new(5.0, 1.0, 0.0));
//! let local = Transform::read(&world, cup)?; // ... by other numbers
//! assert_eq!(local.translation, Vector3::new(0.0, 0.5, 0.0));
//! assert_eq!(local.scale, Vector3::repeat(0.5));
//! # Ok::<(), EditError>(())
//! ```
//!
//! The verbs are methods of [`EditTransforms`], on a `World` and on a `CommandBuffer`, which
//! carries them out at its flush. [`Edits`] has them with options.
//!
//! - An edit writes the components that the entity has, and as few as possible: first translation
//!   and scale, then rotation. Shear is written only where the entity has it, or
//!   [`OnShear::WriteMatrix`] allows it. What no components can hold is an [`EditError`].
//! - Edits start from the matrices of now, as [`TransformQuery`] has them. So several edits between
//!   two runs are right.
//! - Edits that need all children find new ones, too. Before a bundle's first run they search the
//!   whole world.
//!
//! [Fast worlds](crate::guide::fast_worlds) has the costs, [large
//! worlds](crate::guide::large_worlds) says what edits do in frames.

mod apply;
mod commands;
mod error;
mod local;
mod options;
mod parts;
mod planner;
mod relations;
mod solve;
mod space;
mod standing;
mod verbs;

use legion::{Entity, World};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

pub(crate) use self::apply::arrange;
use self::{apply::Plan, options::Options, planner::Planner};
pub use self::{
    commands::FailedEdits,
    error::EditError,
    options::{Edits, OnShear},
    verbs::EditTransforms,
};

#[cfg(doc)]
use crate::query::TransformQuery;
use crate::{engine::guard, findings::QueryError};

/// The verbs on a world. `relations.rs` has those of parents and children.
impl Options {
    pub fn set_local_to_world(
        &self,
        world: &mut World,
        entity: Entity,
        pose: Matrix4<f32>,
    ) -> Result<(), EditError> {
        self.edit(world, &[entity], |planner| planner.set_world(entity, &pose))
    }

    pub fn set_local_to_parent(
        &self,
        world: &mut World,
        entity: Entity,
        matrix: Matrix4<f32>,
    ) -> Result<(), EditError> {
        self.edit(world, &[entity], |planner| planner.set_local_matrix(entity, &matrix))
    }

    pub fn translate(
        &self,
        world: &mut World,
        entity: Entity,
        by: Vector3<f32>,
    ) -> Result<(), EditError> {
        self.edit(world, &[entity], |planner| planner.translate(entity, &by))
    }

    pub fn rotate_around(
        &self,
        world: &mut World,
        entity: Entity,
        point: Point3<f32>,
        rotation: UnitQuaternion<f32>,
    ) -> Result<(), EditError> {
        self.edit(world, &[entity], |planner| planner.turn(entity, Some(point.coords), &rotation))
    }

    pub fn rotate(
        &self,
        world: &mut World,
        entity: Entity,
        rotation: UnitQuaternion<f32>,
    ) -> Result<(), EditError> {
        self.edit(world, &[entity], |planner| planner.turn(entity, None, &rotation))
    }

    pub fn scale_around(
        &self,
        world: &mut World,
        entity: Entity,
        point: Point3<f32>,
        factors: Vector3<f32>,
    ) -> Result<(), EditError> {
        self.edit(world, &[entity], |planner| planner.scale(entity, &point.coords, &factors))
    }

    pub fn look_at(
        &self,
        world: &mut World,
        entity: Entity,
        target: Point3<f32>,
        up: Vector3<f32>,
    ) -> Result<(), EditError> {
        self.edit(world, &[entity], |planner| planner.look_at(entity, &target, &up))
    }

    /// Makes a plan and applies it. If an entity lacks `LocalToWorld`, it gets one, and the plan is
    /// made again. On an error it loses it again.
    fn edit(
        &self,
        world: &mut World,
        entities: &[Entity],
        plan: impl Fn(&Planner<'_>) -> Result<Plan, EditError>,
    ) -> Result<(), EditError> {
        guard(world, entities, |world| {
            let mut made = plan(&Planner::new(world, self, None));
            if let Err(EditError::Query(QueryError::NoLocalToWorld(_))) = made {
                let pose = Planner::new(world, self, None).place(entities[0]).ok();
                let added = apply::add_local_to_world(world, entities);
                made = plan(&Planner::new(world, self, pose));
                if made.is_err() {
                    apply::remove_local_to_world(world, &added);
                }
            }
            made.map(|plan| plan.apply(world))
        })
    }
}
