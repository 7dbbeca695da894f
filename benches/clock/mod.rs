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

/// The spans since the last look.
static SPANS: Mutex<Vec<Span>> = Mutex::new(Vec::new());

struct Span {
    stage: Option<&'static str>,
    start: Instant,
    /// Zero while it is open.
    spent: Duration,
}

/// How long the spans of each stage were open.
pub struct Times(Vec<Span>);

impl Times {
    /// Those since the last call; no span is open now.
    pub fn take() -> Self {
        Self(std::mem::take(&mut SPANS.lock().expect("no bench panics")))
    }

    /// The time of one stage.
    pub fn of(&self, stage: &str) -> Duration {
        self.0.iter().filter(|span| span.stage == Some(stage)).map(|span| span.spent).sum()
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
        let mut spans = SPANS.lock().expect("no bench panics");
        spans.push(Span { stage: stage.0, start: Instant::now(), spent: Duration::ZERO });
        Id::from_u64(spans.len() as u64)
    }

    fn exit(&self, span: &Id) {
        let now = Instant::now();
        let span = &mut SPANS.lock().expect("no bench panics")[span.into_u64() as usize - 1];
        span.spent = now - span.start;
    }

    fn enter(&self, _: &Id) {}
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
}
