//! The engine: what users never name. Read `steps.rs` first: one run from above, then the rooms in
//! the order of ARCHITECTURE.md.

mod bits;
mod bulk;
mod changes;
mod check;
mod diagnostics;
mod forest;
mod frames;
mod fresh;
mod hierarchy;
mod inverse;
mod local;
mod machine;
mod meaning;
mod options;
mod other_links;
mod parallel;
mod propagation;
pub(crate) mod rules;
mod simd;
mod state;
mod steps;
mod storage;
mod trace;
mod worlds;

// A run, its options, and the spaces of frames.
pub(crate) use frames::Spaces;
pub(crate) use options::Options;
pub(crate) use steps::Engine;
// What a run lists.
pub use changes::{ChangedRows, TransformChanges, WorldChanges};
// Matrices and links of now.
pub(crate) use fresh::{FreshRow, FreshRows, LocalInputs, Store, WayUp};
#[cfg(feature = "serde")]
pub(crate) use meaning::Overrides;
pub(crate) use other_links::OtherLinks;
pub(crate) use storage::{Access, Mask, Meaning, captured, for_each_component};
// Making, moving and removing entities.
pub(crate) use bits::RowSet;
pub(crate) use bulk::{guard, remove};
pub(crate) use meaning::lacking_columns;
pub(crate) use parallel::Panics;
pub(crate) use storage::{Append, Appender, NewValues, RowSource, RowWriter};
