//! Large worlds: frames in `f64`, seen from near the viewer.
//!
//! An `f32` has 24 bits. At 10,000 km it moves in steps of a metre, and everything there trembles.
//! A [`Frame`] says where it is in `f64`, and all below it is `f32` again, small and exact. The
//! resource [`Origin`] says from where the world is seen: `LocalToWorld` is relative to it, so what
//! is near it is small and exact, too.
//!
//! ```text
//!   universe                                      LocalToWorld, with Origin(ship)
//!   ├─ sun       Frame (0, 0, 0)                   (-1.5e11, 0, 0)
//!   └─ earth     Frame (1.5e11, 0, 0)              (-7e6, 0, 0)
//!      ├─ town   Frame (6.4e6, 0, 0)               (-6e5, 0, 0)
//!      └─ ship   Frame (7e6, 0, 0)                 the identity
//!         └─ seat   Translation (0, 0, 0.001)      (0, 0, 0.001)
//! ```
//!
//! ```
//! use legion::*;
//! use legion_transform::{frames::{Frame, Origin}, prelude::*};
//! use nalgebra::Point3;
//!
//! let (mut world, mut resources) = (World::default(), Resources::default());
//! let bundle = TransformSystemBundle::default().large_worlds();
//! let mut schedule = Schedule::builder().add_transforms(bundle).build();
//!
//! let at = |x| Frame::at(Point3::new(x, 0.0, 0.0));
//! let earth = world.push_transform((at(1.5e11),));
//! let ship = world.push_child(earth, (at(7.0e6),));
//! let buoy = world.push_child(earth, (at(7.0e6 + 0.001),)); // a millimetre beside it
//! let lamp = world.push_child(buoy, (Translation::new(0.0, 0.001, 0.0),));
//! resources.insert(Origin(ship));
//! schedule.execute(&mut world, &mut resources);
//!
//! let lamp = world.entry(lamp).unwrap().into_component::<LocalToWorld>().unwrap();
//! assert!((lamp.position() - Point3::new(0.001, 0.001, 0.0)).norm() < 1e-9);
//! ```
//!
//! # What is computed
//!
//! A frame stands in the space of the nearest frame above it, or in the universe. (Entities between
//! two frames do not count.) Let `O` be the nearest frame at or above the entity of [`Origin`], and
//! `W(X)` the product of the poses from the universe down to `X`. Then
//!
//! ```text
//!   LocalToWorld(X) = W(O)^-1 W(X)
//! ```
//!
//! rounded to `f32` once, at the end. (Rotations count as of length 1, whatever products of
//! quaternions have made of them.) If `O` and `X` have a frame above both, their way does not
//! lead by the universe: in a frame at 1e11 m, where an `f64` has steps of 0.02 mm, all is as exact
//! as near the universe's own origin. The difference of two positions in one space is taken before
//! they are turned.
//!
//! In `f64`, a pose seen from another frame is off by at most 1e-15, relative to the distances on
//! the way between the two: 0.1 mm at 1e11 m, a nanometre at 1000 km. That is measured with three
//! frames on each side of the way. So are the answers of [`Frame::between`], and the frames that
//! [`Edits`](crate::Edits) write; their rotations have the length 1 within 4e-16. Where a frame is
//! edited often, these errors add up. They never multiply.
//!
//! - Without `Origin`, or if its entity is dead or below no frame, `O` is the universe.
//! - `LocalToWorld` and `LocalToParent` belong to the entity as ever; `Translation`, `Rotation` and
//!   `Scale` on the entity of a frame count for nothing. Put them on a child.
//! - A component of your own in the [write group](TransformSystemBundle::write_group) of
//!   `LocalToWorld` wins: on an entity that has it, a frame counts for nothing. The finding is
//!   [`FrameOverridden`](crate::findings::FindingKind::FrameOverridden).
//! - An entity that neither has a frame nor is below one is where its `LocalToWorld` says, seen
//!   from the origin: it goes along with the viewer, like a sky. An edit that sets something free
//!   in a frame makes no such entity: see [`edit`](crate::edit#what-is-set-free-in-a-frame).
//!
//! What is below a frame is edited in the space of the frame, and what lies between two entities is
//! computed by way of their frames, in `f64`: as exact as close to the viewer.
//! [`TransformQuery::in_frame`](crate::TransformQuery::in_frame) is the pose of any entity in any
//! frame, and [`Edits::in_frame`](crate::Edits::in_frame) takes what is given in one.
//!
//! # Cost
//!
//! Nothing without [`large_worlds`](TransformSystemBundle::large_worlds). With it, a run in which
//! no frame and no `Parent` of an entity with children was written looks at the versions of each
//! archetype: shots may come, and frames may go. Where a frame was written or came, all frames of
//! its archetype are computed. Those that differ are written, and only what is below these follows.
//! Where a frame with children was written, or `Parent` of a frame or of an entity with children,
//! the space below each entity that has frames right below it is found anew, and the frames of
//! spaces that are seen otherwise are computed. The same holds where frames are nested deep;
//! entities without a frame between two are passed once.
//!
//! When the frame of the origin moves, all frames and all below them are written, once. So let the
//! viewer walk about within a frame by `Translation`, and move or change frames when it has gone
//! some kilometres.

use legion::{Entity, Resources, World};

pub use crate::components::Frame;
use crate::{
    bundle::TransformSystemBundle, components::LocalToWorld, engine::FreshRows,
    findings::QueryError, query::pose,
};

impl TransformSystemBundle {
    /// Computes [`LocalToWorld`] of entities with a [`Frame`], which is `f64`, as it is seen from
    /// [`Origin`]. All that systems and commands have written by the end of
    /// [`before_propagation`](Self::before_propagation) is in the same run's matrices. See
    /// [`frames`](crate::frames).
    #[must_use]
    pub fn large_worlds(self) -> Self {
        let origin = |resources: &Resources| resources.get::<Origin>().map(|origin| origin.0);
        self.write_group::<LocalToWorld, Frame>().seen_from(origin)
    }
}

impl Frame {
    /// The pose of the nearest frame at or above `entity`, in the space of the nearest one at or
    /// above `space`. By the formula of [the module](self), as exact: off by at most 1e-15,
    /// relative to the distances on the way between the two. It is computed from the frames of now,
    /// not from the last run. [`set_parent`](crate::edit::EditTransforms::set_parent) so has a ship
    /// dock in place. [`TransformQuery::in_frame`](crate::TransformQuery::in_frame) answers for
    /// entities without a frame, too.
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{frames::Frame, prelude::*};
    /// # use nalgebra::Point3;
    /// # let mut world = World::default();
    /// # let at = |x| Frame::at(Point3::new(x, 0.0, 0.0));
    /// # let station = world.push_transform((at(1e7),));
    /// # let ship = world.push_transform((at(1e7 + 0.5),));
    /// assert_eq!(Frame::between(&world, ship, station)?, at(0.5));
    /// # Ok::<(), legion_transform::query::QueryError>(())
    /// ```
    ///
    /// # Errors
    /// [`QueryError::Dead`] if one of the two is dead.
    pub fn between(world: &World, entity: Entity, space: Entity) -> Result<Self, QueryError> {
        let rows = FreshRows::new(world);
        for entity in [entity, space] {
            rows.node(entity)?;
        }
        Ok(pose(&rows, entity, Some(space)).into())
    }
}

/// From where the world is seen: the nearest frame at or above this entity, whatever the entity
/// inherits. A resource, yours to insert and to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(pub Entity);
