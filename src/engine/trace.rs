//! Spans and events for the feature `tracing`; without it, new findings are printed in debug
//! builds.

use std::collections::HashSet;

use legion::world::WorldId;

use crate::findings::{FindingGroup, Findings};

/// One stage of a run: a span with the numbers of computed and changed items.
pub(crate) struct Trace {
    #[cfg(feature = "tracing")]
    span: tracing::span::EnteredSpan,
}

impl Trace {
    pub fn start(stage: &'static str) -> Self {
        #[cfg(not(feature = "tracing"))]
        let _ = stage;
        Self {
            #[cfg(feature = "tracing")]
            span: tracing::debug_span!(
                target: "legion_transform",
                "transforms",
                stage,
                computed = tracing::field::Empty,
                changed = tracing::field::Empty
            )
            .entered(),
        }
    }

    pub fn end(self, computed: usize, changed: usize) {
        #[cfg(feature = "tracing")]
        {
            self.span.record("computed", computed);
            self.span.record("changed", changed);
        }
        #[cfg(not(feature = "tracing"))]
        let _ = (computed, changed);
    }

    /// Emits an event for each finding that the run before did not report. Without the feature
    /// `tracing`, prints to standard error in debug builds, if `prints`: one line for each kind of
    /// finding, because many entities often share a mistake.
    pub fn new_findings(told: &Findings, world: WorldId, groups: &[FindingGroup], prints: bool) {
        #[cfg(feature = "tracing")]
        let (prints, is_wanted) =
            (false, prints && tracing::enabled!(target: "legion_transform", tracing::Level::WARN));
        #[cfg(not(feature = "tracing"))]
        let is_wanted = prints && cfg!(debug_assertions);
        if !is_wanted || groups.is_empty() || told.is_quiet {
            return;
        }
        let known: HashSet<_> =
            told.of_id(world).filter(|finding| !finding.kind.is_repaired()).collect();
        for group in groups {
            let mut new = group.iter().filter(|finding| !known.contains(finding));
            #[cfg(feature = "tracing")]
            for finding in new.by_ref() {
                let (kind, entity) = (&finding.kind, &finding.entity);
                tracing::warn!(target: "legion_transform", ?kind, ?entity, "{finding}");
            }
            let Some(first) = new.next().filter(|_| prints) else { continue };
            match new.count() {
                0 => eprintln!("legion_transform: {first}"),
                others => eprintln!("legion_transform: {first} (and {others} more)"),
            }
        }
    }
}
