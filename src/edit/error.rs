//! Why an edit was not made.

use std::fmt;

use legion::Entity;

use crate::{math::decompose::DecomposeError, query::walk::QueryError};

/// Why an edit was not made. The world is unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum EditError {
    /// An entity is dead or has no `LocalToWorld`.
    Query(QueryError),
    /// The link would make the child its own ancestor.
    Cycle {
        /// The entity that was to get the parent.
        child: Entity,
        /// The entity that is the child, or below it.
        parent: Entity,
    },
    /// The parent's world matrix has no finite inverse, so no local matrix can lead out of it.
    ParentNotInvertible {
        /// The entity that was to be placed.
        entity: Entity,
        /// Whose matrix it is.
        parent: Entity,
    },
    /// The result is no translation, rotation and scale.
    NotTrs {
        /// The entity that was to be placed.
        entity: Entity,
        /// What it is instead.
        reason: NotTrs,
    },
    /// What would have to change is written by a user's component (a write group).
    Overridden {
        /// The entity that was to be placed.
        entity: Entity,
        /// The component that is not the edit's to write.
        component: &'static str,
    },
    /// The target of a look is where the entity is, or is not finite.
    NoDirection(Entity),
}

/// Why a matrix is no translation, rotation and scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotTrs {
    /// Its axes are not at right angles; the number is the cotangent of the worst of these angles.
    Sheared(f32),
    /// It flattens space, so that its rotation is not determined.
    Singular,
    /// Its bottom row is not (0, 0, 0, 1).
    Projective,
    /// An element is infinite or not a number.
    NotFinite,
}

impl From<DecomposeError> for NotTrs {
    fn from(error: DecomposeError) -> Self {
        match error {
            DecomposeError::Projective => Self::Projective,
            DecomposeError::Singular => Self::Singular,
            DecomposeError::NotFinite => Self::NotFinite,
        }
    }
}

impl fmt::Display for NotTrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sheared(shear) => write!(f, "it is sheared (by {shear})"),
            Self::Singular => f.write_str("it flattens space, so that its rotation is not determined"),
            Self::Projective => f.write_str("it is projective"),
            Self::NotFinite => f.write_str("it is not finite"),
        }
    }
}

impl std::error::Error for NotTrs {}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query(error) => error.fmt(f),
            Self::Cycle { child, parent } => write!(
                f,
                "{child:?} cannot hang off {parent:?}, which is the same entity or hangs off it: detach {parent:?} first"
            ),
            Self::ParentNotInvertible { entity, parent } => write!(
                f,
                "{entity:?} cannot be placed below {parent:?}, whose world matrix has no finite inverse: \
                 avoid zero scale on it and its ancestors"
            ),
            Self::NotTrs { entity, reason } => write!(
                f,
                "the local matrix of {entity:?} is no translation, rotation and scale: {reason}; \
                 choose IfNotTrs::WriteMatrix to write it as a matrix, or avoid non-uniform scale on its ancestors"
            ),
            Self::Overridden { entity, component } => write!(
                f,
                "{component} of {entity:?} is written by a component of yours (a write group): \
                 change that one, or remove it before the edit"
            ),
            Self::NoDirection(entity) => {
                write!(f, "{entity:?} cannot look at a point that is where it is itself, or is not finite")
            }
        }
    }
}

impl std::error::Error for EditError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Query(error) => Some(error),
            Self::NotTrs { reason, .. } => Some(reason),
            _ => None,
        }
    }
}
