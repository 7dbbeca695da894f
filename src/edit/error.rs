//! The reasons why an edit is not made.

use std::fmt;

use legion::Entity;

use crate::{math::decompose::DecomposeError, query::QueryError};

/// Why an edit was not made. The world is unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EditError {
    /// An entity is dead.
    Query(QueryError),
    /// The link would make the child its own ancestor.
    Cycle {
        /// The entity that was to get the parent.
        child: Entity,
        /// The parent that it was to get: the child itself, or an entity below it.
        parent: Entity,
    },
    /// The parent's world matrix has no finite inverse, so no local matrix can lead out of it.
    ParentNotInvertible {
        /// The entity that was to be placed.
        entity: Entity,
        /// The parent whose matrix has no inverse.
        parent: Entity,
    },
    /// The result is no translation, rotation and scale. [`OnShear`](super::OnShear) can allow it.
    NoTransform {
        /// The entity that was to be placed.
        entity: Entity,
        /// Why it is none.
        reason: DecomposeError,
    },
    /// The edit would have to write a component that a component of yours writes (a write group).
    Overridden {
        /// The entity that was to be placed.
        entity: Entity,
        /// The component that the edit must not write.
        component: &'static str,
    },
    /// The entity has a [`Frame`](crate::components::Frame), which says where it is. Only its
    /// parent can be edited.
    Framed(Entity),
    /// The point to look at is where the entity is, or is not finite.
    NoDirection(Entity),
}

impl From<QueryError> for EditError {
    fn from(error: QueryError) -> Self {
        Self::Query(error)
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query(error) => error.fmt(f),
            Self::Cycle { child, parent } => write!(
                f,
                "{child:?} cannot be a child of {parent:?}, which is the same entity or below it: \
                 detach {parent:?} first"
            ),
            Self::ParentNotInvertible { entity, parent } => write!(
                f,
                "{entity:?} cannot be placed below {parent:?}, whose world matrix has no finite \
                 inverse: avoid zero scale on it and its ancestors"
            ),
            Self::NoTransform { entity, reason } => write!(
                f,
                "the local matrix of {entity:?} is no translation, rotation and scale: {reason}; \
                 choose OnShear::WriteMatrix to write it as a matrix, or avoid non-uniform scale \
                 on its ancestors"
            ),
            Self::Overridden { entity, component } => write!(
                f,
                "{component} of {entity:?} is written by a component of yours (a write group): \
                 change that one, or remove it before the edit"
            ),
            Self::Framed(entity) => write!(
                f,
                "{entity:?} has a Frame, which says where it is: write that, or edit a child of it"
            ),
            Self::NoDirection(entity) => {
                write!(
                    f,
                    "{entity:?} cannot look at a point that is where it is itself, or is not finite"
                )
            }
        }
    }
}

impl std::error::Error for EditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Query(error) => Some(error),
            Self::NoTransform { reason, .. } => Some(reason),
            _ => None,
        }
    }
}
