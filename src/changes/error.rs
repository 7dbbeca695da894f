//! Why a run cannot be followed.

use super::QueryError;

/// Why [`Smooth::tick`](crate::smooth::Smooth::tick) or
/// [`InstanceSlots::follow`](super::InstanceSlots::follow) has followed nothing.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FollowError {
    /// No bundle with [`track_changes`](crate::TransformSystemBundle::track_changes) has run on
    /// the world, so there is no list of what a run has changed.
    #[error(
        "no bundle has listed changes of this world: build it with \
         TransformSystemBundle::track_changes(), and follow it after each run"
    )]
    NotTracked,
    /// The system has not declared access to a component.
    #[error(transparent)]
    Query(#[from] QueryError),
}
