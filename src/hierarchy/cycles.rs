//! Finding cycles among links.

use super::{
    Hierarchy,
    change::{LinkChange, LinkChanges, LinkTarget},
    row_index::RowIndex,
};
use crate::{
    forest::{Forest, NONE},
    storage::{ChangeTracker, Columns, Mask, Row, captured},
};

impl Hierarchy {
    /// Marks the changes on cycles, and adds entities that did not change but are on one now.
    /// Cycles of which nothing is among the changes stand as they are. `index_by_row` knows the
    /// changes that were there by their rows then, for what follows.
    pub(super) fn close_cycles(
        &mut self,
        columns: &Columns<'_>,
        tracker: &mut ChangeTracker,
        changes: &mut LinkChanges,
    ) {
        for (index, change) in changes.list.iter().enumerate() {
            self.index_by_row.set(columns, change.row, index);
        }
        let links = Links { changes: &changes.list, index_by_row: &self.index_by_row };
        let members = links.on_cycles(&mut self.forest);
        for node in members {
            let row = match node {
                Node::Changed(index) => {
                    let change = &mut changes.list[index as usize];
                    change.target = LinkTarget::Cycle;
                    change.row
                }
                Node::Kept(slot) => {
                    let row = self.forest.row(slot);
                    self.cut(columns.entity(row), slot, changes);
                    changes.list.push(LinkChange { row, slot, target: LinkTarget::Cycle });
                    row
                }
            };
            self.cyclic.push(columns.entity(row));
        }
        self.cyclic.sort_unstable_by_key(captured);
        for changes in changes.list.chunk_by(|a, b| a.row.archetype == b.row.archetype) {
            // Whether `ParentScaleInverse` counts depends on the link.
            let archetype = changes[0].row.archetype;
            if tracker[archetype].mask.has(Mask::PARENT_SCALE_INVERSE) {
                tracker.relink(archetype);
            }
        }
    }
}

/// Something that may hang off something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    /// An entity whose link changes, by the index of the change.
    Changed(u32),
    /// A slot whose node keeps its link.
    Kept(u32),
}

/// The links as they will be.
struct Links<'a> {
    changes: &'a [LinkChange],
    /// The changes by row.
    index_by_row: &'a RowIndex,
}

impl Links<'_> {
    /// The change about the entity at a row.
    fn change(&self, row: Row) -> Option<u32> {
        let index = self.index_by_row.get(row);
        self.changes.get(index).is_some_and(|change| change.row == row).then_some(index as u32)
    }

    /// The node at a row; `None` for one that hangs off nothing and never will.
    fn node(&self, forest: &Forest, row: Row) -> Option<Node> {
        if row == Row::NOWHERE {
            return None;
        }
        if let Some(index) = self.change(row) {
            return Some(Node::Changed(index));
        }
        let slot = forest.slot(row);
        (slot != NONE).then_some(Node::Kept(slot))
    }

    fn above(&self, forest: &Forest, node: Node) -> Option<Node> {
        let parent = match node {
            Node::Changed(index) => self.changes[index as usize].new_parent()?,
            Node::Kept(slot) => forest.row(forest.parent(slot)?),
        };
        self.node(forest, parent)
    }

    /// Changes of which every cycle has one: links of entities that had something below them, or
    /// that get it and hang off a change that comes later than theirs.
    ///
    /// A cycle has a changed link, as there was none before. If what keeps its link is on it, too,
    /// so is a change above that, which had something below it; and if all of it changes, some
    /// change has its parent behind it.
    fn starts(&self, forest: &Forest) -> Vec<u32> {
        let mut starts = Vec::new();
        let mut is_late = vec![false; self.changes.len()];
        for (index, change) in self.changes.iter().enumerate() {
            let Some(parent) = change.new_parent() else { continue };
            if change.had_children(forest) {
                starts.push(index as u32);
            } else {
                is_late[index] = self.change(parent).is_some_and(|parent| parent as usize >= index);
            }
        }
        if is_late.contains(&true) {
            let parents = self
                .changes
                .iter()
                .filter_map(LinkChange::new_parent)
                .filter_map(|parent| self.change(parent));
            starts.extend(parents.filter(|&parent| std::mem::take(&mut is_late[parent as usize])));
        }
        starts
    }

    /// The nodes on cycles. Every node is visited once, however many changes lead to it.
    fn on_cycles(&self, forest: &mut Forest) -> Vec<Node> {
        let starts = self.starts(forest);
        let first = forest.new_visits(starts.len() as u32);
        let mut changes_visited = vec![0; if starts.is_empty() { 0 } else { self.changes.len() }];
        let mut found = Vec::new();
        for (walk, start) in (first..).zip(starts) {
            let mut open = Some(Node::Changed(start));
            while let Some(node) = open {
                let last_walk = match node {
                    Node::Kept(slot) => forest.visit(slot, walk),
                    Node::Changed(index) => {
                        std::mem::replace(&mut changes_visited[index as usize], walk)
                    }
                };
                if last_walk == walk {
                    found.push(node);
                    let mut member = self.above(forest, node).expect("a cycle has no end");
                    while member != node {
                        found.push(member);
                        member = self.above(forest, member).expect("a cycle has no end");
                    }
                    break;
                }
                if last_walk >= first {
                    break;
                }
                open = self.above(forest, node);
            }
        }
        found
    }
}
