//! Finding cycles among links.
//!
//! Every entity has at most one parent. So a walk from child to parent ends at a root, or comes
//! back to a visited entity: this one and all visited behind it are on a cycle.
//!
//! ```text
//!  a ──► b ──► c          an arrow leads from a child to its parent
//!        ▲     ▼
//!        e ◄── d          a walk from a visits b, c, d, e and b again
//! ```
//!
//! Here b, c, d and e become roots, and keep `Parent`. The entity a stays the child of b.
//!
//! Walks begin only at a few changes; each cycle contains one of them (see [`LinkGraph::starts`]).
//! Spawning 10,000 entities parents first starts no walk.

use super::{
    Hierarchy,
    change::{LinkChange, LinkChanges, LinkTarget, RowIndex},
};
use crate::engine::{
    forest::{Forest, NONE},
    storage::{Columns, Row, captured},
};

impl Hierarchy {
    /// Marks the changes on cycles, and adds changes for entities that keep their `Parent` but are
    /// on a cycle now. A cycle of an earlier pass stays as it is if none of its entities changes.
    ///
    /// Enters the changes into `index_by_row`, by row; `apply` continues with them. The added
    /// changes are not entered: they keep their slots.
    pub(super) fn close_cycles(&mut self, columns: &Columns<'_>, changes: &mut LinkChanges) {
        for (index, change) in changes.list.iter().enumerate() {
            self.index_by_row.set(columns, change.row, index);
        }
        let links = LinkGraph { changes: &changes.list, index_by_row: &self.index_by_row };
        let members = links.on_cycles(&mut self.forest);
        for vertex in members {
            let row = match vertex {
                Vertex::Changed(index) => {
                    let change = &mut changes.list[index as usize];
                    change.target = LinkTarget::Cycle;
                    change.row
                }
                // Its link goes, so its parent's list loses it.
                Vertex::Kept(slot) => {
                    let row = self.forest.row(slot);
                    self.cut(columns.entity(row), slot, changes);
                    changes.list.push(LinkChange { row, slot, target: LinkTarget::Cycle });
                    row
                }
            };
            self.cyclic.push(columns.entity(row));
        }
        self.cyclic.sort_unstable_by_key(captured);
    }
}

/// An entity in the graph of new links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vertex {
    /// An entity whose link changes, by the index of the change.
    Changed(u32),
    /// A node that keeps its link, by its slot.
    Kept(u32),
}

/// The links as they will be after this pass: those of the changes, and all others from the forest.
struct LinkGraph<'a> {
    changes: &'a [LinkChange],
    /// The index of each change by row.
    index_by_row: &'a RowIndex,
}

impl LinkGraph<'_> {
    /// The change about the entity at a row.
    fn change(&self, row: Row) -> Option<u32> {
        let index = self.index_by_row.get(row);
        self.changes.get(index).is_some_and(|change| change.row == row).then_some(index as u32)
    }

    /// The entity at a row; `None` if it has neither a change nor a node, and so no parent.
    fn vertex(&self, forest: &Forest, row: Row) -> Option<Vertex> {
        let kept = || Some(forest.slot(row)).filter(|&slot| slot != NONE).map(Vertex::Kept);
        self.change(row).map(Vertex::Changed).or_else(kept)
    }

    /// The new parent of an entity; `None` for a root.
    fn above(&self, forest: &Forest, vertex: Vertex) -> Option<Vertex> {
        let parent = match vertex {
            Vertex::Changed(index) => self.changes[index as usize].new_parent()?,
            Vertex::Kept(slot) => forest.row(forest.parent(slot)?),
        };
        self.vertex(forest, parent)
    }

    /// The changes from which to walk. Every cycle contains a changed entity that had children
    /// before, or one whose new parent is a later change. So it suffices to walk up from those.
    ///
    /// ```text
    ///  change   entity   new parent        had children   parent is later     start
    ///  0        sun      mars, its child   yes                                0
    ///  1        a        b                 no             change 2: yes       1
    ///  2        b        c                 no             change 3: yes       2
    ///  3        c        a                 no             change 1: no
    /// ```
    ///
    /// On the first cycle, sun and mars, mars keeps its link to sun. The second is a, b and c.
    ///
    /// Why this is enough: links of earlier passes have no cycle, because the forest makes entities
    /// on cycles roots. So each cycle contains a change.
    ///
    /// - If it also contains an entity that keeps its link, like mars, go up from there: the first
    ///   change above, sun, has a child that kept its link. It had children before.
    /// - If all of it changes, like a, b and c, the index cannot fall with every step from child to
    ///   parent, because the steps lead back to the first index. So some change has a parent with a
    ///   later index, or is its own parent.
    ///
    /// A change whose parent comes later is only a start if it gets a child itself: without
    /// children it is on no cycle. So leaves that are spawned before their parents start no walk.
    fn starts(&self, forest: &Forest) -> Vec<u32> {
        let mut starts = Vec::new();
        // By change: had no children, and its parent is a later change.
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
            // Only changes that are parents of changes; `take` makes each a start once.
            let parents = self
                .changes
                .iter()
                .filter_map(LinkChange::new_parent)
                .filter_map(|parent| self.change(parent));
            starts.extend(parents.filter(|&parent| std::mem::take(&mut is_late[parent as usize])));
        }
        starts
    }

    /// The entities on cycles, each once. Every walk has a stamp of its own, and leaves it on the
    /// entities that it visits. With the starts of [`starts`](Self::starts) and stamps from 6 on:
    ///
    /// ```text
    ///  walk 6, from sun   sun, mars, sun again: stamp 6, a cycle      found: sun, mars
    ///  walk 7, from b     b, c, a, b again: stamp 7, a cycle          found: b, c, a
    ///  walk 8, from a     a has stamp 7: an earlier walk went on      nothing new
    /// ```
    ///
    /// A walk ends where an earlier one has been, so the cost is O(entities visited), however many
    /// starts have the same ancestors: 1,000 siblings with children walk up from their parent once.
    fn on_cycles(&self, forest: &mut Forest) -> Vec<Vertex> {
        let starts = self.starts(forest);
        let first = forest.new_visits(starts.len() as u32);
        // Stamps of changes by index, for they may have no slot; those of others are in the forest.
        let mut changes_visited = vec![0; if starts.is_empty() { 0 } else { self.changes.len() }];
        let mut found = Vec::new();
        for (walk, start) in (first..).zip(starts) {
            let mut open = Some(Vertex::Changed(start));
            while let Some(vertex) = open {
                let last_walk = match vertex {
                    Vertex::Kept(slot) => forest.visit(slot, walk),
                    Vertex::Changed(index) => {
                        std::mem::replace(&mut changes_visited[index as usize], walk)
                    }
                };
                if last_walk == walk {
                    // Once more around the cycle, to list it.
                    found.push(vertex);
                    let mut member = self.above(forest, vertex).expect("a cycle has no end");
                    while member != vertex {
                        found.push(member);
                        member = self.above(forest, member).expect("a cycle has no end");
                    }
                    break;
                }
                if last_walk >= first {
                    break;
                }
                open = self.above(forest, vertex);
            }
        }
        found
    }
}
