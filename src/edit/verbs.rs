//! The list of verbs: each is a method of `World`, of `CommandBuffer`, and of [`Edits`].

use std::borrow::BorrowMut;

use legion::{Entity, World};
use nalgebra::{Matrix4, Point3, UnitQuaternion, Vector3};

use super::{
    error::EditError,
    options::{Edits, Options},
};
use crate::transform::Transform;

/// What an edit answers, as far as command buffers need to know it.
pub trait Outcome {
    /// Why it was not made, or not all of it.
    fn failures(self) -> Vec<EditError>;
}

impl<T> Outcome for Result<T, EditError> {
    fn failures(self) -> Vec<EditError> {
        Vec::from_iter(self.err())
    }
}

impl Outcome for Result<(), Vec<EditError>> {
    fn failures(self) -> Vec<EditError> {
        self.err().unwrap_or_default()
    }
}

impl Outcome for usize {
    fn failures(self) -> Vec<EditError> {
        Vec::new()
    }
}

/// An edit of a world, with these arguments.
pub type Edit<A, R> = fn(&Options, &mut World, A) -> R;

/// Makes the trait and the methods of [`Edits`]. What stands behind an arrow is what an argument is
/// converted to.
macro_rules! verbs {
    ($(
        $(#[$documentation:meta])*
        $name:ident($($argument:ident: $type:ty $(=> $converted:expr)?),*) -> $answer:ty;
    )*) => {
        /// Edits of a `World`, made at once, and the same recorded in a `CommandBuffer`, made at
        /// its flush with the world as it is then. [`Edits`] has them with options. See [the
        /// module](super).
        ///
        /// A verb on a `World` returns what is documented here. On a `CommandBuffer` it returns
        /// nothing. There an edit that fails at the flush (an entity may have died meanwhile)
        /// changes nothing, is put into the resource [`FailedEdits`](super::FailedEdits), and is
        /// [printed](Edits::print_failed).
        ///
        /// An entity without `LocalToWorld` gets one. Where a matrix is your own component's (a
        /// write group), the edit writes it. Before a bundle has run on the world, an entity with
        /// `Parent` that lacks a matrix is refused: whether it will be a child depends on
        /// [`insert_missing`](crate::TransformSystemBundle::insert_missing).
        ///
        /// A [`Frame`](crate::frames::Frame) below a plain entity does not follow it. Where
        /// a [`ParentScaleInverse`](crate::components::ParentScaleInverse) reads its scale, what is
        /// below may move.
        ///
        /// Edits that need all children, or all that wait, look for new ones among the entities
        /// that came since the last run, and once in each archetype in which other code wrote
        /// `Parent`. They search all of the world before the first run of a bundle; and once in a
        /// tick in which more entities came and went than the world has, and 4,096 more.
        ///
        /// ```
        /// use legion::{systems::CommandBuffer, *};
        /// use legion_transform::{edit::{EditError, FailedEdits}, prelude::*};
        ///
        /// let (mut world, mut resources) = (World::default(), Resources::default());
        /// let a = world.push_transform((Translation::new(1.0, 0.0, 0.0),));
        /// let b = world.push_transform((Translation::new(2.0, 0.0, 0.0),));
        ///
        /// world.set_parent(a, b)?;
        /// assert_eq!(world.set_parent(b, a), Err(EditError::Cycle { child: b, parent: a }));
        ///
        /// let mut commands = CommandBuffer::new(&world); // in a system, the one it is given
        /// commands.remove_parent(a);
        /// commands.set_parent(b, b);
        /// commands.flush(&mut world, &mut resources);
        /// assert_eq!(Walk::new(&world)?.parent(a), None);
        /// let failed = resources.get_mut::<FailedEdits>().unwrap().drain().collect::<Vec<_>>();
        /// assert_eq!(failed, [EditError::Cycle { child: b, parent: b }]);
        /// # Ok::<(), EditError>(())
        /// ```
        pub trait EditTransforms: Sized {
            /// What is known when a verb returns: all (`T`) on a `World`, nothing (`()`) on a
            /// `CommandBuffer`.
            type Answer<T>;

            #[doc(hidden)]
            fn edit<A: Clone + Send + Sync + 'static, R: Outcome + 'static>(
                &mut self,
                edits: &Edits,
                name: &'static str,
                arguments: A,
                edit: Edit<A, R>,
            ) -> Self::Answer<R>;
            $(
                $(#[$documentation])*
                #[inline]
                fn $name(&mut self, $($argument: $type),*) -> Self::Answer<$answer> {
                    Edits::default().$name(self, $($argument),*)
                }
            )*

            /// Reads the local transform of each entity, lets `update` change it, and writes it: as
            /// [`Transform::read`] and then [`set_transform`](Self::set_transform), one entity
            /// after the other. What `update` leaves as it is, bit for bit, is not written. An
            /// entity that is named twice is updated twice.
            ///
            /// On a `World` alone. A system reads, and records
            /// [`set_transforms`](Self::set_transforms).
            ///
            /// ```
            /// # use legion::*;
            /// # use legion_transform::{edit::EditError, prelude::*};
            /// # let mut world = World::default();
            /// let boats = [1.0, 2.0, 3.0]
            ///     .map(|x| world.push_transform(Transform::from_xyz(x, 0.0, 0.0)));
            /// world.update_transforms(boats, |_, boat| boat.translation.x *= 10.0).unwrap();
            /// assert_eq!(Transform::read(&world, boats[2])?.translation.x, 30.0);
            /// # Ok::<(), EditError>(())
            /// ```
            ///
            /// # Errors
            /// Those of all entities that cannot be read or written, in their order. These are as
            /// they were, and the others are written.
            ///
            /// # Panics
            /// If `update` does. What was written before stays, and the next run follows it.
            fn update_transforms(
                &mut self,
                entities: impl IntoIterator<Item = Entity>,
                update: impl FnMut(Entity, &mut Transform),
            ) -> Result<(), Vec<EditError>>
            where
                Self: BorrowMut<World>,
            {
                Edits::default().update_transforms(self.borrow_mut(), entities, update)
            }
        }

        /// Each verb of [`EditTransforms`], with these options: on a `World` or a `CommandBuffer`.
        impl Edits {$(
            #[doc = concat!("[`EditTransforms::", stringify!($name), "`] with these options.")]
            #[inline]
            pub fn $name<T: EditTransforms>(
                &self,
                target: &mut T,
                $($argument: $type),*
            ) -> T::Answer<$answer> {
                $($(let $argument = $converted;)?)*
                target.edit(self, stringify!($name), ($($argument,)*), |options, world, it| {
                    let ($($argument,)*) = it;
                    options.$name(world, $($argument),*)
                })
            }
        )*}
    };
}

impl Edits {
    /// [`EditTransforms::update_transforms`] with these options.
    ///
    /// # Errors
    /// Those of all entities that cannot be read or written.
    pub fn update_transforms(
        &self,
        world: &mut World,
        entities: impl IntoIterator<Item = Entity>,
        update: impl FnMut(Entity, &mut Transform),
    ) -> Result<(), Vec<EditError>> {
        self.options.update_transforms(world, entities, update)
    }
}

verbs! {
    /// Makes `child` a child of `parent`, in place: its world matrix stays the same. Adds
    /// `LocalToParent` where it is missing. A child whose parent died since the last run is kept
    /// where that run left it. Below a parent without a frame, a frame gives its own up: it gets a
    /// translation, a rotation and what cancels the parent's scale, and no other inputs.
    ///
    /// It becomes the last of its siblings; [`insert_child`](Self::insert_child) puts it elsewhere.
    /// Linking to the parent that it already has changes nothing. Costs in proportion to the depths
    /// of both.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged. [`EditError::Cycle`] if the parent is the child
    /// or below it, [`EditError::ParentNotInvertible`] if the parent's world matrix flattens space,
    /// so that no local pose can undo it, [`EditError::TooFar`] if no `f32` holds its place below
    /// the new one, [`EditError::FrameBelow`] if a frame would give its frame up, and has others
    /// below it.
    set_parent(child: Entity, parent: Entity) -> Result<(), EditError>;

    /// Makes `child` the child of `parent` at this index, in place; the last one if the index is
    /// past the end. A child of this parent only changes its place among its siblings.
    ///
    /// It writes the parent's [`Children`](crate::components::Children), also with those linked
    /// since the last run. Costs in proportion to the depths of both, and the siblings.
    ///
    /// # Errors
    /// As [`set_parent`](Self::set_parent).
    insert_child(parent: Entity, index: usize, child: Entity) -> Result<(), EditError>;

    /// Makes the entity a root, in place: `Parent` and `LocalToParent` are removed, its world
    /// matrix stays the same.
    ///
    /// A root does not change. What is in a frame becomes a child of that frame. A child of the
    /// frame becomes a [`Frame`](crate::frames::Frame) in the universe, in place of all that gave
    /// its local matrix. Costs in proportion to the depth.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged. [`EditError::Scaled`] of a scaled child of a
    /// frame.
    remove_parent(child: Entity) -> Result<(), EditError>;

    /// Makes every child of the entity a root, in place, and returns them; in a frame, as
    /// [`remove_parent`](Self::remove_parent) does. All or none: on an error the world is
    /// unchanged.
    ///
    /// Children that were linked since the last run are found, too. Costs in proportion to their
    /// number, times the depth.
    ///
    /// # Errors
    /// [`EditError`] of the first child that cannot be detached.
    detach_children(entity: Entity) -> Result<Vec<Entity>, EditError>;

    /// Makes roots of all children that [wait] for their parents, in place, and returns them: no
    /// parent will be inserted. All or none: on an error the world is unchanged.
    ///
    /// Children that came since the last run are found, too. Costs in proportion to the number of
    /// children that wait.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{edit::EditError, prelude::*};
    /// # let mut world = World::default();
    /// let dead = world.push_transform(Transform::from_xyz(5.0, 0.0, 0.0));
    /// world.remove(dead);
    /// let spark = world.push_child(dead, Transform::from_xyz(1.0, 0.0, 0.0));
    /// assert_eq!(world.give_up_waiting()?, [spark]);
    /// assert!(world.entry(spark).unwrap().get_component::<Parent>().is_err());
    /// # Ok::<(), EditError>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError`] of the first child that cannot be detached. Before the first run of a bundle,
    /// whether a child waits that lacks a matrix, or whose parent does, is not known: the error is
    /// the [`QueryError`](crate::query::QueryError) that names what is missing.
    ///
    /// [wait]: crate::findings::FindingKind::WaitsForParent
    give_up_waiting() -> Result<Vec<Entity>, EditError>;

    /// Places the entity in the world: afterwards its world matrix is this one (an `Isometry3`,
    /// `Similarity3`, `Affine3` or `Matrix4`), whatever its parent is. The pose is relative to
    /// `Origin`, or with [`Edits::in_frame`] in the space of a frame. Costs in proportion to the
    /// depth, as do the other poses.
    ///
    /// A bottom row that is (0, 0, 0, 1) but for 0.000001 becomes that row: nalgebra's
    /// `try_inverse` may leave 0.9999999. With any other the pose is a projection, which a matrix
    /// alone holds.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged.
    set_local_to_world(
        entity: Entity,
        pose: impl Into<Matrix4<f32>> => pose.into()
    ) -> Result<(), EditError>;

    /// Places the entity below its parent: afterwards its local matrix is this one, as
    /// [`LocalToParent`](crate::components::LocalToParent) has it; of a root, its world matrix.
    /// Its components hold as much as they can of it, by the rules of
    /// [`set_local_to_world`](Self::set_local_to_world). In large worlds it is in the parent's
    /// space, too.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{edit::EditError, prelude::*};
    /// # let mut world = World::default();
    /// let arm = world.push_transform((Translation::new(5.0, 0.0, 0.0), Scale(2.0)));
    /// let hand = world.push_child(arm, (Translation::identity(),));
    /// world.set_local_to_parent(hand, nalgebra::Matrix4::new_scaling(3.0))?;
    /// assert_eq!(Transform::read(&world, hand)?.scale.x, 3.0);
    /// # Ok::<(), EditError>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged.
    set_local_to_parent(
        entity: Entity,
        matrix: impl Into<Matrix4<f32>> => matrix.into()
    ) -> Result<(), EditError>;

    /// Moves the entity by a vector of the world, or of the space of [`Edits::in_frame`]: exactly,
    /// however far away the entity is. Where its components say where it is, only its translation
    /// changes.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged. [`EditError::TooFar`] where the steps of `f32`
    /// are too coarse; nearer by, a vector smaller than a step is no error, and moves nothing.
    translate(entity: Entity, by: Vector3<f32>) -> Result<(), EditError>;

    /// Turns the entity about axes of the world through its own origin: it stays where it is. (To
    /// turn it about its own axes, multiply its `Rotation` from the right.) Exact, however far away
    /// the entity is. As [`rotate_around`](Self::rotate_around) otherwise.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged.
    rotate(
        entity: Entity,
        rotation: impl Into<UnitQuaternion<f32>> => rotation.into()
    ) -> Result<(), EditError>;

    /// Turns the entity about a point of the world, and about axes of the world, or of the space of
    /// [`Edits::in_frame`]: both where it is and how it is turned. Below a non-uniformly scaled
    /// parent the result may need shear; see [`OnShear`](super::OnShear).
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged.
    rotate_around(
        entity: Entity,
        point: Point3<f32>,
        rotation: impl Into<UnitQuaternion<f32>> => rotation.into()
    ) -> Result<(), EditError>;

    /// Scales the entity from a point of the world, along axes of the world, or of the space of
    /// [`Edits::in_frame`]: both where it is and how large it is. A factor of -1 mirrors it, and 0
    /// flattens it. Where it is turned, different factors need shear; see
    /// [`OnShear`](super::OnShear).
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{edit::EditError, prelude::*};
    /// # use nalgebra::{Point3, Vector3};
    /// # let mut world = World::default();
    /// let left = world.push_transform(Transform::from_xyz(3.0, 1.0, 0.0));
    /// world.scale_around(left, Point3::new(2.0, 0.0, 0.0), Vector3::new(-1.0, 1.0, 1.0))?;
    /// let now = Transform::read(&world, left)?;
    /// assert_eq!((now.translation.x, now.scale.x), (1.0, -1.0));
    /// # Ok::<(), EditError>(())
    /// ```
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged.
    scale_around(
        entity: Entity,
        point: Point3<f32>,
        factors: Vector3<f32>
    ) -> Result<(), EditError>;

    /// Turns the entity so that its z axis
    /// ([`LocalToWorld::forward`](crate::components::LocalToWorld::forward)) points at `target`, a
    /// point of the world, or of the space of [`Edits::in_frame`], with its y axis towards `up` as
    /// far as that allows. It stays where it is, and so does its scale.
    ///
    /// Only the local rotation changes, also below a non-uniformly scaled parent. There the world
    /// direction is exact, and the entity is sheared like every turned child of such a parent. If
    /// `up` points at the target, too, another axis replaces it.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged. [`EditError::NoDirection`] if the target is
    /// where the entity is.
    look_at(entity: Entity, target: Point3<f32>, up: Vector3<f32>) -> Result<(), EditError>;

    /// Writes the entity's local transform into its components: all three parts, so that
    /// `Transform::from_xyz(..)` also turns it back and gives it the scale 1. A missing component
    /// is added only where it matters. Costs nothing beyond the writes where it has a
    /// `Translation`, a `Rotation` and a scale of the right kind, and nothing else that counts;
    /// otherwise in proportion to the depth.
    ///
    /// A scale goes into the component that the entity has, if it fits. Otherwise a uniform scale
    /// goes into [`Scale`](crate::components::Scale), any other into
    /// [`NonUniformScale`](crate::components::NonUniformScale), which replaces `Scale`. An entity
    /// with Euler angles gets new angles; one with pivots keeps them; one without `LocalToWorld`
    /// gets it. The derived matrices follow in the next run. The transform is in the parent's
    /// space, in large worlds, too.
    ///
    /// # Errors
    /// [`EditError`]; the world is then unchanged.
    set_transform(entity: Entity, transform: Transform) -> Result<(), EditError>;

    /// Writes the local transforms of many entities, each as [`set_transform`](Self::set_transform)
    /// does, one after the other: of an entity that is named twice, the last one stays. Costs less
    /// than so many calls.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{edit::EditError, prelude::*};
    /// # let mut world = World::default();
    /// let [a, b] = [1.0, 2.0].map(|x| world.push_transform(Transform::from_xyz(x, 0.0, 0.0)));
    /// world.remove(a);
    /// let to = Transform::from_xyz(1.0, 0.0, 0.0);
    /// let errors = world.set_transforms([(a, to), (b, to)]).unwrap_err();
    /// assert!(matches!(errors[..], [EditError::Query(_)]));
    /// assert_eq!(Transform::read(&world, b)?, to);
    /// # Ok::<(), EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of all entities that cannot be written, in their order. These are as they were, and
    /// the others are written.
    set_transforms(
        transforms: impl IntoIterator<Item = (Entity, Transform)> => Vec::from_iter(transforms)
    ) -> Result<(), Vec<EditError>>;

    /// Despawns the entity and all below it; returns the number of entities (0 if it was dead
    /// already). Costs in proportion to it. Entities linked since the last run are found, too.
    despawn_subtree(entity: Entity) -> usize;

    /// Despawns these entities and all below them, for a price each; returns their number.
    despawn_subtrees(
        entities: impl IntoIterator<Item = Entity> => Vec::from_iter(entities)
    ) -> usize;
}
