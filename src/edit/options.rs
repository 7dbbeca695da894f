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
    /// of a turn. They are exact there, however far away the frame is seen. See [in which space
    /// edits work](super#in-which-space-edits-work).
    ///
    /// Edits to which nothing of that is given ([`set_parent`](Self::set_parent), say) are the
    /// same. If `frame` is in no frame, the others fail with
    /// [`NoFrame`](crate::query::QueryError::NoFrame).
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
