//! Applies changes of links to the forest.
//!
//! A node with a different parent gets a different slot, with its subtree. All subtrees of a pass
//! form one [`Batch`]: one call removes them, and one inserts them. A child that becomes a root
//! keeps its slot, in O(1).

use super::{
    Hierarchy,
    change::{LinkChange, LinkChanges, RowIndex},
    diff::Diff,
};
use crate::engine::{
    forest::{Forest, NONE, NewParent},
    storage::{Columns, Row},
};

impl Hierarchy {
    /// Detaches all changed nodes, removes dead ones, marks those that are held, and gives other
    /// slots to the subtrees of nodes with another parent.
    ///
    /// All are detached before any is inserted. So a subtree of the batch contains no change but
    /// its top: if mars goes below venus and its child moon below sun, moon is a subtree alone.
    pub(super) fn apply(&mut self, columns: &Columns<'_>, changes: &LinkChanges, diff: &Diff) {
        let known = || changes.list.iter().filter(|change| change.slot != NONE);
        let dead = || diff.dead.iter().map(|dead| dead.slot);
        let changed = known().map(|change| change.slot);
        changed.chain(dead()).for_each(|slot| self.forest.detach(slot));
        self.forest.remove(dead());
        let held = known().filter(|change| change.target.is_held());
        held.for_each(|change| self.forest.set_held(change.slot));
        // The tops of subtrees that leave their slots.
        let tops = known().filter(|change| change.new_parent().is_some());
        let tops: Vec<u32> = tops.map(|change| change.slot).collect();
        let mut batch = Batch {
            columns,
            index_by_row: &mut self.index_by_row,
            changes: &changes.list,
            others: Vec::new(),
        };
        batch.add_below(&self.forest, &tops);
        let parents = batch.parents(&self.forest);
        self.forest.remove_subtrees(&tops);
        self.forest.insert_subtrees(&parents, |index| batch.row(index));
    }

    /// Removes nodes that have neither a parent nor children any more: sun, when mars was its only
    /// child and left.
    pub(super) fn remove_unneeded(&mut self, changes: &LinkChanges) {
        // A candidate without a slot before this pass has one now only because it is needed: it
        // was inserted with a parent or a child, or is held.
        let candidates = changes.known().map(|candidate| candidate.row);
        for row in candidates.chain(changes.cut.iter().map(|cut| cut.parent)) {
            let slot = self.forest.slot(row);
            if slot != NONE && !self.forest.is_needed(slot) {
                self.forest.remove([slot]);
            }
        }
        self.forest.clear_if_empty();
    }
}

/// Whether an entity gets another slot: one with another parent, or a held one that was not in the
/// forest. A held entity that had a slot keeps it, and so does a new root.
fn is_inserted(change: &LinkChange) -> bool {
    change.new_parent().is_some() || change.is_newly_held()
}

/// The nodes that are inserted together, by index: first the changes, then `others`.
///
/// Mars goes from sun to venus, in numbers:
///
/// ```text
///  slots before   0     1      2      3      4           changes   0: row 1:0, to venus
///  entity         sun   mars   moon   io     venus
///  parent         -     0      1      1      0
///
///  index          0           1          2
///  row            1:0 mars    2:0 moon   2:1 io          1 and 2 are `others`
///  parents        Slot(4)     Same(0)    Same(0)
///
///  slots after    0     1   2   3   4       5      6      7
///  entity         sun   -   -   -   venus   mars   moon   io
///  parent         -                 0       4      5      5
/// ```
///
/// `Slot`: the parent keeps its slot. `Same`: the parent is in the batch and had this child before.
/// `Batch`: the parent is in the batch and gets this child.
///
/// If venus had no node yet, it would be added as index 3 with `Root` for a parent, and mars would
/// have `Batch(3)`. If venus went, too, as change 1, then moon and io would be 2 and 3, and mars
/// would have `Batch(1)`.
struct Batch<'a> {
    columns: &'a Columns<'a>,
    /// The index of each node by row. The search for cycles has entered the changes.
    index_by_row: &'a mut RowIndex,
    changes: &'a [LinkChange],
    /// The nodes below the tops, and then parents that were not in the forest.
    others: Vec<(Row, NewParent)>,
}

impl Batch<'_> {
    /// Adds the nodes below the tops of these subtrees: moon and io below mars.
    fn add_below(&mut self, forest: &Forest, tops: &[u32]) {
        for &top in tops {
            // Preorder: the parent has its index already.
            for slot in forest.subtree(top).skip(1) {
                let parent = forest.parent(slot).and_then(|parent| self.index(forest.row(parent)));
                self.add(forest.row(slot), parent.map_or(NewParent::Root, NewParent::Same));
            }
        }
    }

    /// Adds a node, which does not count as a change. Returns its index.
    fn add(&mut self, row: Row, parent: NewParent) -> u32 {
        let index = self.changes.len() + self.others.len();
        self.index_by_row.set(self.columns, row, index);
        self.others.push((row, parent));
        index as u32
    }

    /// The row of the node at an index.
    fn row(&self, index: usize) -> Row {
        match self.changes.get(index) {
            Some(change) => change.row,
            None => self.others[index - self.changes.len()].0,
        }
    }

    /// The index of the node at a row, if it is inserted. Entries of [`RowIndex`] may be stale, so
    /// the row is compared.
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

    /// The parent of every node, by index; `None` for a change whose entity keeps its slot. Adds
    /// parents that are not in the forest behind all others.
    fn parents(&mut self, forest: &Forest) -> Vec<Option<NewParent>> {
        // One parent may be added for each change. Reserved memory is untouched until it is used.
        let mut parents = Vec::with_capacity(self.changes.len() * 2 + self.others.len());
        for change in self.changes {
            let parent = change.new_parent().map(|row| self.parent(forest, row));
            parents.push(parent.or(change.is_newly_held().then_some(NewParent::Held)));
        }
        parents.extend(self.others.iter().map(|&(_, parent)| Some(parent)));
        parents
    }

    /// The parent at a row: in the batch, in the forest, or new to both and then added as a root.
    fn parent(&mut self, forest: &Forest, row: Row) -> NewParent {
        match (self.index(row), forest.slot(row)) {
            (Some(index), _) => NewParent::Batch(index),
            (None, NONE) => NewParent::Batch(self.add(row, NewParent::Root)),
            (None, slot) => NewParent::Slot(slot),
        }
    }
}
