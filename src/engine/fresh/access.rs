//! Reading components of a `World` or `SubWorld` by entity, and the errors of that.

use std::fmt;

use legion::{
    Entity, EntityStore,
    world::{ComponentError, EntityAccessError, EntryRef},
};

use crate::math::decompose::DecomposeError;

/// Why a question about an entity's transform has no answer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum QueryError {
    /// The entity does not exist (any more).
    Dead(Entity),
    /// The entity has no `LocalToWorld`, so it has no place in the world.
    NoLocalToWorld(Entity),
    /// The entity has a `Parent` and no `LocalToParent`, and no bundle has run on this world yet:
    /// whether its link will have an effect is not known.
    NoLocalToParent(Entity),
    /// The entity has no [`Frame`](crate::components::Frame), and there is none above it.
    NoFrame(Entity),
    /// The system (or split) that asks has not declared read access to this component.
    MissingAccess {
        /// The component's type, or `None` where the entity's whole archetype is out of reach.
        component: Option<&'static str>,
        /// The entity that has it, if the component was missed at an entity.
        entity: Option<Entity>,
    },
    /// The entity's matrix has no finite inverse.
    NoInverse(Entity),
    /// The entity's local matrix is no [`Transform`](crate::Transform).
    NoTransform {
        /// The entity.
        entity: Entity,
        /// Why it is none.
        reason: DecomposeError,
    },
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Dead(entity) => write!(f, "{entity:?} does not exist (any more)"),
            Self::NoLocalToWorld(entity) => {
                write!(f, "{entity:?} has no LocalToWorld: add one to give it a place in the world")
            }
            Self::NoLocalToParent(entity) => write!(
                f,
                "{entity:?} has a Parent and no LocalToParent: add one, or first run the bundle with \
                 insert_missing()"
            ),
            Self::NoFrame(it) => write!(f, "{it:?} is in no frame: add a Frame to it, or above it"),
            Self::MissingAccess { component, entity } => {
                let component = component.unwrap_or("the archetype");
                let of = entity.map(|entity| format!(" of {entity:?}")).unwrap_or_default();
                write!(
                    f,
                    "the system has no read access to {component}{of}: declare all that a \
                     transform may have with read_transforms!, or with read_transforms of the \
                     SystemBuilder"
                )
            }
            Self::NoInverse(entity) => {
                write!(
                    f,
                    "the matrix of {entity:?} has no finite inverse: avoid zero scale on it and \
                     its ancestors"
                )
            }
            Self::NoTransform { entity, reason } => write!(
                f,
                "the local matrix of {entity:?} is no translation, rotation and scale: {reason}; \
                 read LocalToParent (LocalToWorld of a root) instead"
            ),
        }
    }
}

impl std::error::Error for QueryError {}

/// The entity's entry.
pub(crate) fn entry<S: EntityStore>(store: &S, entity: Entity) -> Result<EntryRef<'_>, QueryError> {
    store.entry_ref(entity).map_err(|error| match error {
        EntityAccessError::EntityNotFound => QueryError::Dead(entity),
        EntityAccessError::AccessDenied => {
            QueryError::MissingAccess { component: None, entity: Some(entity) }
        }
    })
}

/// The component of an entity, if it has one.
pub(super) fn found<T>(
    component: Result<&T, ComponentError>,
    entity: Entity,
) -> Result<Option<&T>, QueryError> {
    match component {
        Ok(component) => Ok(Some(component)),
        Err(ComponentError::NotFound { .. }) => Ok(None),
        Err(ComponentError::Denied { component_name, .. }) => {
            Err(QueryError::MissingAccess { component: Some(component_name), entity: Some(entity) })
        }
    }
}
