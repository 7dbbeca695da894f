//! The children that parents lose and gain.
//!
//! A list that only the bundle has written is right but for the changes of this pass. So it is
//! edited and not compared: where one of 100,000 children leaves, the other 99,999 need no look-up.

use legion::Entity;

use super::super::{change::LinkChanges, diff::Diff};
use crate::storage::{Columns, Row};

/// A child that the list of a parent loses or gains.
#[derive(Clone, Copy)]
pub(super) struct ListEdit {
    pub parent: Row,
    pub child: Entity,
    pub is_gain: bool,
}

/// The edits of lists that are not checked as a whole, parent by parent: first the children that
/// are lost, then those gained, both in the order of the changes.
///
/// ```text
///  cut      (sun, moon)  (mars, io)       gained   (mars, moon)  (mars, ship)
///  sorted   mars: - io  + moon  + ship    sun: - moon
/// ```
pub(super) fn list_edits(
    changes: &LinkChanges,
    diff: &Diff,
    columns: &Columns<'_>,
) -> Vec<ListEdit> {
    let mut edits = Vec::with_capacity(changes.cut.len() + changes.list.len());
    for cut in &changes.cut {
        edits.push(ListEdit { parent: cut.parent, child: cut.child, is_gain: false });
    }
    for change in &changes.list {
        if let Some(parent) = change.new_parent() {
            edits.push(ListEdit { parent, child: columns.entity(change.row), is_gain: true });
        }
    }
    edits.retain(|edit| !diff.checks_lists(edit.parent.archetype));
    // Whole numbers are sorted several times as fast as the edits themselves. Edit 5, of the parent
    // at row 7 of archetype 2, has the key 2 << 64 | 7 << 32 | 5. Losses come first in a group,
    // because their numbers are lower.
    let mut order: Vec<u128> = Vec::with_capacity(edits.len());
    for (number, edit) in edits.iter().enumerate() {
        let Row { archetype, row } = edit.parent;
        order.push(u128::from(archetype) << 64 | u128::from(row) << 32 | number as u128);
    }
    order.sort_unstable();
    order.into_iter().map(|key| edits[key as u32 as usize]).collect()
}
