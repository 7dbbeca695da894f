//! Applies changes of links to the forest.

use super::{
    Hierarchy,
    change::{Candidates, LinkChange, LinkChanges, LinkTarget},
    row_index::RowIndex,
};
use crate::{
    forest::{Forest, NONE, NewNode, NewParent},
    storage::columns::{Columns, Row},
};

impl Hierarchy {
    /// Detaches what changed, removes the dead, and inserts what has another place.
    pub(super) fn apply(&mut self, columns: &Columns<'_>, candidates: &Candidates, changes: &LinkChanges) {
        let dead: Vec<u32> = candidates.dead.iter().map(|&(_, slot)| slot).filter(|&slot| slot != NONE).collect();
        let changed = changes.list.iter().map(|change| change.slot).filter(|&slot| slot != NONE);
        changed.chain(dead.iter().copied()).for_each(|slot| self.forest.detach(slot));
        dead.into_iter().for_each(|slot| self.forest.remove(slot));
        for change in changes.list.iter().filter(|change| change.target == LinkTarget::Cycle && change.slot != NONE) {
            self.forest.set_cyclic(change.slot);
        }
        let mut batch = Batch::new(columns, &mut self.index_by_row);
        let moved = batch.gather(&self.forest, &changes.list);
        batch.set_parents(&self.forest, &changes.list);
        self.forest.remove_subtrees(&moved);
        self.forest.insert_subtrees(&mut batch.nodes);
        for &parent in &batch.new_parents {
            self.snapshots.keep_if_outside(columns, parent);
        }
    }

    /// Removes what has neither a parent nor children any more.
    pub(super) fn remove_unneeded(&mut self, candidates: &Candidates, changes: &LinkChanges) {
        // A candidate that had no slot got one because something holds it there.
        for candidate in candidates.living.iter().filter(|candidate| candidate.slot != NONE) {
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

/// Everything that is to be inserted together: the tops of subtrees as they come in the changes, what is below them, and parents
/// that were not in the forest.
struct Batch<'a> {
    columns: &'a Columns<'a>,
    /// Indices of the nodes by row.
    index_by_row: &'a mut RowIndex,
    nodes: Vec<NewNode>,
    /// The rows of entities that are in the forest only because they get children.
    new_parents: Vec<Row>,
}

/// Whether an entity gets another slot: what hangs off something else, and what is on a cycle and was not in the forest.
fn is_inserted(change: &&LinkChange) -> bool {
    match change.target {
        LinkTarget::Link(_) => true,
        LinkTarget::Cycle => change.slot == NONE,
        LinkTarget::Root | LinkTarget::Repair => false,
    }
}

impl<'a> Batch<'a> {
    fn new(columns: &'a Columns<'a>, index_by_row: &'a mut RowIndex) -> Self {
        Self { columns, index_by_row, nodes: Vec::new(), new_parents: Vec::new() }
    }

    /// Takes in the entities of changes with all that is below them, but for the parents of the tops. Returns the slots that tops
    /// leave.
    fn gather(&mut self, forest: &Forest, changes: &[LinkChange]) -> Vec<u32> {
        self.nodes.reserve(changes.len());
        for change in changes.iter().filter(is_inserted) {
            let is_cyclic = change.target == LinkTarget::Cycle;
            self.add(change.row, if is_cyclic { NewParent::Cycle } else { NewParent::Root });
        }
        let moved = changes.iter().filter(is_inserted).map(|change| change.slot).filter(|&slot| slot != NONE);
        let moved: Vec<u32> = moved.collect();
        for &top in &moved {
            forest.for_each_in_subtree(top, |slot| {
                if slot != top {
                    // Parents come before their children, so that their indices are known.
                    let parent = forest.parent(slot).and_then(|parent| self.index(forest.row(parent)));
                    self.add(forest.row(slot), parent.map_or(NewParent::Root, NewParent::Same));
                }
            });
        }
        moved
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

    /// Finds the parent of every top; one that is not in the forest is inserted with the rest.
    fn set_parents(&mut self, forest: &Forest, changes: &[LinkChange]) {
        for (top, change) in changes.iter().filter(is_inserted).enumerate() {
            let Some(row) = change.new_parent() else { continue };
            self.nodes[top].parent = match self.index(row) {
                Some(parent) => NewParent::Batch(parent),
                None => match forest.slot(row) {
                    NONE => {
                        self.new_parents.push(row);
                        self.add(row, NewParent::Root);
                        NewParent::Batch(self.nodes.len() as u32 - 1)
                    }
                    slot => NewParent::Slot(slot),
                },
            };
        }
    }
}
