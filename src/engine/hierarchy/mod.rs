//! The hierarchy: from the `Parent`s that users write to the [forest](super::forest),
//! `PreviousParent` and `Children`.
//!
//! A *link* is an entity's relation to its parent. A pass has four phases:
//!
//! ```text
//! diff       who came, who left, and whose `Parent` is another one than before       Diff
//! resolve    whose link changes, and which of them are on a cycle                    LinkChanges
//! apply      subtrees of the forest get other slots, are inserted and removed
//! publish    `Children` and `PreviousParent` are written in place                    Commands
//! ```
//!
//! # One pass, with numbers
//!
//! A user writes `Parent(venus)` into `mars`. `1:0` is row 0 of archetype 1.
//!
//! ```text
//!  before           after                entity   components          row    slot
//!   sun              sun                 sun      Children            0:0    0
//!   ├─ mars          └─ venus            mars     Parent, Children    1:0    1
//!   │  ├─ moon          └─ mars          moon     Parent              2:0    2
//!   │  └─ io               ├─ moon       io       Parent              2:1    3
//!   └─ venus               └─ io         venus    Parent              2:2    4
//!
//!  diff       1:0 is re-parented: `Parent` is venus, `PreviousParent` is sun
//!  resolve    1:0 becomes a child of 2:2; the link of sun and mars is cut; no cycle
//!  apply      slots 1, 2 and 3 are freed; mars, moon and io get slots 5, 6 and 7
//!  publish    sun's `Children` lose mars; mars' `PreviousParent` is venus;
//!             a command gives `Children` to venus
//! ```
//!
//! A command migrates an entity to another archetype, so after a pass with commands a second
//! one follows. Here venus comes to row 1:1. Slot 4 gets this row, and the second pass finds that
//! venus has the right `Children`: nothing changes any more.
//!
//! Without changes, a tick reads the counter of versions and no row. A pass costs O(n) for n rows
//! that changed, their subtrees, and their ancestors, which the search for cycles walks. Where a
//! whole column may have been written, each of its rows is compared besides.

mod apply;
mod change;
mod compare;
mod cycles;
mod diff;
mod lists;
mod publish;
mod resolve;
mod row_index;
mod target;

use std::collections::HashMap;

use legion::{Entity, World, world::EntityHasher};

use self::{diff::DeadNode, publish::Commands, row_index::RowIndex};
use crate::{
    engine::{
        accelerators::Accelerator,
        bulk::{EffectiveColumn, add_missing},
        forest::{Forest, NONE},
        storage::{ChangeTracker, Columns, Damage, Mask, Row},
        trace::Trace,
    },
    findings::Finding,
};

/// Slots up to which debug builds validate the forest after every pass.
#[cfg(debug_assertions)]
const VALIDATED: usize = 4096;

/// The hierarchy of a world, and the state that a pass keeps for the next one.
#[derive(Default)]
pub(crate) struct Hierarchy {
    /// Whether entities get the matrices that they lack.
    inserts_missing: bool,
    /// The columns of `Effective`, one a property, that all entities with `LocalToWorld` get.
    effective: Vec<EffectiveColumn>,
    forest: Forest,
    /// The entities on cycles, in the order of their ids.
    cyclic: Vec<Entity>,
    /// Entities with a `Parent` that cannot take effect yet, with that parent: `LocalToParent` or
    /// `LocalToWorld` is missing. The forest does not link them, so the death of the parent does
    /// not lead to them. Later passes look at them again.
    pending: HashMap<Entity, Entity, EntityHasher>,
    /// The mistakes that were mended since [`take_repaired`](Self::take_repaired) was last called.
    repaired: Vec<Finding>,
    /// The number of links made or cut since [`take_relinked`](Self::take_relinked) was last
    /// called.
    relinked: usize,
    /// The entities whose links changed since the last
    /// [`take_changed_links`](Self::take_changed_links), if there are properties: their values
    /// follow the links.
    changed_links: Vec<Entity>,
    /// From rows to indices. Looking for cycles enters the changes of the pass, and `apply` adds
    /// the nodes that go with them.
    index_by_row: RowIndex,
}

impl Hierarchy {
    pub fn new(inserts_missing: bool, effective: Vec<EffectiveColumn>) -> Self {
        Self { inserts_missing, effective, ..Self::default() }
    }

    /// Brings everything up to date.
    ///
    /// Whole archetypes get what they lack first, in `bulk/`: 10,000 entities that were spawned
    /// without `PreviousParent` then need no commands. Passes follow until no entity migrates:
    /// most often one pass, or two. A command that had no effect asks for no other pass.
    ///
    /// # Errors
    /// If a column of the world is damaged, before anything is written in this pass.
    pub fn update(&mut self, world: &mut World, tracker: &mut ChangeTracker) -> Result<(), Damage> {
        let trace = Trace::start("look");
        let touched = tracker.detect(world, &mut self.forest)?;
        trace.end(tracker.relevant(), touched);
        if touched > 0 {
            self.run_passes(world, tracker)?;
        }
        tracker.settle_links(world, &self.cyclic);
        Ok(())
    }

    /// Follows the last look, pass by pass.
    fn run_passes(&mut self, world: &mut World, tracker: &mut ChangeTracker) -> Result<(), Damage> {
        // The rows of entities that the bundle itself migrates before the first pass.
        let mut migrated = Vec::new();
        let is_bulk =
            Accelerator::Bulk.is_on() && (self.inserts_missing || self.is_concerned(tracker));
        if is_bulk || !self.effective.is_empty() {
            migrated = add_missing(world, tracker, self.inserts_missing, &self.effective);
            if !migrated.is_empty() {
                tracker.detect_own(world, &mut self.forest)?;
            }
        }
        if self.inserts_missing {
            migrated.extend(give_matrices(world, tracker, &mut self.forest)?);
        }
        loop {
            let mut columns = Columns::new(world);
            let dead = tracker.take_dead().into_iter().filter(|&(_, slot)| slot != NONE);
            let dead: Vec<_> = dead.map(|(entity, slot)| DeadNode { entity, slot }).collect();
            if dead.is_empty() && !self.is_concerned(tracker) {
                tracker.settle_recent();
                return Ok(());
            }
            let mut commands = Commands::default();
            let migrated = std::mem::take(&mut migrated);
            self.pass(&mut columns, tracker, &mut commands, (dead, migrated));
            tracker.settle_recent();
            #[cfg(debug_assertions)]
            if self.forest.slots_len() <= VALIDATED {
                self.forest.validate();
            }
            if commands.is_empty() {
                return Ok(());
            }
            // Versions that this pass bumped must not count as a user's writes in the next look.
            tracker.settle_own(world);
            if !commands.flush(world) {
                return Ok(());
            }
            tracker.detect_own(world, &mut self.forest)?;
        }
    }

    /// Whether a pass may find anything, besides dead nodes: a relation was written, entities came
    /// to or left archetypes with relations, or some are pending. A turned `Rotation` needs no
    /// pass.
    fn is_concerned(&self, tracker: &ChangeTracker) -> bool {
        let mut related = tracker.having(Mask::RELATIONS);
        related.any(|index| tracker[index].is_changed(Mask::RELATIONS)) || !self.pending.is_empty()
    }

    /// One pass. `dead` are nodes whose entities are gone, `migrated` the rows of entities that the
    /// bundle itself has migrated since the last pass.
    ///
    /// The phases read each other's results and nothing later: `resolve` sees the forest before
    /// the pass, `publish` sees it after.
    fn pass(
        &mut self,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        commands: &mut Commands,
        (dead, migrated): (Vec<DeadNode>, Vec<Row>),
    ) {
        let diff = self.diff(columns, tracker, dead, migrated);
        let mut changes = self.resolve(columns, tracker, &diff);
        // A dead child counts as one cut link. The changes of its children are in the list.
        self.relinked += changes.list.len()
            + changes.dead.iter().filter(|dead| self.forest.has_link(dead.slot)).count();
        self.close_cycles(columns, tracker, &mut changes);
        if !self.effective.is_empty() {
            let rows = changes.list.iter().map(|change| change.row);
            self.changed_links.extend(rows.filter_map(|row| tracker.entity(row)));
        }
        self.apply(columns, &changes);
        self.publish(columns, tracker, commands, &changes, &diff);
        self.remove_unneeded(&changes);
        self.index_by_row.end_pass();
        if self.forest.is_fragmented() {
            self.forest.rebuild();
        }
    }

    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    pub fn forest_mut(&mut self) -> &mut Forest {
        &mut self.forest
    }

    /// The entities on cycles, in the order of their ids.
    pub fn cyclic(&self) -> &[Entity] {
        &self.cyclic
    }

    /// The mistakes that were mended since the last call.
    pub fn take_repaired(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.repaired)
    }

    /// The entities whose links changed since the last call, if there are
    /// properties.
    pub fn take_changed_links(&mut self) -> Vec<Entity> {
        std::mem::take(&mut self.changed_links)
    }

    /// The number of links made or cut since the last call.
    pub fn take_relinked(&mut self) -> usize {
        std::mem::take(&mut self.relinked)
    }
}

/// Gives entities the matrices that they still lack, one by one. Returns the rows that these
/// entities have afterwards, in the order of their old rows.
///
/// With rows 2:0 and 2:1 lacking `LocalToWorld`, and 7 rows in the archetype with it, the result is
/// 5:7 and 5:8, if that one is number 5.
fn give_matrices(
    world: &mut World,
    tracker: &mut ChangeTracker,
    forest: &mut Forest,
) -> Result<Vec<Row>, Damage> {
    let columns = Columns::new(world);
    let mut commands = Commands::default();
    let mut given = Vec::new();
    for archetype in tracker.lacking_or(Mask::NONE) {
        let missing = tracker[archetype].owned.missing;
        for (row, &entity) in (0..).zip(columns.entities(archetype)) {
            commands.give_matrices(Row { archetype, row }, entity, missing);
            given.push(entity);
        }
    }
    if given.is_empty() || !commands.flush(world) {
        return Ok(Vec::new());
    }
    tracker.detect_own(world, forest)?;
    let rows = given.into_iter().filter_map(|entity| tracker.locate(entity));
    let has_all = |row: &Row| tracker[row.archetype].owned.missing == Mask::NONE;
    Ok(rows.filter(has_all).collect())
}
