//! Applies changes of links to the forest.

use super::{
    Hierarchy,
    change::{LinkChange, LinkChanges, LinkTarget},
    row_index::RowIndex,
};
use crate::{
    forest::{Forest, NONE, NewParent},
    storage::{Columns, Row},
};

impl Hierarchy {
    /// Detaches what changed, removes the dead, and inserts what has another place.
    pub(super) fn apply(&mut self, columns: &Columns<'_>, changes: &LinkChanges) {
        let changed = changes.list.iter().map(|change| change.slot).filter(|&slot| slot != NONE);
        let dead = || changes.dead.iter().map(|dead| dead.slot);
        changed.chain(dead()).for_each(|slot| self.forest.detach(slot));
        dead().for_each(|slot| self.forest.remove(slot));
        for change in changes
            .list
            .iter()
            .filter(|change| change.target == LinkTarget::Cycle && change.slot != NONE)
        {
            self.forest.set_cyclic(change.slot);
        }
        let moved: Vec<u32> = changes
            .list
            .iter()
            .filter(|change| change.slot != NONE && is_inserted(change))
            .map(|change| change.slot)
            .collect();
        let mut batch = Batch {
            columns,
            index_by_row: &mut self.index_by_row,
            changes: &changes.list,
            others: Vec::new(),
        };
        batch.add_below(&self.forest, &moved);
        let parents = batch.parents(&self.forest);
        self.forest.remove_subtrees(&moved);
        self.forest.insert_subtrees(&parents, |index| batch.row(index));
    }

    /// Removes what has neither a parent nor children any more.
    pub(super) fn remove_unneeded(&mut self, changes: &LinkChanges) {
        // A candidate that had no slot got one because something holds it there.
        for candidate in changes.known() {
            self.remove_if_unneeded(candidate.row);
        }
        for cut in &changes.cut {
            self.remove_if_unneeded(cut.parent);
        }
        self.forest.clear_if_empty();
    }

    fn remove_if_unneeded(&mut self, row: Row) {
        let slot = self.forest.slot(row);
        if slot != NONE && !self.forest.is_needed(slot) {
            self.forest.remove(slot);
        }
    }
}

/// Whether an entity gets another slot: one with another parent, and one on a cycle that was not in
/// the forest.
fn is_inserted(change: &LinkChange) -> bool {
    match change.target {
        LinkTarget::Link(_) => true,
        LinkTarget::Cycle => change.slot == NONE,
        LinkTarget::Root | LinkTarget::Repair => false,
    }
}

/// Everything that is to be inserted together: the tops of subtrees, which have the indices of
/// their changes, and others behind them.
struct Batch<'a> {
    columns: &'a Columns<'a>,
    /// Indices of the nodes by row: those of the changes are there already, as cycles were looked
    /// for.
    index_by_row: &'a mut RowIndex,
    changes: &'a [LinkChange],
    /// What is below the tops, and then parents that were not in the forest.
    others: Vec<(Row, NewParent)>,
}

impl Batch<'_> {
    /// Adds what is below slots that their nodes leave.
    fn add_below(&mut self, forest: &Forest, moved: &[u32]) {
        for &top in moved {
            forest.for_each_in_subtree(top, |slot| {
                if slot != top {
                    // Parents come before their children, so that their indices are known.
                    let parent =
                        forest.parent(slot).and_then(|parent| self.index(forest.row(parent)));
                    self.add(forest.row(slot), parent.map_or(NewParent::Root, NewParent::Same));
                }
            });
        }
    }

    fn add(&mut self, row: Row, parent: NewParent) -> u32 {
        let index = self.changes.len() + self.others.len();
        self.index_by_row.set(self.columns, row, index);
        self.others.push((row, parent));
        index as u32
    }

    fn row(&self, index: usize) -> Row {
        match self.changes.get(index) {
            Some(change) => change.row,
            None => self.others[index - self.changes.len()].0,
        }
    }

    /// The index of the node at a row.
    fn index(&self, row: Row) -> Option<u32> {
        let index = self.index_by_row.get(row);
        let is_there = match self.changes.get(index) {
            Some(change) => change.row == row && is_inserted(change),
            None => self
                .others
                .get(index.wrapping_sub(self.changes.len()))
                .is_some_and(|other| other.0 == row),
        };
        is_there.then_some(index as u32)
    }

    /// What every node is inserted below; nothing for a change that leaves its entity where it is.
    /// Adds parents that are not in the forest.
    fn parents(&mut self, forest: &Forest) -> Vec<Option<NewParent>> {
        // Room for parents that are added: untouched memory until it is used.
        let mut parents = Vec::with_capacity(self.changes.len() * 2 + self.others.len());
        for change in self.changes {
            let is_cyclic = change.target == LinkTarget::Cycle && change.slot == NONE;
            let parent = change.new_parent().map(|row| self.parent(forest, row));
            parents.push(parent.or(is_cyclic.then_some(NewParent::Cycle)));
        }
        parents.extend(self.others.iter().map(|&(_, parent)| Some(parent)));
        parents
    }

    /// The parent at a row.
    fn parent(&mut self, forest: &Forest, row: Row) -> NewParent {
        match (self.index(row), forest.slot(row)) {
            (Some(index), _) => NewParent::Batch(index),
            (None, NONE) => NewParent::Batch(self.add(row, NewParent::Root)),
            (None, slot) => NewParent::Slot(slot),
        }
    }
}
