//! Why a tick cannot be followed.

use std::fmt;

use crate::query::QueryError;

/// Why [`Smooth::tick`](super::Smooth::tick) has followed nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SmoothError {
    /// No bundle with [`track_changes`](crate::TransformSystemBundle::track_changes) has run on
    /// the world, so there is no list of what a tick has changed.
    NotTracked,
    /// The system has not declared access to a component.
    Query(QueryError),
}

impl fmt::Display for SmoothError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTracked => f.write_str(
                "no bundle has listed changes of this world: build it with \
                 TransformSystemBundle::track_changes(), and call Smooth::tick after each run",
            ),
            Self::Query(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SmoothError {}

impl From<QueryError> for SmoothError {
    fn from(error: QueryError) -> Self {
        Self::Query(error)
    }
}
