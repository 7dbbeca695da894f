//! The hierarchy: from the `Parent`s that users write to the [forest](crate::forest),
//! `PreviousParent` and `Children`.
//!
//! ```text
//! diff       who came, who left, and whose `Parent` is another one than before       Diff
//! resolve    whose link changes, and which of them are on a cycle                    LinkChanges
//! apply      subtrees of the forest are moved, inserted and removed
//! publish    `Children` and `PreviousParent` are written in place                    Commands
//! ```
//!
//! Commands move entities between archetypes, so after a pass that recorded any a second one
//! follows, which finds little more than new rows.

mod apply;
mod change;
mod compare;
mod cycles;
mod diff;
mod publish;
mod resolve;
mod row_index;

use std::collections::HashMap;

use legion::{Entity, World, world::EntityHasher};

use self::{diff::DeadNode, publish::Commands, row_index::RowIndex};
use crate::{
    accelerators::Accelerator,
    bulk::add_missing,
    findings::Finding,
    forest::Forest,
    rules,
    storage::{ChangeTracker, Columns, Damage, Mask, Row},
    trace::Trace,
};

/// Slots up to which debug builds validate the forest after every pass.
#[cfg(debug_assertions)]
const VALIDATED: usize = 4096;

/// What is remembered of a world's hierarchy.
#[derive(Default)]
pub(crate) struct Hierarchy {
    /// Whether entities get the matrices that they lack.
    inserts_missing: bool,
    forest: Forest,
    /// The entities on cycles.
    cyclic: Vec<Entity>,
    /// Entities with a `Parent` that cannot take effect yet, with it.
    pending: HashMap<Entity, Entity, EntityHasher>,
    /// What was mended since it was last taken.
    repaired: Vec<Finding>,
    /// How many links were made or cut since it was last taken.
    relinked: usize,
    /// Where in a list the item about a row is; each step of a pass fills it anew.
    index_by_row: RowIndex,
}

impl Hierarchy {
    pub fn new(inserts_missing: bool) -> Self {
        Self { inserts_missing, ..Self::default() }
    }

    /// Brings everything up to date. Returns whether anything in the hierarchy had changed.
    ///
    /// # Errors
    /// If a column of the world is damaged, before anything is written in this pass.
    pub fn update(
        &mut self,
        world: &mut World,
        tracker: &mut ChangeTracker,
    ) -> Result<bool, Damage> {
        let mut any = false;
        let trace = Trace::start("changes");
        let touched = tracker.detect(world)?;
        trace.end(tracker.relevant(), touched);
        if touched == 0 {
            return Ok(false);
        }
        let mut moved = Vec::new();
        if Accelerator::Bulk.is_on() && (self.inserts_missing || self.is_concerned(tracker)) {
            moved = add_missing(world, tracker, self.inserts_missing);
            if !moved.is_empty() {
                tracker.detect_own(world)?;
            }
        }
        if self.inserts_missing {
            moved.extend(give_matrices(world, tracker)?);
        }
        loop {
            let mut columns = Columns::new(world);
            let dead = self.follow(&columns, tracker);
            if dead.is_empty() && !self.is_concerned(tracker) {
                tracker.settle_recent();
                return Ok(any);
            }
            let mut commands = Commands::default();
            let moved = std::mem::take(&mut moved);
            any |= self.pass(&mut columns, tracker, &mut commands, (dead, moved));
            tracker.settle_recent();
            #[cfg(debug_assertions)]
            if self.forest.slots_len() <= VALIDATED {
                self.forest.validate();
            }
            if commands.is_empty() {
                return Ok(any);
            }
            any = true;
            tracker.settle_own(world);
            commands.flush(world);
            tracker.detect_own(world)?;
        }
    }

    /// Whether any archetype that matters to the hierarchy was touched.
    fn is_concerned(&self, tracker: &ChangeTracker) -> bool {
        let relations =
            tracker.having(Mask::RELATIONS).any(|index| tracker[index].is_changed(Mask::RELATIONS));
        relations || !self.pending.is_empty()
    }

    /// One pass, with the entities of the forest that are gone and the rows that the bundle itself
    /// has moved. Returns whether any link changed.
    fn pass(
        &mut self,
        columns: &mut Columns<'_>,
        tracker: &mut ChangeTracker,
        commands: &mut Commands,
        (dead, moved): (Vec<DeadNode>, Vec<Row>),
    ) -> bool {
        let diff = self.diff(columns, tracker, dead, moved);
        let mut changes = self.resolve(columns, tracker, &diff);
        let relinked = changes.list.len()
            + changes.dead.iter().filter(|dead| self.forest.has_link(dead.slot)).count();
        self.relinked += relinked;
        self.close_cycles(columns, tracker, &mut changes);
        self.apply(columns, &changes);
        self.publish(columns, tracker, commands, &changes, &diff);
        self.remove_unneeded(&changes);
        self.index_by_row.end_pass();
        if self.forest.is_fragmented() {
            self.forest.rebuild();
        }
        relinked > 0
    }

    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    pub fn forest_mut(&mut self) -> &mut Forest {
        &mut self.forest
    }

    /// The entities on cycles.
    pub fn cyclic(&self) -> &[Entity] {
        &self.cyclic
    }

    /// What was mended since this was last asked.
    pub fn take_repaired(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.repaired)
    }

    /// How many links were made or cut since this was last asked.
    pub fn take_relinked(&mut self) -> usize {
        std::mem::take(&mut self.relinked)
    }
}

/// Gives entities the matrices that they still lack, one by one. Returns where these entities are
/// then, in the order of the rows that they had.
fn give_matrices(world: &mut World, tracker: &mut ChangeTracker) -> Result<Vec<Row>, Damage> {
    let columns = Columns::new(world);
    let mut commands = Commands::default();
    let mut given = Vec::new();
    for archetype in tracker.having(rules::WANT_LOCAL_TO_WORLD) {
        let missing = rules::missing_matrices(tracker[archetype].mask);
        if missing != Mask::NONE {
            for (row, &entity) in (0..).zip(columns.entities(archetype)) {
                commands.give_matrices(Row { archetype, row }, entity, missing);
                given.push(entity);
            }
        }
    }
    if given.is_empty() {
        return Ok(Vec::new());
    }
    commands.flush(world);
    tracker.detect_own(world)?;
    Ok(given.into_iter().filter_map(|entity| tracker.locate(entity)).collect())
}
