//! The parts of a world that the local systems work on.

use crate::{
    changes::WorldChanges,
    forest::Forest,
    simd::Isa,
    storage::{ChangeTracker, Columns},
};

/// All that the systems read and write during a run. Each field is borrowed apart, so a system can
/// write a column while it reads the forest.
pub(crate) struct Context<'a, 'w> {
    pub columns: &'a mut Columns<'w>,
    pub tracker: &'a mut ChangeTracker,
    /// Read for links and slots; written only to mark nodes.
    pub forest: &'a mut Forest,
    /// Where changed world matrices are listed, if a bundle lists them.
    pub changes: Option<&'a mut WorldChanges>,
    /// The instruction set of the kernels.
    pub isa: Isa,
}
