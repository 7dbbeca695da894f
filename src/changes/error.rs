//! Why a run cannot be followed.

use std::fmt;

use super::QueryError;

/// Why [`Smooth::tick`](crate::smooth::Smooth::tick) or
/// [`InstanceSlots::follow`](super::InstanceSlots::follow) has followed nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FollowError {
    /// No bundle with [`track_changes`](crate::TransformSystemBundle::track_changes) has run on
    /// the world, so there is no list of what a run has changed.
    NotTracked,
    /// The system has not declared access to a component.
    Query(QueryError),
}

impl fmt::Display for FollowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTracked => f.write_str(
                "no bundle has listed changes of this world: build it with \
                 TransformSystemBundle::track_changes(), and follow it after each run",
            ),
            Self::Query(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FollowError {}

impl From<QueryError> for FollowError {
    fn from(error: QueryError) -> Self {
        Self::Query(error)
    }
}
