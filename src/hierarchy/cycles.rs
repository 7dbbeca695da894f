//! Finding cycles among links.

use super::{links::Want, numbers::Numbers, parent_system::Change};
use crate::{
    forest::{Forest, NONE, NOWHERE},
    storage::columns::Row,
};

/// Something that may hang off something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// An entity whose link changes, by the number of the change.
    Changed(u32),
    /// A slot whose node keeps its link.
    Kept(u32),
}

/// The links as they will be.
pub(super) struct Links<'a> {
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
    fn node(&self, forest: &Forest, row: Row) -> Option<Node> {
        if row == NOWHERE {
            return None;
        }
        if let Some(number) = self.change(row) {
            return Some(Node::Changed(number));
        }
        let slot = forest.slot(row);
        (slot != NONE).then_some(Node::Kept(slot))
    }

    fn above(&self, forest: &Forest, node: Node) -> Option<Node> {
        let parent = match node {
            Node::Changed(number) => match self.changes[number as usize].want {
                Want::Link(parent) => parent,
                Want::Root | Want::Repair => return None,
            },
            Node::Kept(slot) => forest.row(forest.parent(slot)?),
        };
        self.node(forest, parent)
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
        let first = forest.new_visits(starts.len() as u32);
        let mut changes_visited = vec![0; if starts.is_empty() { 0 } else { self.changes.len() }];
        let mut found = Vec::new();
        for (walk, start) in (first..).zip(starts) {
            let mut open = Some(Node::Changed(start));
            while let Some(node) = open {
                let last_walk = match node {
                    Node::Kept(slot) => forest.visit(slot, walk),
                    Node::Changed(number) => std::mem::replace(&mut changes_visited[number as usize], walk),
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
