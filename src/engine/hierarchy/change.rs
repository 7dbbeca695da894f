//! The types that the phases of a pass hand to each other.
//!
//! With the pass of the [room's example](super), in which `mars` leaves `sun` for `venus`:
//!
//! ```text
//!  Candidate    row 1:0, slot 1                        mars: its link may have changed
//!  LinkChange   row 1:0, slot 1, target Link(2:2)      it has changed
//!  Cut          parent 0:0, child mars                 sun's list loses a child
//! ```
//!
//! Each entity is a candidate at most once, and has at most one change.

use legion::Entity;

use super::diff::DeadNode;
use crate::engine::{
    forest::{Forest, NONE},
    storage::Row,
};

/// An entity whose link has to be looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub row: Row,
    /// The slot in the forest before the pass, or [`NONE`].
    pub slot: u32,
}

/// The parent that an entity gets, or the reason why it gets none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// No parent: it has no `Parent`, or lacks a matrix.
    Root,
    /// The entity at this row.
    Link(Row),
    /// No parent. Its `Parent` has died or lost its `LocalToWorld`: a command removes it.
    Repair,
    /// No parent yet: its `Parent` names an entity that has not come, or has no `LocalToWorld` yet.
    Wait,
    /// No parent, because the entity is on a cycle. `Parent` stays.
    Cycle,
}

/// All that changes in a pass.
#[derive(Debug, Default)]
pub(super) struct LinkChanges {
    /// The entities whose link was looked at, changed or not.
    pub candidates: Vec<Candidate>,
    /// The entities of the forest that are gone.
    pub dead: Vec<DeadNode>,
    /// The entities that get another link. Their index in this list names them in `cycles` and
    /// `apply`.
    pub list: Vec<LinkChange>,
    /// The links that go, those of dead children included. A parent that is dead itself needs no
    /// cut.
    pub cut: Vec<Cut>,
}

impl LinkTarget {
    /// Whether the entity is [held](Forest::is_held).
    pub fn is_held(self) -> bool {
        matches!(self, Self::Wait | Self::Cycle)
    }
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
    /// The slot before the change, or [`NONE`].
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
