//! How long a run spends in each of its stages: a subscriber for the crate's spans.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

/// The stages of a run that have a span.
pub const STAGES: [&str; 5] = ["look", "hierarchy", "inherit", "compose", "propagate"];

static SPANS: Mutex<Spans> = Mutex::new(Spans { open: Vec::new(), spent: Times(Vec::new()) });

/// The spans since the last look.
struct Spans {
    /// The stage of each span that is not closed, with the time of the entry.
    open: Vec<(u64, &'static str, Instant)>,
    spent: Times,
}

/// How long the spans of each stage were open.
pub struct Times(Vec<(&'static str, Duration)>);

impl Times {
    /// Those since the last call.
    pub fn take() -> Self {
        Self(std::mem::take(&mut SPANS.lock().expect("no bench panics").spent.0))
    }

    /// The time of one stage.
    pub fn of(&self, stage: &str) -> Duration {
        self.0.iter().filter(|(name, _)| *name == stage).map(|(_, time)| *time).sum()
    }
}

/// Keeps the time of the crate's spans from now on.
pub fn start() {
    tracing::subscriber::set_global_default(Clock).expect("no other is set");
}

/// Keeps the time of the crate's spans, and takes no other.
struct Clock;

/// The stage that a span names.
#[derive(Default)]
struct Stage(Option<&'static str>);

impl Visit for Stage {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "stage" {
            self.0 = STAGES.into_iter().find(|stage| *stage == value);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

impl Subscriber for Clock {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target() == "legion_transform"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut stage = Stage::default();
        span.record(&mut stage);
        let open = &mut SPANS.lock().expect("no bench panics").open;
        let id = open.last().map_or(0, |(id, ..)| *id) + 1;
        open.push((id, stage.0.unwrap_or("another"), Instant::now()));
        Id::from_u64(id)
    }

    fn exit(&self, span: &Id) {
        let now = Instant::now();
        let mut spans = SPANS.lock().expect("no bench panics");
        if let Some(found) = spans.open.iter().position(|(id, ..)| *id == span.into_u64()) {
            let (_, stage, start) = spans.open.swap_remove(found);
            spans.spent.0.push((stage, now - start));
        }
    }

    fn enter(&self, _: &Id) {}
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
}
