//! The feature `tracing`: spans with counts, and an event for each finding that appears, once.
//!
//! Alone in its process: whether a span is of interest is remembered for all threads, so a bundle
//! that another test runs without a subscriber may turn it off.
#![cfg(feature = "tracing")]

use std::{
    fmt::{Debug, Write},
    sync::{Arc, Mutex},
};

use legion::*;
use legion_transform::prelude::*;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

/// Writes down what it is told, a line an event or record.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Log {
    fn line(&self, record: impl FnOnce(&mut Line)) {
        let mut line = Line(String::new());
        record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "legion_transform"
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.line(|line| span.record(line));
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, values: &Record<'_>) {
        self.line(|line| values.record(line));
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        self.line(|line| event.record(line));
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn spans_have_counts_and_findings_are_told_once() {
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        let (mut world, mut resources) = (World::default(), Resources::default());
        let mut schedule =
            Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
        let parent = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0)));
        world.push((
            LocalToWorld::identity(),
            LocalToParent::identity(),
            Parent(parent),
            Scale(2.0),
            NonUniformScale::identity(),
        ));
        schedule.execute(&mut world, &mut resources);
        let told = log.take();
        for stage in ["changes", "hierarchy", "compose", "propagate"] {
            assert!(told.iter().any(|line| line.contains(&format!("stage={stage:?}"))), "{told:?}");
        }
        assert!(
            told.iter().any(|line| line == " computed=2"),
            "two entities were composed: {told:?}"
        );
        let findings =
            |told: &[String]| told.iter().filter(|line| line.contains("kind=TwoScales")).count();
        assert_eq!(findings(&told), 1, "{told:?}");

        for scale in <&mut Scale>::query().iter_mut(&mut world) {
            scale.0 = 3.0;
        }
        schedule.execute(&mut world, &mut resources);
        assert_eq!(findings(&log.take()), 0, "it was told before");
    });
}
