//! What the steps of a pass hand to each other.

use legion::Entity;

use super::diff::DeadNode;
use crate::{
    forest::{Forest, NONE},
    storage::Row,
};

/// An entity whose link has to be looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub row: Row,
    /// In the forest, or [`NONE`].
    pub slot: u32,
}

/// What an entity becomes a child of.
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
    /// The entities whose link was looked at.
    pub candidates: Vec<Candidate>,
    /// The entities of the forest that are gone.
    pub dead: Vec<DeadNode>,
    /// The entities that get another link.
    pub list: Vec<LinkChange>,
    /// The links that go, of dead entities, too.
    pub cut: Vec<Cut>,
}

impl LinkChanges {
    /// The candidates that were in the forest before.
    pub fn known(&self) -> impl Iterator<Item = &Candidate> {
        self.candidates.iter().filter(|candidate| candidate.slot != NONE)
    }
}

/// An entity that gets another link.
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
