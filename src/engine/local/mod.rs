//! Local matrices: from the components that users write to `LocalToParent`, or to the
//! `LocalToWorld` of an entity without parent.
//!
//! ```text
//! Euler angles --composite--> Rotation, PostRotation --> CompositeRotation, CompositeScale
//! scale of the parent --parent_scale--> ParentScaleInverse
//! all of these --columns--> local matrix
//! changed local matrices --systems--> versions, the list of changes, marks in the forest
//! ```
//!
//! # One tick, with numbers
//!
//! A user turns `RotationEulerXYZ` of row 5 in an archetype of 10,000 linked entities:
//!
//! ```text
//! inputs     angles are compared with their copy; row 5 differs and is due
//! composite  its rotation is computed, differs and is written
//! columns    its matrix is composed and differs
//! systems    the version of `LocalToParent` is bumped once; the node of row 5 is dirty
//! ```
//!
//! An archetype is skipped if no input and no result was written there, no entity came, and no row
//! is due.

mod columns;
mod composite;
mod inputs;
mod parent_scale;
mod systems;
mod work;

pub(crate) use columns::Rows;
pub(crate) use systems::LocalSystems;

use crate::engine::{
    bits,
    changes::WorldChanges,
    forest::Forest,
    machine::Machine,
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
    pub machine: &'a Machine,
}

impl Context<'_, '_> {
    /// Call where world matrices were written that come from no parent: of the rows with a bit, 64
    /// a word. The column's version is bumped, the rows are listed, and what is below them will
    /// follow.
    ///
    /// ```text
    ///  rows 3 and 70 of 100    [1 << 3, 1 << 6]
    /// ```
    pub fn worlds_written(&mut self, archetype: u32, rows: &[u64]) {
        let Self { columns, tracker, forest, changes, .. } = self;
        let words = || bits::used(rows);
        if words().next().is_none() {
            return;
        }
        tracker.bump_worlds(columns, archetype, words);
        changes.iter_mut().for_each(|changes| changes.add(archetype, words()));
        if !forest.slots(archetype).is_empty() {
            forest.set_dirty_below(archetype, bits::marked(rows));
        }
    }
}
