//! The reasons why an edit is not made.

use legion::Entity;

use crate::{math::decompose::DecomposeError, query::QueryError};

/// Why an edit was not made. The world is unchanged. Of a call about many transforms, only the
/// entities with an error are unchanged: the others are written.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// An entity is dead, or lacks what the edit needs.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The link would make the child its own ancestor.
    #[error(
        "{child:?} cannot be a child of {parent:?}, which is the same entity or below it: detach \
         {parent:?} first"
    )]
    Cycle {
        /// The entity that was to get the parent.
        child: Entity,
        /// The parent that it was to get: the child itself, or an entity below it.
        parent: Entity,
    },
    /// The parent's world matrix is flat, perhaps but for rounding (a scale of it, or of an
    /// ancestor, is 0), so that most places have no local matrix below it. Only moves in its plane
    /// have one.
    #[error(
        "{entity:?} cannot be placed: the world matrix of {parent:?} is flat, so that only moves \
         in its plane are possible below it. Avoid zero scale on it and its ancestors, or edit \
         {entity:?} while they have another scale"
    )]
    ParentNotInvertible {
        /// The entity that was to be placed.
        entity: Entity,
        /// The flat parent: the one that it has, or was to get.
        parent: Entity,
    },
    /// A number is infinite or NaN, or would be.
    #[error("{entity:?} cannot be placed: {what} has a number that is infinite, NaN or beyond f32")]
    NotFinite {
        /// The entity that was to be placed.
        entity: Entity,
        /// Which number: one that was given, one that is there, or the result.
        what: &'static str,
    },
    /// Translation, rotation and scale cannot express the result. [`OnShear`](super::OnShear) can
    /// allow it.
    #[error(
        "the local matrix of {entity:?} would be no translation, rotation and scale: {}",
        way_out(.reason)
    )]
    NoTransform {
        /// The entity that was to be placed.
        entity: Entity,
        /// Why it is none; the error's `source()`.
        #[source]
        reason: DecomposeError,
    },
    /// The edit would have to write a component that your own component writes (a write group).
    #[error(
        "{component} of {entity:?} is written by your own component (a write group): change that \
         one, or remove it before the edit"
    )]
    Overridden {
        /// The entity that was to be placed.
        entity: Entity,
        /// The component that the edit must not write.
        component: &'static str,
    },
    /// The entity has a [`Frame`](crate::components::Frame), which says where it is. Only its
    /// parent can be edited.
    #[error("{0:?} has a Frame, which says where it is: write that, or edit a child of it")]
    Framed(Entity),
    /// Without its parent, a frame, the entity would get a [`Frame`](crate::components::Frame)
    /// itself, and that holds no scale, mirror or shear.
    #[error(
        "{entity:?} cannot leave {frame:?}: it would get a Frame itself, and is scaled, mirrored or \
         sheared, which no frame can hold: first give it a parent with a Frame of its own, or put \
         what is scaled on a child"
    )]
    Scaled {
        /// The entity that was to lose its parent.
        entity: Entity,
        /// The frame that is its parent.
        frame: Entity,
    },
    /// Below a parent without a [`Frame`](crate::components::Frame), the entity would give its own
    /// one up, but there are frames below it.
    #[error(
        "{entity:?} cannot become a child of {parent:?}, which has no Frame: it would give its own \
         one up, and {frame:?} below it has one. Give it a parent with a Frame, or write its Parent \
         yourself: then it keeps its Frame, and does not follow {parent:?}"
    )]
    FrameBelow {
        /// The entity that was to get the parent.
        entity: Entity,
        /// The parent that it was to get.
        parent: Entity,
        /// A frame below the entity.
        frame: Entity,
    },
    /// `f32` cannot hold the place: the edit would put the entity more than 0.01 units beside it,
    /// in the nearest frame, or without one in `LocalToWorld`. `f32` rounds places by that from
    /// about 200,000 units on.
    #[error(
        "{entity:?} cannot be placed: what f32 can hold is {off:.3} units beside that place. Give \
         it a parent with a Frame near to it (TransformSystemBundle::large_worlds), or work nearer \
         to the origin"
    )]
    TooFar {
        /// The entity that was to be placed.
        entity: Entity,
        /// How far off it would be, in units.
        off: f64,
    },
    /// The point to look at is where the entity is.
    #[error("{0:?} cannot look at where it is itself")]
    NoDirection(Entity),
}

/// What planning an edit gives.
pub(super) type Result<T> = std::result::Result<T, EditError>;

/// Which number is not finite, for [`EditError::NotFinite`].
pub(super) const GIVEN: &str = "what was given";
pub(super) const OWN: &str = "its own local matrix";
pub(super) const RESULT: &str = "the result";

/// Refuses numbers that are not finite.
#[inline]
pub(super) fn finite<const N: usize>(
    entity: Entity,
    what: &'static str,
    numbers: [&[f32]; N],
) -> Result<()> {
    // All are looked at: to stop at the first one would take longer.
    let is_finite = numbers.into_iter().flatten().fold(true, |all, x| all & x.is_finite());
    is_finite.then_some(()).ok_or(EditError::NotFinite { entity, what })
}

/// What to do about a result that is not a transform.
fn way_out(reason: &DecomposeError) -> &'static str {
    match reason {
        DecomposeError::Sheared(_) => "choose OnShear::WriteMatrix to keep the shear",
        DecomposeError::Projective => "choose OnShear::WriteMatrix to write the matrix",
        _ => "give each axis of what was given, and of its composites, a direction",
    }
}
