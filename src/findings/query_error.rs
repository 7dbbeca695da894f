//! Why queries, walks and edits have no answer.

use legion::Entity;

#[cfg(doc)]
use crate::components::Frame;
use crate::math::decompose::DecomposeError;

/// Why a question about an entity's transform has no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The entity does not exist (any more).
    #[error("{0:?} does not exist (any more)")]
    Dead(Entity),
    /// The entity has no `LocalToWorld`, so it has no place in the world. Where it is named by a
    /// `Parent` and no bundle has run on this world yet, whether it will have one is not known.
    #[error(
        "{0:?} has no LocalToWorld: add one to give it a place in the world, or run a bundle with \
         insert_missing()"
    )]
    NoLocalToWorld(Entity),
    /// The entity has a `Parent` and no `LocalToParent`, and no bundle has run on this world yet:
    /// whether its link will have an effect is not known.
    #[error("{0:?} has Parent and no LocalToParent: add it, or run a bundle with insert_missing()")]
    NoLocalToParent(Entity),
    /// The entity has no [`Frame`], and there is none above it from which it inherits its place.
    #[error("{0:?} is in no frame: add a Frame to it, or above it, and let it inherit its place")]
    NoFrame(Entity),
    /// The system (or split) that asks has not declared read access to this component.
    #[error(
        "the system has no read access to {}{}: declare all that a transform may have with \
         read_transforms!, or with read_transforms of the SystemBuilder",
        .component.unwrap_or("the archetype"),
        .entity.map(|entity| format!(" of {entity:?}")).unwrap_or_default(),
    )]
    MissingAccess {
        /// The component's type, or `None` where the entity's whole archetype is out of reach.
        component: Option<&'static str>,
        /// The entity that has it, if the component was missed at an entity.
        entity: Option<Entity>,
    },
    /// The entity's matrix has no finite inverse.
    #[error("the matrix of {0:?} has no finite inverse: avoid zero scale on it and its ancestors")]
    NoInverse(Entity),
    /// The entity's local matrix is not a [`Transform`](crate::Transform).
    #[error(
        "the local matrix of {entity:?} is not a translation, rotation and scale: read \
         LocalToParent (LocalToWorld of a root) instead"
    )]
    NoTransform {
        /// The entity.
        entity: Entity,
        /// Why it is none.
        #[source]
        reason: DecomposeError,
    },
}
