//! Applies changes of links to the forest.

use super::{
    Hierarchy,
    change::{Candidate, LinkChange, LinkTarget},
    row_index::RowIndex,
};
use crate::{
    forest::{Forest, NONE, NOWHERE, NewNode, NewParent},
    storage::columns::{Columns, Row},
};

impl Hierarchy {
    /// Detaches what changed, removes the dead, and inserts what has another place.
    pub(super) fn apply(&mut self, columns: &Columns<'_>, candidates: &[Candidate], changes: &[LinkChange]) {
        for change in changes.iter().filter(|change| change.slot != NONE) {
            self.forest.detach(change.slot);
        }
        for candidate in candidates.iter().filter(|candidate| candidate.is_dead() && candidate.slot != NONE) {
            self.forest.remove(candidate.slot);
        }
        let mut batch = Batch::new(columns, &mut self.index_by_row, changes.len());
        for change in changes.iter().filter(|change| !change.is_dead()) {
            batch.gather(&mut self.forest, change);
        }
        batch.set_parents(&self.forest);
        self.forest.remove_subtrees(&batch.moved);
        self.forest.insert_subtrees(&mut batch.nodes);
        for &parent in &batch.new_parents {
            self.snapshots.keep_if_outside(columns, parent);
        }
    }

    /// Removes what has neither a parent nor children any more.
    pub(super) fn remove_unneeded(&mut self, candidates: &[Candidate], changes: &[LinkChange]) {
        // A candidate that had no slot got one because something holds it there.
        let stood = candidates.iter().filter(|candidate| candidate.slot != NONE && !candidate.is_dead());
        for candidate in stood {
            self.remove_if_unneeded(candidate.row);
        }
        for change in changes.iter().filter(|change| change.old_parent != NOWHERE) {
            self.remove_if_unneeded(change.old_parent);
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

/// Everything that is to be inserted together.
struct Batch<'a> {
    columns: &'a Columns<'a>,
    /// Indices of the nodes by row.
    index_by_row: &'a mut RowIndex,
    nodes: Vec<NewNode>,
    /// The tops of the subtrees that leave their slots.
    moved: Vec<u32>,
    /// Nodes with the row of the parent that they get.
    tops: Vec<(u32, Row)>,
    /// The rows of entities that are in the forest only because they get children.
    new_parents: Vec<Row>,
}

impl<'a> Batch<'a> {
    fn new(columns: &'a Columns<'a>, index_by_row: &'a mut RowIndex, size: usize) -> Self {
        let (nodes, tops) = (Vec::with_capacity(size), Vec::with_capacity(size));
        Self { columns, index_by_row, nodes, moved: Vec::new(), tops, new_parents: Vec::new() }
    }

    /// Takes in the entity of a change with all that is below it, if it has to stand elsewhere.
    fn gather(&mut self, forest: &mut Forest, change: &LinkChange) {
        match change.target {
            _ if change.cyclic => {
                if change.slot == NONE {
                    self.add(change.row, NewParent::Cycle);
                } else {
                    forest.set_cyclic(change.slot);
                }
            }
            LinkTarget::Root | LinkTarget::Repair => {}
            LinkTarget::Link(parent) => {
                self.tops.push((self.nodes.len() as u32, parent));
                if change.slot == NONE {
                    self.add(change.row, NewParent::Root);
                } else {
                    self.gather_subtree(forest, change.slot);
                }
            }
        }
    }

    fn gather_subtree(&mut self, forest: &Forest, top: u32) {
        self.moved.push(top);
        forest.for_each_in_subtree(top, |slot| {
            // Parents come before their children, so that their indices are known.
            let parent = forest.parent(slot).and_then(|parent| self.index(forest.row(parent)));
            self.add(forest.row(slot), parent.filter(|_| slot != top).map_or(NewParent::Root, NewParent::Same));
        });
    }

    fn add(&mut self, row: Row, parent: NewParent) {
        self.index_by_row.set(self.columns, row, self.nodes.len());
        self.nodes.push(NewNode::new(row, parent));
    }

    /// The index of the node at a row.
    fn index(&self, row: Row) -> Option<u32> {
        let index = self.index_by_row.get(row);
        self.nodes.get(index).is_some_and(|node| node.row == row).then_some(index as u32)
    }

    /// Finds the parent of every subtree; one that is not in the forest is inserted with the rest.
    fn set_parents(&mut self, forest: &Forest) {
        for (top, row) in std::mem::take(&mut self.tops) {
            self.nodes[top as usize].parent = match (self.index(row), forest.slot(row)) {
                (Some(parent), _) => NewParent::Batch(parent),
                (None, NONE) => {
                    self.new_parents.push(row);
                    self.add(row, NewParent::Root);
                    NewParent::Batch(self.nodes.len() as u32 - 1)
                }
                (None, slot) => NewParent::Slot(slot),
            };
        }
    }
}
