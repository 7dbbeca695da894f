//! The target of a candidate: what its `Parent` and its parent's components make of its link.
//!
//! ```text
//!  the entity                        its parent                target
//!  has no `Parent`                                             Root
//!  has all that a child needs        has `LocalToWorld`        Link
//!  lacks a matrix                    has `LocalToWorld`        Root
//!  the record names the parent       is dead, or lacks it      Repair, and a finding
//!  the record does not               is not there, or          Wait; Root, where the entity
//!                                      lacks it                  lacks a matrix
//!    with `insert_missing`           lacks it                  the same, until the parent has it,
//!                                                                in this run
//! ```

use legion::Entity;

use super::{
    Hierarchy,
    change::{Candidate, LinkTarget},
};
use crate::{
    components::{Parent, PreviousParent},
    engine::storage::{ChangeTracker, Columns, Mask, Row},
    findings::{Finding, FindingKind},
};

impl Hierarchy {
    /// The target of a candidate, from its components and its parent's. A `Parent` that has died or
    /// lost its `LocalToWorld` becomes a finding.
    pub(super) fn target_of(
        &mut self,
        TargetReader { columns, tracker, parents, record, is_link }: &TargetReader<'_, '_>,
        candidate: &Candidate,
        mut locate: impl FnMut(Entity) -> Option<Row>,
    ) -> LinkTarget {
        let row = candidate.row.row as usize;
        let Some(&Parent(parent)) = parents.get(row) else { return LinkTarget::Root };
        // The tracker knows only entities with transform components. Legion knows all.
        let at = locate(parent).or_else(|| columns.locate(parent));
        let has_world = |row: &Row| tracker[row.archetype].mask.has(Mask::LOCAL_TO_WORLD);
        if let Some(at) = at.filter(has_world) {
            return if *is_link { LinkTarget::Link(at) } else { LinkTarget::Root };
        }
        let is_given = self.inserts_missing && at.is_some();
        if let Some(at) = at.filter(|_| is_given) {
            self.groups.insert(parent, at);
        } else if record.get(row).is_some_and(|record| record.0 == Some(parent)) {
            let kind = match at {
                Some(_) => FindingKind::ParentWithoutLocalToWorld,
                None => FindingKind::DeadParent,
            };
            let entity = columns.entity(candidate.row);
            self.repaired.push(Finding { kind, entity, related: Some(parent) });
            return LinkTarget::Repair;
        }
        if *is_link { LinkTarget::Wait } else { LinkTarget::Root }
    }
}

/// Reads the targets in one archetype.
pub(super) struct TargetReader<'a, 'w> {
    pub columns: &'a Columns<'w>,
    pub tracker: &'a ChangeTracker,
    pub parents: &'a [Parent],
    record: &'a [PreviousParent],
    /// Whether `Parent` takes effect: no matrix is missing.
    is_link: bool,
}

impl<'a, 'w> TargetReader<'a, 'w> {
    pub fn new(columns: &'a Columns<'w>, tracker: &'a ChangeTracker, archetype: u32) -> Self {
        let is_link = tracker[archetype].mask.has(Mask::LINK);
        let (parents, record) = (columns.read(archetype), columns.read(archetype));
        Self { columns, tracker, parents, record, is_link }
    }
}
