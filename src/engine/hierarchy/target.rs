//! The target of a candidate: what its `Parent` and its parent's components make of its link.
//!
//! ```text
//!  the entity                        its parent                target
//!  has no `Parent`                                             Root
//!  has all that a child needs        has `LocalToWorld`        Link
//!  lacks a matrix                    has `LocalToWorld`        Root, and is pending
//!  has a `Parent`                    is dead, or lacks it      Repair, and a finding
//! ```

use super::{
    Hierarchy,
    change::{Candidate, LinkTarget},
};
use crate::{
    components::Parent,
    engine::{
        parallel,
        storage::{ChangeTracker, Columns, Mask, Row},
    },
    findings::{Finding, FindingKind},
};

impl Hierarchy {
    /// The target of a candidate, from its components and its parent's, which stands at
    /// `parent_row`. A `Parent` that names no possible parent becomes a finding.
    pub(super) fn target_of(
        &mut self,
        reader: &TargetReader<'_, '_>,
        candidate: &Candidate,
        parent_row: Row,
    ) -> LinkTarget {
        let TargetReader { columns, tracker, parents, is_link } = reader;
        if !self.pending.is_empty() {
            self.pending.remove(&columns.entity(candidate.row));
        }
        let Some(&Parent(parent)) = parents.get(candidate.row.row as usize) else {
            return LinkTarget::Root;
        };
        let mut repair = |kind| {
            self.repaired.push(Finding {
                kind,
                entity: columns.entity(candidate.row),
                related: Some(parent),
            });
            LinkTarget::Repair
        };
        if parent_row == Row::NOWHERE {
            // The tracker knows only entities with transform components. Legion knows all.
            return repair(match columns.locate(parent) {
                Some(_) => FindingKind::ParentWithoutLocalToWorld,
                None => FindingKind::DeadParent,
            });
        }
        if !tracker[parent_row.archetype].mask.has(Mask::LOCAL_TO_WORLD) {
            return repair(FindingKind::ParentWithoutLocalToWorld);
        }
        if *is_link {
            LinkTarget::Link(parent_row)
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

    /// Finds the rows of the candidates' parents; [`Row::NOWHERE`] for a parent that the tracker
    /// does not know. Threads help where many are looked up.
    pub fn locate(&self, candidates: &[Candidate], located: &mut Vec<Row>) {
        located.clear();
        located.resize(candidates.len(), Row::NOWHERE);
        let blocks = candidates.chunks(parallel::BLOCK).zip(located.chunks_mut(parallel::BLOCK));
        parallel::for_each(blocks, parallel::pays(candidates.len() * 4), &|(
            candidates,
            located,
        )| {
            let mut locate = self.tracker.locator();
            for (candidate, located) in candidates.iter().zip(located) {
                let parent = self.parents.get(candidate.row.row as usize);
                *located = parent.and_then(|parent| locate(parent.0)).unwrap_or(Row::NOWHERE);
            }
        });
    }
}
