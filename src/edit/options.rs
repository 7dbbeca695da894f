//! The options of edits.

use legion::Entity;

#[cfg(doc)]
use super::{EditError, FailedEdits};
#[cfg(doc)]
use crate::query::TransformQuery;

/// The choice for a result that translation, rotation and scale cannot express, because it is
/// sheared or projective.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnShear {
    /// Changes nothing and returns [`EditError::NoTransform`].
    #[default]
    Fail,
    /// Writes the shear: the entity gets [`Shear`](crate::components::Shear), and the matrix
    /// [`CompositeScale`](crate::components::CompositeScale) to which it belongs. Its other
    /// components still count; where an edit leaves no shear, `Shear` becomes 0.
    ///
    /// What no components can hold goes into the matrix itself: a projection, or axes that are less
    /// than 7 degrees apart. All local inputs of the entity are removed, and `LocalToParent` (or
    /// `LocalToWorld`, for a root) holds the result. [`set_transform`](Edits::set_transform) of a
    /// [`Transform`](crate::Transform) gives it components again.
    WriteMatrix,
}

/// The options of edits. Its methods are the verbs of [`EditTransforms`](super::EditTransforms)
/// with these options:
///
/// ```
/// # use legion::{systems::CommandBuffer, *};
/// # use legion_transform::{edit::EditError, prelude::*};
/// # let (mut world, mut resources) = (World::default(), Resources::default());
/// # let press = world.push_transform((NonUniformScale::new(1.0, 0.5, 1.0),));
/// # let plate = world.push_transform((Rotation::from_rotation_z(0.5),));
/// # let mut commands = CommandBuffer::new(&world);
/// let edits = Edits::default().on_shear(OnShear::WriteMatrix);
/// edits.set_parent(&mut world, plate, press)?; // at once
/// edits.remove_parent(&mut commands, plate); // at the flush
/// # commands.flush(&mut world, &mut resources);
/// # Ok::<(), EditError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Edits {
    pub(super) options: Options,
}

/// What edits are made by.
#[derive(Clone, Debug)]
pub struct Options {
    pub(super) on_shear: OnShear,
    pub(super) prints_failed: bool,
    pub(super) frame: Option<Entity>,
}

impl Default for Options {
    #[inline]
    fn default() -> Self {
        Self { on_shear: OnShear::default(), prints_failed: true, frame: None }
    }
}

impl Edits {
    /// What to do with a sheared result. The default is to fail.
    #[must_use]
    pub fn on_shear(mut self, on_shear: OnShear) -> Self {
        self.options.on_shear = on_shear;
        self
    }

    /// What is given to the edits is in the space of the [`Frame`](crate::components::Frame) that
    /// `frame` has or stands in, and not in world coordinates: a pose, a point, a vector, the axes
    /// of a turn. Numbers are small there, and exact. World coordinates are relative to
    /// [`Origin`](crate::frames::Origin) as of the last run. There an `f32` is coarse far away: a
    /// metre at 10,000 km.
    ///
    /// | call | what is given | as exact as |
    /// | --- | --- | --- |
    /// | `set_parent`, `insert_child` | nothing | what lies between |
    /// | `remove_parent`, `detach_children` | nothing | what lies between |
    /// | `translate`, `rotate` | a vector; axes | what is given, also far away |
    /// | `set_local_to_world`, `look_at` | a pose; a point | `LocalToWorld` |
    /// | `rotate_around`, `scale_around` | a point | `LocalToWorld` |
    /// | ... with `in_frame` | the same in a frame | what lies between |
    /// | `set_transform`, `set_local_to_parent` | a local transform | what is given |
    ///
    /// *What lies between* are the local matrices up from both entities, or from the entity and the
    /// place where it is to be. In a frame these are the ones up to that frame, in `f64`: in a ship
    /// of 30 m an edit is off by some micrometres, also at 1e11 m. Without frames they are all up
    /// to the roots, in `f32`. Frames count as they are now. Between two frames the way is as exact
    /// as [`Frame::between`](crate::frames::Frame::between). Errors of many edits add up.
    ///
    /// An entity that does not [inherit](crate::components::Inherits) its parent's place, or whose
    /// `LocalToWorld` your own component writes, and what is below these, is in no frame: it is
    /// edited in world coordinates.
    ///
    /// Edits to which nothing of that is given are the same. If `frame` is in no frame, the others
    /// fail with [`NoFrame`](crate::query::QueryError::NoFrame).
    ///
    /// ```
    /// # use legion::*;
    /// # use legion_transform::{edit::EditError, frames::Frame, prelude::*};
    /// # use nalgebra::{Isometry3, Point3, Vector3};
    /// # let mut world = World::default();
    /// let ship = world.push_transform((Frame::from_xyz(1e11, 0.0, 0.0),));
    /// let deck = world.push_child(ship, (Translation::new(0.0, 2.0, 0.0),));
    /// let lamp = world.push_child(deck, (Translation::identity(),));
    ///
    /// let edits = Edits::default().in_frame(ship);
    /// edits.set_local_to_world(&mut world, lamp, Isometry3::translation(0.0, 2.0, 0.001))?;
    /// edits.look_at(&mut world, lamp, Point3::new(0.0, 2.0, 5.0), Vector3::y())?;
    /// assert_eq!(Transform::read(&world, lamp)?.translation, Vector3::new(0.0, 0.0, 0.001));
    /// assert_eq!(TransformQuery::new(&world).in_frame(lamp, ship)?.m24, 2.0);
    /// # Ok::<(), EditError>(())
    /// ```
    #[must_use]
    pub fn in_frame(mut self, frame: Entity) -> Self {
        self.options.frame = Some(frame);
        self
    }

    /// Whether an edit of a command buffer that fails is printed at the flush, as new
    /// [findings](crate::findings) are: as an event of `tracing`, where the program has set a
    /// subscriber; otherwise, in debug builds only, as a line of standard error. The same error is
    /// printed once, until [`FailedEdits`] are drained; that an entity has died before the flush,
    /// once at all. On by default.
    #[must_use]
    pub fn print_failed(mut self, prints: bool) -> Self {
        self.options.prints_failed = prints;
        self
    }
}
