//! Entities in `Children` that have no `Parent`: a user has made the link at the wrong end.
//!
//! ```text
//!  Children of mars   Parent       this pass                    stray
//!  moon               mars                                      no: a child
//!  io                 venus                                     no: the child of another
//!  rock               (none)       its `Parent` was removed     no: this pass takes it out
//!  crew               (none)       has `PreviousParent(mars)`   no: removed before this state
//!  ship               (none)                                    yes: a finding
//! ```

use std::collections::HashSet;

use legion::Entity;

use super::Publisher;
use crate::{
    components::PreviousParent,
    engine::{
        hierarchy::change::LinkChanges,
        storage::{Mask, Row},
    },
    findings::{Finding, FindingKind},
};

/// The parents with the strays that were taken out of their lists.
#[derive(Default)]
pub(super) struct Strays(Vec<(Entity, Entity)>);

impl Publisher<'_, '_> {
    /// Notes an entity that is taken out of the list at `parent`, if it lives without `Parent` and
    /// without the record of a link to this parent. (Without a state of the world, as in the first
    /// run with other `Resources`, a link that is gone is in no list of cut ones.)
    pub(super) fn note_stray(&mut self, parent: Row, entity: Entity) {
        let parent = self.entity(parent);
        let is_stray = match self.tracker.locate(entity) {
            Some(Row { archetype, row }) => {
                let previous = self.columns.read::<PreviousParent>(archetype).get(row as usize);
                !self.tracker[archetype].mask.has(Mask::PARENT)
                    && previous.is_none_or(|previous| previous.0 != Some(parent))
            }
            // The tracker knows only entities with transform components. Legion knows all.
            None => self.columns.locate(entity).is_some(),
        };
        if is_stray {
            self.strays.0.push((parent, entity));
        }
    }

    /// Reports the strays, but for those whose link was cut in this pass.
    pub(super) fn report_strays(&mut self, changes: &LinkChanges) {
        if self.strays.0.is_empty() {
            return;
        }
        let cut = changes.cut.iter().map(|cut| (self.entity(cut.parent), cut.child));
        let mut known: HashSet<(Entity, Entity)> = cut.collect();
        for (parent, entity) in std::mem::take(&mut self.strays.0) {
            if known.insert((parent, entity)) {
                let kind = FindingKind::ChildWithoutParent;
                self.hierarchy.repaired.push(Finding::new(kind, entity, Some(parent)));
            }
        }
    }
}
