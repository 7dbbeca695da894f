//! The target of a candidate: what its `Parent` and its parent's components make of its link.
//!
//! ```text
//!  the entity                        its parent                target
//!  has no `Parent`                                             Root
//!  has all that a child needs        has `LocalToWorld`        Link
//!  lacks a matrix                    has `LocalToWorld`        Root, and is pending
//!  has a `Parent`                    is dead, or lacks it      Repair, and a finding
//!    with `insert_missing`           lacks it                  Root, and is pending until the
//!                                                              parent has it, in this run
//! ```

use legion::Entity;

use super::{
    Hierarchy,
    change::{Candidate, LinkTarget},
};
use crate::{
    components::Parent,
    engine::storage::{ChangeTracker, Columns, Mask, Row},
    findings::{Finding, FindingKind},
};

impl Hierarchy {
    /// The target of a candidate, from its components and its parent's. A `Parent` that names no
    /// possible parent becomes a finding.
    pub(super) fn target_of(
        &mut self,
        TargetReader { columns, tracker, parents, is_link }: &TargetReader<'_, '_>,
        candidate: &Candidate,
        mut locate: impl FnMut(Entity) -> Option<Row>,
    ) -> LinkTarget {
        if !self.pending.is_empty() {
            self.pending.remove(&columns.entity(candidate.row));
        }
        let Some(&Parent(parent)) = parents.get(candidate.row.row as usize) else {
            return LinkTarget::Root;
        };
        // The tracker knows only entities with transform components. Legion knows all.
        let at = locate(parent).or_else(|| columns.locate(parent));
        let has_world = |row: &Row| tracker[row.archetype].mask.has(Mask::LOCAL_TO_WORLD);
        if self.inserts_missing
            && let Some(row) = at.filter(|row| !has_world(row))
        {
            self.groups.insert(parent, row);
            self.pending.insert(columns.entity(candidate.row), parent);
            return LinkTarget::Root;
        }
        let mut repair = |kind| {
            self.repaired.push(Finding {
                kind,
                entity: columns.entity(candidate.row),
                related: Some(parent),
            });
            LinkTarget::Repair
        };
        let Some(row) = at else { return repair(FindingKind::DeadParent) };
        if !has_world(&row) {
            return repair(FindingKind::ParentWithoutLocalToWorld);
        }
        if *is_link {
            LinkTarget::Link(row)
        } else {
            self.pending.insert(columns.entity(candidate.row), parent);
            LinkTarget::Root
        }
    }
}

/// Reads the targets in one archetype.
pub(super) struct TargetReader<'a, 'w> {
    columns: &'a Columns<'w>,
    tracker: &'a ChangeTracker,
    parents: &'a [Parent],
    /// Whether `Parent` takes effect: no matrix is missing.
    is_link: bool,
}

impl<'a, 'w> TargetReader<'a, 'w> {
    pub fn new(columns: &'a Columns<'w>, tracker: &'a ChangeTracker, archetype: u32) -> Self {
        let is_link = tracker[archetype].mask.has(Mask::LINK);
        Self { columns, tracker, parents: columns.read(archetype), is_link }
    }
}
