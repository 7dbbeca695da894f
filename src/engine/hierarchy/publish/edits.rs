//! The children that parents lose and gain.
//!
//! A list that only the bundle has written is right but for the changes of this pass. So it is
//! edited and not compared: where one of 100,000 children leaves, the other 99,999 need no look-up.

use legion::Entity;

use super::super::{change::LinkChanges, diff::Diff};
use crate::engine::storage::{Columns, Row};

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
    let lost = changes.cut.iter();
    let lost = lost.map(|cut| ListEdit { parent: cut.parent, child: cut.child, is_gain: false });
    let gained = changes.list.iter().filter_map(|change| {
        let (parent, child) = (change.new_parent()?, columns.entity(change.row));
        Some(ListEdit { parent, child, is_gain: true })
    });
    // Most lists of a first run are checked: then no memory is taken for their edits.
    let mut edits = Vec::new();
    edits.extend(lost.chain(gained).filter(|edit| !diff.checks_lists(edit.parent.archetype)));
    // Whole numbers are sorted several times as fast as the edits themselves. Edit 5, of the parent
    // at row 7 of archetype 2, has the key 2 << 64 | 7 << 32 | 5. Losses come first of each parent,
    // because their numbers are lower.
    let mut order: Vec<u128> = Vec::with_capacity(edits.len());
    for (number, edit) in edits.iter().enumerate() {
        let Row { archetype, row } = edit.parent;
        order.push(u128::from(archetype) << 64 | u128::from(row) << 32 | number as u128);
    }
    order.sort_unstable();
    order.into_iter().map(|key| edits[key as u32 as usize]).collect()
}
