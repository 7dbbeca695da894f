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
//! - An entity without `LocalToWorld` gets one. Its other components say where it is.
//! - Edits start from *fresh* world matrices ([`TransformQuery`]), so several edits in a row
//!   between two runs are right. But a child whose parent died since the last run is kept where
//!   that run left it, when it gets another parent or none.
//! - All entities below the edited one follow it, and so stay in place with it, except where a
//!   [`ParentScaleInverse`](crate::components::ParentScaleInverse) down there depends on the edited
//!   entity's scale. A [`Frame`](crate::frames::Frame) below a plain entity does not follow it.
//! - Where your own component has taken over `LocalToWorld` or `LocalToParent` (a write group),
//!   the edit writes the stored matrix. Edits know the options of a world's bundles once one has
//!   run. Before that, an entity with `Parent` that lacks a matrix is refused: whether it will be a
//!   child depends on [`insert_missing`](crate::TransformSystemBundle::insert_missing).
//!
//! The verbs are methods of [`EditTransforms`], on a `World` and on a `CommandBuffer`. A system
//! records them (`commands.set_parent(cup, hand)`), and they are made at the flush, with the world
//! as it is then. With options they are methods of [`Edits`], which takes the world or the command
//! buffer: `Edits::default().on_shear(OnShear::WriteMatrix).set_parent(&mut world, cup, hand)?`.
//!
//! # What edits write
//!
//! An edit puts an entity where it is asked to be, by the components that it has, and each of them
//! counts afterwards as before. It decides in parts, not in a matrix that is taken apart: a
//! translation, a turn (`Rotation` or angles), and sizes (`Scale` or `NonUniformScale`).
//!
//! 1. Numbers that are not finite are refused, given or found. Below a flat parent (of scale
//!    (1, 1, 0), say) only moves in its plane are possible: (4, 0, 0) is, (0, 0, 1) is an error
//!    that names the parent.
//! 2. The parts are read. A size of 0 says nothing of its axis, so it counts as 1 for now: the
//!    local matrix is *filled*.
//! 3. The wanted local matrix is filled, too. `Scale(0.0)`, turned by 1 radian: the matrix wanted
//!    is a turn by 1, not the zero that is seen. Two parents with the same axes, at (5, 0, 0) and
//!    (9, 0, 0), from one to the other: the translation loses (4, 0, 0), and no other number is
//!    touched. A given matrix with a column of 0 gets a direction there, at right angles to the
//!    others: a sprite given as (2, 0, 0), (0, 2, 0), 0 gets (0, 0, 1).
//! 4. The sizes keep their signs if the matrix is of the same hand. (-2, 2, 2) below `Scale(2.0)`,
//!    set free: (-4, 4, 4), not (4, -4, 4) and half a turn. If the matrix mirrors, one axis changes
//!    its sign: one for which the rotation can stay. If there is none, all three of a `Scale` do,
//!    or the one by which the turn changes least.
//! 5. The least change that is right within rounding is made. First the turn stays: below
//!    `Scale(0.01)`, `Rotation` keeps its bits, and (1, 2, 1) becomes (100, 200, 100). If that is
//!    not right, the turn changes, and with it the sizes as far as they must. Then shear changes,
//!    of an entity that has [`Shear`](crate::components::Shear) and `CompositeScale`, or with
//!    [`OnShear::WriteMatrix`] of every one.
//! 6. Sizes go into the scale that counts. `NonUniformScale(1, 1, 1)` below `Scale(0.5)` becomes
//!    (2, 2, 2), and no `Scale` comes beside it. `Scale(1.0)` below (0.5, 1, 1) is replaced by
//!    `NonUniformScale(2, 1, 1)`. Where there is no scale, the one that is needed comes, and none
//!    for 1. At last the zeros are put back: (1, 1, 0) becomes (2, 2, 0).
//! 7. A turn comes as what is nearest to the old one. Angles of (0, 80, 0) degrees, turned by 20
//!    about y, are (0, 100, 0), not (180, 80, 180); -231 degrees and 6 are -225; ten turns and 5
//!    degrees are 3,605, up to a hundred turns and more (1,024 radians). Of the quaternions
//!    `q` and `-q`, the one is written that makes the smaller angle with the old one. `Rotation` is
//!    added only to an entity that turns.
//! 8. The translation is last. It stays where it is off by rounding alone: at (1000, 0, 0), another
//!    parent may leave it off by 0.00006, the step of an `f32` there. But a move by 0.00001 below a
//!    parent out there is made.
//! 9. The place that the components will give is compared with the target, in the nearest frame,
//!    or without one in `LocalToWorld`. If it is more than 0.01 units elsewhere, nothing is
//!    written: [`EditError::TooFar`]. `f32` rounds by that from about 200,000 units on: a house 10
//!    units beside a planet at 1.5e11, set below the sun's frame, would be 7,178 units off. And if
//!    an ancestor has a size of 0, turns below it may leave a parent that is flat but for rounding,
//!    which is the error of 1.
//!
//! `look_at` is 5 with nothing but the turn.
//!
//! What no components can hold is an error: [`EditError`] names the entity and what is wrong with
//! it. A pose below a non-uniformly scaled parent may need shear: [`OnShear`] chooses.
//!
//! # In which space edits work
//!
//! What is *given* (a pose, a point, a vector, the axes of a turn) is in world coordinates: as
//! `LocalToWorld` shows them, seen from the origin in the last run. In a [large
//! world](crate::frames) an `f32` is coarse there, a metre at 10,000 km, and what is given is as
//! coarse. With [`Edits::in_frame`] it is in the space of a frame, where numbers are small.
//!
//! | call | what is given | as exact as |
//! | --- | --- | --- |
//! | `set_parent`, `insert_child` | nothing | what lies between |
//! | `remove_parent`, `detach_children` | nothing | what lies between |
//! | `translate`, `rotate` | a vector; axes | what is given, also far away |
//! | `set_local_to_world`, `look_at` | a pose; a point | `LocalToWorld` |
//! | `rotate_around`, `scale_around` | a point | `LocalToWorld` |
//! | ... with `in_frame` | the same in a frame | what lies between |
//! | `set_transform`, `set_transforms`, `set_local_to_parent` | a local transform | what is given |
//!
//! *What lies between* are the local matrices up from both entities, or from the entity and the
//! place where it is to be. In a world without frames, these are all up to the roots, and rounding
//! is that of world matrices in `f32`. In a frame they are the ones up to that frame, in `f64`, so
//! that only the `f32`s of components are rounded: in a ship of 30 m an edit is off by some
//! micrometres, also where the ship is seen at 1e11 m. Frames count as they are now, not as in the
//! last run. Between two frames the way is as exact as
//! [`Frame::between`](crate::frames::Frame::between). Errors of many edits add up.
//!
//! An entity that does not [inherit](crate::components::Inherits) its parent's place, or whose
//! `LocalToWorld` your own component writes, and what is below these, is in no frame. It is edited
//! in world coordinates, by what is seen, also below a frame.
//!
//! # What is set free in a frame
//!
//! An entity in no frame goes along with the viewer, so in a frame `remove_parent` and
//! `detach_children` do not make such a root. What is set free stays where it is in the universe:
//!
//! - An entity below a plain one, a cup in a hand, becomes a child of the nearest frame above, of
//!   the ship. A frame's space is a world in itself. All of the cup's components count there as
//!   before, and a hand can take it again.
//! - A child of that frame leaves it, a shuttle its ship: it gets a
//!   [`Frame`](crate::frames::Frame) in the universe, in place of its translation, rotation and
//!   whatever else gave its local matrix, which count for nothing beside a frame. A frame holds no
//!   scale: a scaled one stays, and the error is [`EditError::Scaled`].
//!
//! So a second `remove_parent` sets the cup free of the ship. A root does not change. The entity of
//! [`Origin`](crate::frames::Origin), and what it stands below, stay by their frame in this way
//! though they inherit nothing of it; what else inherits no place becomes a root.
//!
//! Such a cup is grabbed again: where `set_parent` or `insert_child` give a frame a parent without
//! one, it gives its frame up, in place. It gets a translation, a rotation and what cancels the
//! parent's scale: at (1e9 + 3, 0, 0), below a hand of `Scale(4.0)` at (1e9 + 2, 0, 0), it has
//! `Translation(0.25, 0, 0)` and `Scale(0.25)`. What stood beside the frame goes. So it is with
//! every frame, a ship's that docks onto a plain crane, too. If there are frames below it, the
//! error is [`EditError::FrameBelow`]. If you do want a frame below a plain entity, write its
//! `Parent` yourself: the frame does not follow that parent.
//!
//! # What edits cost
//!
//! | edit | costs in proportion to |
//! | --- | --- |
//! | `set_transform`, `set_local_to_parent`, `set_local_to_world` | the depth |
//! | `set_transforms`, `update_transforms` | the number, times the depth where components differ |
//! | `translate`, `rotate`, `rotate_around`, `scale_around`, `look_at` | the depth |
//! | `set_parent`, `remove_parent` | the depths of both places |
//! | `insert_child` | these, and the number of siblings |
//! | `detach_children` | the number of children, times the depth |
//! | `give_up_waiting` | the number of children that wait |
//! | `despawn_subtree`, `despawn_subtrees` | the number of entities below |
//! | `set_parent` of a frame to a plain entity | the same |
//!
//! The last five need all children of an entity, or all that wait, also those linked since the last
//! run. These are looked for among the entities that came since, and in archetypes in which a
//! `Parent` was written by other means than edits, once for each such write. Where a list of
//! `Children` may have been written or replaced by others, the bundle knows whose children these
//! were at the last run. Each such edit searches all of the world before the first run of a bundle;
//! and once in a tick, where more entities came and went than the world has, and 4,096 more.
//!
//! # The order of children
//!
//! [`Children`](crate::components::Children) keep their order from run to run. New children follow
//! in the order in which they came: by edits, by spawns, by `push`, `extend` and `add_component`,
//! by commands at their flush; whatever their archetypes. One that an edit takes away and an edit
//! brings back is new. [`insert_child`](EditTransforms::insert_child) puts a child at an index, and
//! a list of `Children` that you write yourself is kept as far as it is right.
//!
//! Nothing tells when a `Parent` was overwritten in place. Such children stand behind the others,
//! in the order in which Legion stores them: archetype by archetype, in each by row. So do all new
//! ones in the first run on a world, be it new, loaded or cloned; where more entities came and went
//! between two runs than the world has, and 4,096 more; and those that a cycle sets free.
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
//! world.insert_child(menu, 1, quit)?;
//! world.insert_child(menu, 0, items[2])?;
//! schedule.execute(&mut world, &mut resources);
//! let children = world.entry(menu).unwrap().get_component::<Children>().unwrap().clone();
//! assert_eq!(children.as_slice(), [items[2], items[0], quit, items[1]]);
//!
//! // New ones follow in the order in which they came: `help` was spawned first, and came last.
//! let help = world.push_transform((Translation::new(0.0, 6.0, 0.0),));
//! let about = world.push_child(menu, below(5));
//! world.set_parent(help, menu)?;
//! let children: Vec<_> = Walk::fresh(&world).unwrap().children(menu).skip(4).collect();
//! assert_eq!(children, [about, help]);
//! # Ok::<(), EditError>(())
//! ```

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
