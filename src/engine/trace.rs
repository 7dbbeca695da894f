//! Spans for the feature `tracing`.

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
}
