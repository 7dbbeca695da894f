//! Large worlds: frames in `f64`, drawn relative to the viewer.
//!
//! [Large worlds](crate::guide::large_worlds) is the page about them.
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
//! A frame stands in the space of the nearest frame above it, or in the universe. Let `O` be the
//! nearest frame at or above the entity of [`Origin`], and `W(X)` the product of the poses from the
//! universe down to `X`. Then
//!
//! ```text
//!   LocalToWorld(X) = W(O)^-1 W(X)
//! ```
//!
//! rounded to `f32` once. If a frame is above both, the way between them does not lead by the
//! universe. In `f64`, a pose relative to another frame is off by at most 1e-15 of the distances on
//! the way: 0.1 mm at 1e11 m. The rotations that [`Edits`](crate::Edits) write have the length 1
//! within 4e-16. Without `Origin`, or if its entity is dead or below no frame, `O` is the universe.

use legion::{Entity, Resources, World};

pub use crate::components::Frame;
use crate::{
    bundle::TransformSystemBundle, components::LocalToWorld, engine::FreshRows,
    findings::QueryError, query::pose,
};

impl TransformSystemBundle {
    /// Computes [`LocalToWorld`] of entities with a [`Frame`], which is `f64`, relative to
    /// [`Origin`]. All that systems and commands have written by the end of
    /// [`before_propagation`](Self::before_propagation) is in the same run's matrices. See
    /// [`frames`](crate::frames).
    ///
    /// A run in which no frame was written, and no `Parent` of an entity with children, looks at
    /// the versions of each archetype. Where a frame was written or came, all frames of its
    /// archetype are computed. Those that differ are written, and what is below them follows. Where
    /// a frame with children was written, or `Parent` of a frame or of an entity with children, the
    /// frames whose place relative to `Origin` changes by it are computed. When the frame of the
    /// origin moves, all frames and all below them are written, once.
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

/// The viewer: `LocalToWorld` is relative to the nearest frame at or above this entity, whatever
/// the entity inherits. A resource, yours to insert and to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin(pub Entity);
