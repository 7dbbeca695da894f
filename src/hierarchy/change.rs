//! What the steps of a pass hand to each other.

use legion::Entity;

use crate::{
    forest::{Forest, NONE, NOWHERE},
    storage::columns::Row,
};

/// An entity whose link has to be looked at again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub entity: Entity,
    /// [`NOWHERE`] for a dead one.
    pub row: Row,
    /// In the forest, or [`NONE`].
    pub slot: u32,
}

impl Candidate {
    pub fn is_dead(&self) -> bool {
        self.row == NOWHERE
    }
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
}

/// A candidate that has to hang off something else than it does.
pub(super) struct LinkChange {
    pub entity: Entity,
    /// [`NOWHERE`] for a dead one.
    pub row: Row,
    /// In the forest, before the change.
    pub slot: u32,
    pub target: LinkTarget,
    pub cyclic: bool,
    /// The parent before; [`NOWHERE`] if there was none, or it is dead.
    pub old_parent: Row,
}

impl LinkChange {
    pub fn is_dead(&self) -> bool {
        self.row == NOWHERE
    }

    /// Whether the entity had children before the change.
    pub fn had_children(&self, forest: &Forest) -> bool {
        self.slot != NONE && forest.has_children(self.slot)
    }

    /// The row of the parent after the change, if there is one.
    pub fn new_parent(&self) -> Option<Row> {
        match self.target {
            LinkTarget::Link(parent) if !self.cyclic => Some(parent),
            _ => None,
        }
    }
}
