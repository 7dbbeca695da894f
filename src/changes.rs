//! Which world matrices the last run changed: for renderers, physics and others that copy them.
//!
//! [`track_changes`](crate::TransformSystemBundle::track_changes) makes the bundle keep the list.
//! [`InstanceSlots`] gives numbers to what a renderer draws, by that list. See the guide's page
//! [*Drawing*](crate::guide::drawing).

mod changed;
mod error;
mod now;
mod slots;

pub use crate::engine::{ChangedRows, TransformChanges, WorldChanges};
use crate::{engine::RowSet, findings::QueryError};
pub use error::FollowError;
pub(crate) use now::MatricesNow;
pub(crate) use slots::Slots;
pub use slots::{Instance, InstanceSlots};
