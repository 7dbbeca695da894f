//! What the steps of a pass hand to each other.

use legion::Entity;

use super::diff::DeadNode;
use crate::{
    forest::{Forest, NONE},
    storage::columns::Row,
};

/// The entities whose link has to be looked at again, but for those that came and are not in the
/// forest: those are the [rows that were entered](super::diff::Diff::entered).
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub living: Vec<Candidate>,
    pub dead: Vec<DeadNode>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub row: Row,
    /// In the forest, or [`NONE`].
    pub slot: u32,
}

/// What an entity has to hang off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// Nothing.
    Root,
    /// The entity at this row.
    Link(Row),
    /// Nothing, and its `Parent` is to be removed, as it names an entity that cannot be one.
    Repair,
    /// Nothing, as it is on a cycle.
    Cycle,
}

/// All that changes in a pass.
#[derive(Debug, Default)]
pub(super) struct LinkChanges {
    pub list: Vec<LinkChange>,
    /// The links that go, of dead entities, too.
    pub cut: Vec<Cut>,
}

/// An entity that has to hang off something else than it does.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinkChange {
    pub row: Row,
    /// In the forest, before the change.
    pub slot: u32,
    pub target: LinkTarget,
}

/// A link that goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub parent: Row,
    pub child: Entity,
}

impl LinkChange {
    /// Whether the entity had children before the change.
    pub fn had_children(&self, forest: &Forest) -> bool {
        self.slot != NONE && forest.has_children(self.slot)
    }

    /// The row of the parent after the change, if there is one.
    pub fn new_parent(&self) -> Option<Row> {
        if let LinkTarget::Link(parent) = self.target { Some(parent) } else { None }
    }
}
