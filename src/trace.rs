//! Spans and events for the feature `tracing`; nothing at all without it.

/// One stage of a run: a span with what it looked at and what it changed.
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
}

/// An event for each finding that was not told after the run before.
#[cfg(feature = "tracing")]
pub(crate) fn new_findings(
    told: &crate::findings::Findings,
    world: legion::world::WorldId,
    groups: &[crate::findings::FindingGroup],
) {
    if !tracing::enabled!(target: "legion_transform", tracing::Level::WARN) {
        return;
    }
    let known: std::collections::HashSet<_> = told.of_id(world).filter(|finding| !finding.kind.is_repaired()).collect();
    for finding in groups.iter().flat_map(crate::findings::FindingGroup::iter) {
        if !known.contains(&finding) {
            tracing::warn!(target: "legion_transform", kind = ?finding.kind, entity = ?finding.entity, "{finding}");
        }
    }
}
