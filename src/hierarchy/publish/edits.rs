//! The children that parents lose and gain.

use legion::Entity;

use super::super::{change::LinkChanges, diff::Diff};
use crate::storage::{Columns, Row};

/// A child that a list loses or gains.
#[derive(Clone, Copy)]
pub(super) struct ListEdit {
    pub parent: Row,
    pub child: Entity,
    pub is_gain: bool,
}

/// The edits of the lists that are not compared as a whole, parent by parent: first what is lost,
/// then what is gained, both in the order of the changes.
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
    // Whole numbers are sorted several times as fast as the edits themselves.
    let mut order: Vec<u128> = Vec::with_capacity(edits.len());
    for (number, edit) in edits.iter().enumerate() {
        let Row { archetype, row } = edit.parent;
        order.push(u128::from(archetype) << 64 | u128::from(row) << 32 | number as u128);
    }
    order.sort_unstable();
    order.into_iter().map(|key| edits[key as u32 as usize]).collect()
}
