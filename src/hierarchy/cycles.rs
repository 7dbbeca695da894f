//! Finding cycles among links.

use super::{
    forest::{Forest, MAX_POSITIONS, NONE, NOWHERE},
    links::Want,
    numbers::Numbers,
    parent_system::Change,
    rows::Rows,
};
use crate::raw::slices::{Columns, Row};

/// Something that may hang off something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// An entity whose link changes, by the number of the change.
    Changed(u32),
    /// A position whose link stays.
    Planted(u32),
}

/// The links as they will be.
pub(super) struct Links<'a> {
    pub columns: &'a Columns<'a>,
    pub rows: &'a Rows,
    pub changes: &'a [Change],
    /// The changes by row.
    pub numbers: &'a Numbers,
}

impl Links<'_> {
    /// The change about the entity at a row.
    fn change(&self, row: Row) -> Option<u32> {
        let number = self.numbers.get(row);
        self.changes.get(number).is_some_and(|change| change.row == row).then_some(number as u32)
    }

    /// The node at a row; `None` for one that hangs off nothing and never will.
    fn node(&self, row: Row) -> Option<Node> {
        if row == NOWHERE {
            return None;
        }
        if let Some(number) = self.change(row) {
            return Some(Node::Changed(number));
        }
        let position = self.rows.position(self.columns, row);
        (position != NONE).then_some(Node::Planted(position))
    }

    fn above(&self, forest: &Forest, node: Node) -> Option<Node> {
        let parent = match node {
            Node::Changed(number) => match self.changes[number as usize].want {
                Want::Link(parent) => parent,
                Want::Root | Want::Repair => return None,
            },
            Node::Planted(position) => match forest[position].parent {
                parent if parent < MAX_POSITIONS => forest[parent].row,
                _ => return None,
            },
        };
        self.node(parent)
    }

    /// The changes on which a cycle could be closed: links of entities that have, or are about to get, something below them.
    fn starts(&self, forest: &Forest) -> Vec<u32> {
        let mut has_children: Vec<bool> = self.changes.iter().map(|change| change.had_children(forest)).collect();
        let mut any = has_children.contains(&true);
        for change in self.changes {
            if let Want::Link(parent) = change.want
                && let Some(number) = self.change(parent)
            {
                has_children[number as usize] = true;
                any = true;
            }
        }
        if !any {
            return Vec::new();
        }
        let is_link = |&number: &u32| matches!(self.changes[number as usize].want, Want::Link(_));
        (0..self.changes.len() as u32).filter(|&number| has_children[number as usize]).filter(is_link).collect()
    }

    /// The nodes on cycles. Every node is visited once, however many changes lead to it.
    pub fn on_cycles(&self, forest: &mut Forest) -> Vec<Node> {
        let starts = self.starts(forest);
        let first = forest.new_marks(starts.len() as u32);
        let mut changed_marks = vec![0; if starts.is_empty() { 0 } else { self.changes.len() }];
        let mut found = Vec::new();
        for (walk, start) in (first..).zip(starts) {
            let mut open = Some(Node::Changed(start));
            while let Some(node) = open {
                let mark = match node {
                    Node::Planted(position) => forest.marks[position as usize].get_mut(),
                    Node::Changed(number) => &mut changed_marks[number as usize],
                };
                if *mark == walk {
                    found.push(node);
                    let mut member = self.above(forest, node).expect("a cycle has no end");
                    while member != node {
                        found.push(member);
                        member = self.above(forest, member).expect("a cycle has no end");
                    }
                    break;
                }
                if *mark >= first {
                    break;
                }
                *mark = walk;
                open = self.above(forest, node);
            }
        }
        found
    }
}
