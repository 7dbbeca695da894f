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
//! let edits = Edits::default();
//! edits.set_parent(&mut world, cup, hand)?; // stays where it is ...
//! let position = TransformQuery::new(&world).local_to_world(cup)?.position();
//! assert_eq!(position, Point3::new(5.0, 1.0, 0.0));
//! let local = Transform::read(&world, cup)?; // ... by other numbers
//! assert_eq!(local.translation, Vector3::new(0.0, 0.5, 0.0));
//! assert_eq!(local.scale, Vector3::repeat(0.5));
//! # Ok::<(), EditError>(())
//! ```
//!
//! - An entity without `LocalToWorld` gets one. Its other components say where it is.
//! - Edits start from *fresh* world matrices ([`TransformQuery`]), so several edits in a row
//!   between two runs are right.
//! - Edits write the components that the entity has (Euler angles, pivots and composites too) and
//!   add a missing one only where it matters; the derived matrices follow in the next run. A
//!   component that need not change keeps its bits.
//! - A pose below a non-uniformly scaled parent may need shear, which no translation, rotation and
//!   scale can express. Then [`OnShear`] chooses between an error and a matrix.
//! - All entities below the edited one follow it, and so stay in place with it, except where a
//!   [`ParentScaleInverse`](crate::components::ParentScaleInverse) down there depends on the edited
//!   entity's scale.
//! - Where a component of yours has taken over `LocalToWorld` or `LocalToParent` (a write group),
//!   the edit writes the stored matrix.
//!
//! In a system, [`Edits::commands`] records the same edits in a `CommandBuffer`; they are evaluated
//! at the flush.
//!
//! # What edits cost
//!
//! | edit | costs in proportion to |
//! | --- | --- |
//! | `set_local`, `set_world`, `translate`, `rotate`, `rotate_around`, `look_at` | the depth |
//! | `set_parent`, `remove_parent` | the depths of both places |
//! | `insert_child` | these, and the number of siblings |
//! | `detach_children` | the number of children, times the depth |
//! | `despawn_subtree`, `despawn_subtrees` | the number of entities below |
//!
//! The last three need all children of an entity, also those linked since the last run. These are
//! looked for among the entities that came since, and in archetypes in which a `Parent` was written
//! by other means than edits, once for each such write. All of the world is searched, once, before
//! the first run of a bundle, and after a list of `Children` may have been written by others.
//!
//! # The order of children
//!
//! [`Children`](crate::components::Children) keep their order from run to run. New children follow:
//! first entities that were spawned or got a component, then entities whose `Parent` was
//! overwritten, both in the order in which Legion stores them (archetype by archetype, in each by
//! row). [`Edits::insert_child`] puts a child at an index, and a list of `Children` that you write
//! yourself is kept as far as it is right.
//!
//! ```
//! # use legion::*;
//! # use legion_transform::{edit::EditError, prelude::*};
//! # let (mut world, mut resources) = (World::default(), Resources::default());
//! # let bundle = TransformSystemBundle::default();
//! # let mut schedule = Schedule::builder().add_transforms(bundle).build();
//! let menu = world.push_transform((Translation::new(0.0, 10.0, 0.0),));
//! let below = |i: i32| (Translation::new(0.0, -i as f32, 0.0),);
//! let items = world.extend_children(menu, (0..3).map(below));
//! let quit = world.push_transform((Translation::new(0.0, 7.0, 0.0),));
//!
//! // `quit` stays where it is, and is the second item.
//! Edits::default().insert_child(&mut world, menu, 1, quit)?;
//! Edits::default().insert_child(&mut world, menu, 0, items[2])?;
//! schedule.execute(&mut world, &mut resources);
//! let children = world.entry(menu).unwrap().get_component::<Children>().unwrap().clone();
//! assert_eq!(children.0.as_slice(), [items[2], items[0], quit, items[1]]);
//! # Ok::<(), EditError>(())
//! ```

mod apply;
mod commands;
mod error;
mod euler;
mod local;
mod look;
mod missing;
mod options;
mod plan;
mod planner;
mod relations;
mod siblings;
mod solve;
mod standing;
mod subtree;
mod wanted;

use legion::{Entity, World, systems::CommandBuffer};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

pub use commands::{EditCommands, FailedEdits};
pub use error::EditError;
pub use options::{Edits, OnShear};

use plan::Plan;
use planner::Planner;

#[cfg(doc)]
use crate::query::TransformQuery;
use crate::{
    engine::{FreshRows, QueryError, guard},
    transform::Transform,
};

impl Edits {
    /// The same edits for a command buffer: recorded now, evaluated at the flush.
    pub fn commands<'a>(&self, buffer: &'a mut CommandBuffer) -> EditCommands<'a> {
        EditCommands::new(self.clone(), buffer)
    }

    /// Places the entity in the world: afterwards its world matrix is this one (an `Isometry3`,
    /// `Similarity3`, `Affine3` or `Matrix4`), whatever its parent is. Costs in proportion to the
    /// depth, as do the next four.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged.
    pub fn set_world(
        &self,
        world: &mut World,
        entity: Entity,
        pose: impl Into<Matrix4<f32>>,
    ) -> Result<(), EditError> {
        let pose = pose.into();
        self.edit(world, &[entity], |planner| planner.set_world(entity, &pose))
    }

    /// Moves the entity by a vector of the world. Where its components say where it is, only its
    /// translation changes.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged.
    pub fn translate(
        &self,
        world: &mut World,
        entity: Entity,
        by: Vector3<f32>,
    ) -> Result<(), EditError> {
        let map = Matrix4::new_translation(&by.cast());
        self.edit(world, &[entity], |planner| planner.carry(entity, &map))
    }

    /// Turns the entity about a point of the world, and about axes of the world: both where it is
    /// and how it is turned. Below a non-uniformly scaled parent the result may need shear; see
    /// [`OnShear`].
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged.
    pub fn rotate_around(
        &self,
        world: &mut World,
        entity: Entity,
        point: Point3<f32>,
        rotation: impl Into<UnitQuaternion<f32>>,
    ) -> Result<(), EditError> {
        let map = turn_around(&point, &rotation.into());
        self.edit(world, &[entity], |planner| planner.carry(entity, &map))
    }

    /// Turns the entity about axes of the world through its own origin: it stays where it is. (To
    /// turn it about its own axes, multiply its `Rotation` from the right.) As
    /// [`rotate_around`](Self::rotate_around) otherwise.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged.
    pub fn rotate(
        &self,
        world: &mut World,
        entity: Entity,
        rotation: impl Into<UnitQuaternion<f32>>,
    ) -> Result<(), EditError> {
        let rotation = rotation.into();
        self.edit(world, &[entity], |planner| {
            let place = planner.fresh.world_of(entity)?;
            let point = place.column(3).xyz().into();
            planner.carry(entity, &turn_around(&point, &rotation))
        })
    }

    /// Turns the entity so that its z axis
    /// ([`LocalToWorld::forward`](crate::components::LocalToWorld::forward)) points at `target`, a
    /// point of the world, with its y axis towards `up` as far as that allows. It stays where it
    /// is, and so does its scale.
    ///
    /// Only the local rotation changes, also below a non-uniformly scaled parent. There the world
    /// direction is exact, and the entity is sheared like every turned child of such a parent. If
    /// `up` points at the target, too, another axis of the world replaces it.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged. [`EditError::NoDirection`] if the target is
    /// where the entity is.
    pub fn look_at(
        &self,
        world: &mut World,
        entity: Entity,
        target: Point3<f32>,
        up: Vector3<f32>,
    ) -> Result<(), EditError> {
        self.edit(world, &[entity], |planner| planner.look_at(entity, &target, &up))
    }

    /// Writes the entity's local transform into its components. A missing one is added only where
    /// it matters. Costs nothing beyond the writes where it has a `Translation`, a `Rotation` and a
    /// scale of the right kind, and nothing else that counts; otherwise in proportion to the depth.
    ///
    /// A scale goes into the component that the entity has, if it fits. Otherwise a uniform scale
    /// goes into [`Scale`](crate::components::Scale), another one into
    /// [`NonUniformScale`](crate::components::NonUniformScale), which replaces `Scale`. An entity
    /// with Euler angles gets new angles; one with pivots keeps them; one without `LocalToWorld`
    /// gets it. The derived matrices follow in the next run.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged.
    pub fn set_local(
        &self,
        world: &mut World,
        entity: Entity,
        transform: Transform,
    ) -> Result<(), EditError> {
        if local::write_in_place(world, entity, &transform, &self.overrides) {
            return Ok(());
        }
        self.edit(world, &[entity], |planner| planner.set_local(entity, &transform))
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
                let pose = self.fresh(world).world_of(entities[0]).ok();
                let added = missing::add_local_to_world(world, entities);
                made = plan(&Planner::new(world, self, pose));
                if made.is_err() {
                    missing::remove_local_to_world(world, &added);
                }
            }
            made.map(|plan| plan.apply(world))
        })
    }

    fn fresh<'a>(&self, world: &'a World) -> FreshRows<'a, World> {
        FreshRows::new(world, self.overrides.clone())
    }
}

/// The map of the world that turns it about a point.
fn turn_around(point: &Point3<f32>, rotation: &UnitQuaternion<f32>) -> Matrix4<f64> {
    let point = point.coords.cast::<f64>();
    let turn = UnitQuaternion::new_normalize(rotation.into_inner().cast::<f64>());
    let there = Matrix4::new_translation(&point) * turn.to_homogeneous();
    there * Matrix4::new_translation(&-point)
}
