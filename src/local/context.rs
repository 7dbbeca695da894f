//! The parts of a world that the local systems work on.

use crate::{
    changes::WorldChanges,
    forest::Forest,
    simd::Isa,
    storage::{ChangeTracker, Columns},
};

/// What the systems read and write during a run.
pub(crate) struct Context<'a, 'w> {
    pub columns: &'a mut Columns<'w>,
    pub tracker: &'a mut ChangeTracker,
    pub forest: &'a mut Forest,
    /// Where changed world matrices are listed, if a bundle lists them.
    pub changes: Option<&'a mut WorldChanges>,
    pub isa: Isa,
}
