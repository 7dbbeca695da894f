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
//!
//! # The item about a row
//!
//! It is found in a list without hashing entities. Take a list of two items, about rows 7 and 2 of
//! an archetype with 8 rows:
//!
//! ```text
//!  list        0: row 7    1: row 2
//!
//!  row         0  1  2  3  4  5  6  7
//!  by_row      0  0  1  0  0  0  0  0
//!
//!  get(2)  ->  1    list[1] is about row 2: found
//!  get(5)  ->  0    list[0] is about row 7, not 5: no item is about row 5
//! ```
//!
//! So entries need no initial value and no clearing: the comparison with the list refuses entries
//! that were never set, and those of an earlier list.

use legion::Entity;

use crate::engine::{
    forest::{Forest, NONE},
    storage::{ChangeTracker, Columns, Row},
};

/// What the first phases of a pass read of the world.
#[derive(Clone, Copy)]
pub(super) struct Read<'a, 'w> {
    pub columns: &'a Columns<'w>,
    pub tracker: &'a ChangeTracker,
}

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

    /// Whether the entity is held and was not in the forest.
    pub fn is_newly_held(&self) -> bool {
        self.target.is_held() && self.slot == NONE
    }

    /// The row of the parent after the change, if there is one.
    pub fn new_parent(&self) -> Option<Row> {
        if let LinkTarget::Link(parent) = self.target { Some(parent) } else { None }
    }
}

/// The index of the item about a row, by archetype and row: 4 bytes a row. Callers compare
/// `list[index].row` with the row, because an entry may stem from an earlier list.
#[derive(Default)]
pub(super) struct RowIndex {
    archetypes: Vec<Entries>,
}

#[derive(Default)]
struct Entries {
    by_row: Vec<u32>,
    /// The number of calls of `set` in this pass.
    entered: usize,
}

impl RowIndex {
    /// The index at which the item about a row may be; `usize::MAX` where certainly none is.
    pub fn get(&self, row: Row) -> usize {
        let entries = self.archetypes.get(row.archetype as usize);
        entries
            .and_then(|entries| entries.by_row.get(row.row as usize))
            .map_or(usize::MAX, |&index| index as usize)
    }

    /// Notes that the item about a row is at this index.
    pub fn set(&mut self, columns: &Columns<'_>, row: Row, index: usize) {
        let archetype = row.archetype as usize;
        if self.archetypes.len() <= archetype {
            self.archetypes.resize_with(archetype + 1, Entries::default);
        }
        let Entries { by_row: entries, entered } = &mut self.archetypes[archetype];
        *entered += 1;
        if entries.is_empty() {
            // Zeroed pages take no memory until they are touched: 3 entries in a million rows touch
            // at most three pages.
            *entries = vec![0; columns.entities(row.archetype).len()];
        } else if entries.len() <= row.row as usize {
            entries.resize(columns.entities(row.archetype).len(), 0);
        }
        entries[row.row as usize] = index as u32;
    }

    /// Ends a pass. Frees the entries of an archetype if more than an eighth of them were set: more
    /// than 125 of 1,000. The next pass most often needs fewer, and starts with untouched memory.
    pub fn end_pass(&mut self) {
        for entries in &mut self.archetypes {
            if std::mem::take(&mut entries.entered) * 8 > entries.by_row.len() {
                entries.by_row = Vec::new();
            }
        }
    }
}
