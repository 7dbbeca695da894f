//! Keeps the hierarchy: after each run every entity's `PreviousParent` and `Children` say what the `Parent`s say, in one run
//! and whatever happened since the last.
//!
//! A pass compares the world with its mirror ([`rows`](super::rows)), works out who should hang off whom
//! ([`links`](super::links)) and who is on a cycle ([`cycles`](super::cycles)), applies that to the forest
//! ([`apply`](super::apply)), and publishes the result ([`children`](super::children)). Components that have to be
//! added or removed move entities between tracker, so a second pass follows that finds little more than new rows.

use legion::{Entity, World};

use super::{
    children::Publication,
    cycles::{Links, Node},
    links::{Candidate, Unlinked, Want},
    locate::Locator,
    numbers::Numbers,
    rows::Rows,
};
use crate::{
    components::Parent,
    findings::Finding,
    forest::{Forest, NONE, NOWHERE},
    storage::columns::{Columns, Row, captured},
    storage::mask::Mask,
    storage::tracker::{ChangeTracker, DamagedColumn},
    trace::Trace,
};

/// Slots up to which debug builds validate the forest after every pass.
#[cfg(debug_assertions)]
const VALIDATED: usize = 4096;

/// What the hierarchy's system remembers of a world.
#[derive(Default)]
pub(crate) struct ParentSystem {
    pub forest: Forest,
    pub rows: Rows,
    /// The entities on cycles.
    pub cyclic: Vec<Entity>,
    pub(super) unlinked: Unlinked,
    /// The entities that stand in a second row, where Legion does not find them.
    pub duplicates: Vec<Entity>,
    /// What was mended since the findings were last taken.
    pub repaired: Vec<Finding>,
    /// How many links were made or cut in this run.
    pub relinked: usize,
    /// Of whatever a step of a pass goes through.
    pub(super) numbers: Numbers,
}

/// A candidate that has to hang off something else than it does.
pub(super) struct Change {
    pub entity: Entity,
    /// [`NOWHERE`] for a dead one.
    pub row: Row,
    /// In the forest, before the change.
    pub slot: u32,
    pub want: Want,
    pub cyclic: bool,
    /// The parent before; [`NOWHERE`] if it hung off none, or the parent is dead.
    pub old_parent: Row,
}

impl Change {
    pub fn is_dead(&self) -> bool {
        self.row == NOWHERE
    }

    /// Whether something hung off the entity before the change.
    pub fn had_children(&self, forest: &Forest) -> bool {
        self.slot != NONE && forest.child_count(self.slot) > 0
    }
}

impl ParentSystem {
    /// Brings everything up to date. Returns whether anything in the hierarchy had changed.
    ///
    /// # Errors
    /// If a column of the world is damaged, before anything is written in this pass.
    pub fn run(&mut self, world: &mut World, tracker: &mut ChangeTracker) -> Result<bool, DamagedColumn> {
        let mut any = false;
        loop {
            let mut columns = Columns::new(world);
            let trace = Trace::start("changes");
            let touched = tracker.detect(&columns)?;
            trace.end(tracker.relevant(), touched);
            if touched == 0 || !self.is_concerned(tracker) {
                return Ok(any);
            }
            let mut found = self.rows.compare(&columns, tracker, &mut self.forest);
            self.set_duplicates_aside(&columns, tracker, &mut found);
            let candidates = self.candidates(&columns, tracker, &found);
            let mut changes = self.changes(&columns, tracker, &candidates);
            any |= !changes.is_empty();
            self.relinked += changes.len();
            // Without candidates nobody on a cycle was looked at either, so those that there are last.
            if !candidates.is_empty() {
                self.close_cycles(&columns, tracker, &mut changes);
            }
            self.apply(&columns, &candidates, &changes);
            let operations = Publication::new(self, &mut columns, tracker).publish(&candidates, &changes, &found);
            self.remove_unneeded(&candidates, &changes);
            if self.forest.is_fragmented() {
                self.forest.rebuild();
            }
            #[cfg(debug_assertions)]
            if self.forest.slots_len() <= VALIDATED {
                self.forest.validate();
            }
            if operations.is_empty() {
                return Ok(any);
            }
            any = true;
            operations.into_iter().for_each(|operation| operation.apply(world));
        }
    }

    /// Whether any archetype that matters to the hierarchy was touched.
    fn is_concerned(&self, tracker: &ChangeTracker) -> bool {
        let relations = tracker.having(Mask::RELATIONS).any(|index| tracker[index].is_changed(Mask::RELATIONS));
        relations || !self.unlinked.is_empty()
    }

    /// The candidates that have to hang off something else than they do.
    fn changes(&mut self, columns: &Columns<'_>, tracker: &ChangeTracker, candidates: &[Candidate]) -> Vec<Change> {
        let mut changes = Vec::with_capacity(candidates.len());
        let mut locator = Locator::default();
        for candidates in candidates.chunk_by(|a, b| a.row.archetype == b.row.archetype) {
            let parents = if candidates[0].is_dead() { &[] } else { columns.read::<Parent>(candidates[0].row.archetype) };
            for candidate in candidates {
                let want = self.want(columns, tracker, &mut locator, (candidate, parents));
                changes.extend(self.change(candidate, want));
            }
        }
        changes
    }

    /// What changes for a candidate, if anything does.
    fn change(&self, candidate: &Candidate, want: Want) -> Option<Change> {
        let &Candidate { entity, row, slot } = candidate;
        let (linked, cyclic) = match slot {
            NONE => (false, false),
            _ => (self.forest.is_linked(slot), self.forest.is_cyclic(slot)),
        };
        let wanted = if let Want::Link(parent) = want { self.forest.slot(parent) } else { NONE };
        let changed = match want {
            Want::Link(_) => cyclic || !linked || self.forest.parent(slot) != Some(wanted),
            Want::Root => linked || cyclic,
            Want::Repair => true,
        };
        if changed {
            self.forest.prefetch(wanted);
        }
        let parent = if slot == NONE { None } else { self.forest.parent(slot) };
        parent.inspect(|&parent| self.forest.prefetch(parent));
        let old_parent = parent.map_or(NOWHERE, |parent| self.forest.row(parent));
        changed.then_some(Change { entity, row, slot, want, cyclic: false, old_parent })
    }

    /// The row of a node's parent; [`NOWHERE`] without one.
    fn parent_row(&self, slot: u32) -> Row {
        self.forest.parent(slot).map_or(NOWHERE, |parent| self.forest.row(parent))
    }

    /// Marks the changes on cycles, and adds entities that did not change but are on one now.
    fn close_cycles(&mut self, columns: &Columns<'_>, tracker: &mut ChangeTracker, changes: &mut Vec<Change>) {
        for (number, change) in changes.iter().enumerate().filter(|(_, change)| !change.is_dead()) {
            self.numbers.set(columns, change.row, number);
        }
        let links = Links { changes, numbers: &self.numbers };
        let members = links.on_cycles(&mut self.forest);
        self.cyclic.clear();
        for node in members {
            let number = match node {
                Node::Changed(number) => number as usize,
                Node::Kept(slot) => {
                    let row = self.forest.row(slot);
                    let entity = columns.entities(row.archetype)[row.row as usize];
                    let old_parent = self.parent_row(slot);
                    changes.push(Change { entity, row, slot, want: Want::Root, cyclic: true, old_parent });
                    changes.len() - 1
                }
            };
            changes[number].cyclic = true;
            self.cyclic.push(changes[number].entity);
        }
        self.cyclic.sort_unstable_by_key(captured);
        for changes in changes.chunk_by(|a, b| a.row.archetype == b.row.archetype).filter(|changes| !changes[0].is_dead()) {
            // Whether `ParentScaleInverse` counts depends on the link.
            let archetype = &mut tracker[changes[0].row.archetype];
            archetype.relinked |= archetype.mask.has(Mask::PARENT_SCALE_INVERSE);
        }
    }
}
