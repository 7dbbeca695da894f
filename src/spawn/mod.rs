//! Spawning in one line and one move: your own tuple, and the components that its transform needs.
//!
//! A transform needs [`LocalToWorld`]; a child [`LocalToParent`], [`Parent`] and [`PreviousParent`]
//! besides, and a parent [`Children`]. Legion moves an entity to a different archetype for each
//! component that is added later. So [`SpawnTransforms`] inserts all of them from the beginning, on
//! a `World` and on a `CommandBuffer`:
//!
//! ```
//! use legion::*;
//! use legion_transform::prelude::*;
//!
//! struct Mesh(&'static str);
//!
//! let (mut world, mut resources) = (World::default(), Resources::default());
//! let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
//!
//! let ship = world.push_transform((Transform::from_xyz(10.0, 0.0, 0.0), Mesh("ship")));
//! let gun = world.push_child(ship, (Translation::new(0.0, 1.0, 0.0), Scale(2.0), Mesh("gun")));
//! let shell = |i| (Translation::new(i as f32, 0.0, 0.0), Mesh("shell"));
//! let shells = world.extend_children(gun, (0..3).map(shell));
//!
//! let mut turret = None;
//! let tank = world.push_tree((Translation::new(0.0, 0.0, 5.0), Mesh("tank")), |tank| {
//!     tank.extend_children((0..6).map(|i| (Translation::new(i as f32, 0.0, 0.0), Mesh("wheel"))));
//!     turret =
//!         Some(tank.push_child_tree((Translation::new(0.0, 2.0, 0.0), Mesh("turret")), |turret| {
//!             turret.push_child((Translation::new(0.0, 0.0, 3.0), Mesh("barrel")));
//!         }));
//! });
//!
//! schedule.execute(&mut world, &mut resources);
//! let shell = world.entry(shells[2]).unwrap();
//! assert_eq!(shell.get_component::<LocalToWorld>()?.position(), [14.0, 1.0, 0.0].into());
//! let children = world.entry(tank).unwrap().get_component::<Children>()?.clone();
//! assert_eq!((children.len(), children.last().copied()), (7, turret));
//! # Ok::<(), legion::world::ComponentError>(())
//! ```
//!
//! - What the tuple has counts. An input also gets what reads it, such as `Rotation` for
//!   `RotationEulerXYZ`.
//! - A [`Transform`](crate::Transform) stands for its three components. `Translation` alone needs
//!   less memory and time.
//! - An entity with nothing but `LocalToWorld` and your own components keeps the matrix of the
//!   tuple.
//!
//! [Fast worlds](crate::guide::fast_worlds) has the costs. [`insert_with_ids`] spawns by reserved
//! ids.

mod column;
mod derived;
mod ids;
mod rows;
mod target;
mod tree;
mod tuple;
mod with_ids;

use legion::{Entity, World, systems::CommandBuffer};

#[cfg(doc)]
use crate::components::{Children, LocalToParent, LocalToWorld, Parent, PreviousParent};

pub use tree::TreeBuilder;
pub use tuple::ComponentTuple;
pub use with_ids::{InsertError, insert_with_ids, reserve_ids};

pub(crate) use derived::ExactComponents;
pub(crate) use ids::take_ids;
use rows::{NewRows, collect};
pub(crate) use rows::{make_parent, room};
use target::Target;
use tree::Tree;

/// Spawning with all components that a transform needs, on a `World` at once and on a
/// `CommandBuffer` at its flush. See [the module](self).
///
/// - Until the next run of the bundle, the matrices are the identity, and `Children` and
///   `PreviousParent` are empty. Within a tree they are right from the beginning, in the order of
///   the calls. The run fills them in place.
/// - In a world on which a bundle with [`inherit`](crate::TransformSystemBundle::inherit) has run,
///   each entity also gets [`Effective`](crate::components::Effective) of each inherited property.
/// - A parent that exists gets the components that it lacks, `Children` and `LocalToWorld`. Each of
///   them moves it to a different archetype once.
/// - A parent that does not exist is not an error: it may be inserted later, with [an id of
///   before](reserve_ids). Its child is spawned all the same, and
///   [waits](crate::findings::FindingKind::WaitsForParent): it stands at its local values, as a
///   root, until a run finds the parent. If you want no child without its parent, ask
///   `world.contains(parent)` first;
///   [`give_up_waiting`](crate::edit::EditTransforms::give_up_waiting) makes roots of all that
///   wait.
/// - Your own iterator is collected before anything is inserted: where it panics, nothing is.
/// - On a `World`, none of them costs more than the complete tuple by hand. Each insertion has its
///   own price, which grows with the number of archetypes in the world, as Legion's own does. So a
///   child of many costs least by `extend_children`, and most by `push_child`. A column without
///   room for the rows moves to memory an eighth to a quarter larger.
///
/// # Panics
/// All of them panic, before anything is inserted, if a tuple has a type twice, or a `Transform`
/// beside one of its three components. The message names the type. On a `CommandBuffer` that is at
/// the flush.
pub trait SpawnTransforms: Target {
    /// Spawns an entity: the tuple, and `LocalToWorld`. A tuple with a `Parent` also gets
    /// `LocalToParent` and `PreviousParent`.
    ///
    /// Costs one insertion, whatever the number of entities in the world.
    fn push_transform<T: ComponentTuple>(&mut self, components: T) -> Entity {
        self.insert_one(NewRows::one(None, components))
    }

    /// Spawns an entity for each tuple, all into one archetype.
    ///
    /// Costs one insertion, and a copy of each tuple.
    fn extend_transforms<T: ComponentTuple>(
        &mut self,
        rows: impl IntoIterator<Item = T>,
    ) -> Vec<Entity> {
        self.insert(NewRows::many(None, collect(rows)))
    }

    /// Spawns a child of `parent`: the tuple, `LocalToWorld`, `LocalToParent`, `Parent` and
    /// `PreviousParent`.
    ///
    /// Costs one insertion and a look at the parent, however many children that has.
    fn push_child<T: ComponentTuple>(&mut self, parent: Entity, components: T) -> Entity {
        self.insert_one(NewRows::one(Some(parent), components))
    }

    /// Spawns a child of `parent` for each tuple, all into one archetype.
    ///
    /// Costs one insertion and a look at the parent, and a copy of each tuple.
    fn extend_children<T: ComponentTuple>(
        &mut self,
        parent: Entity,
        rows: impl IntoIterator<Item = T>,
    ) -> Vec<Entity> {
        self.insert(NewRows::many(Some(parent), collect(rows)))
    }

    /// Spawns an entity and all descendants that `children` adds. Returns the entity.
    ///
    /// Costs one insertion for the root, up to two for each type of tuple below it, and two copies
    /// of each tuple. Within an archetype the entities have the order of the calls.
    fn push_tree<T: ComponentTuple>(
        &mut self,
        root: T,
        children: impl FnOnce(&mut TreeBuilder<'_>),
    ) -> Entity {
        self.insert_tree(Tree::new(None, root, children))
    }

    /// As [`push_tree`](Self::push_tree), below `parent`. Costs a look at the parent besides.
    fn push_child_tree<T: ComponentTuple>(
        &mut self,
        parent: Entity,
        root: T,
        children: impl FnOnce(&mut TreeBuilder<'_>),
    ) -> Entity {
        self.insert_tree(Tree::new(Some(parent), root, children))
    }
}

impl SpawnTransforms for World {}
impl SpawnTransforms for CommandBuffer {}
