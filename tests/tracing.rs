//! The feature `tracing`: spans with counts, and an event for each finding that appears, once.
//!
//! Alone in its process: whether a span is of interest is remembered for all threads, so a bundle
//! that another test runs without a subscriber may turn it off.
#![cfg(feature = "tracing")]

use std::{
    fmt::{Debug, Write},
    sync::{Arc, Mutex},
};

use legion::{systems::CommandBuffer, *};
use legion_transform::{edit::FailedEdits, prelude::*};
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
        for stage in ["look", "hierarchy", "compose", "propagate"] {
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

/// A finding and a failed edit, for `lines_are_printed_without_a_subscriber`, which runs it in a
/// process of its own.
#[test]
#[ignore = "run by another test"]
fn a_world_with_mistakes() {
    let (mut world, mut resources) = (World::default(), Resources::default());
    let mut schedule = Schedule::builder().add_transforms(TransformSystemBundle::default()).build();
    let both = world.push_transform((Scale(2.0), NonUniformScale::identity()));
    schedule.execute(&mut world, &mut resources);
    let mut commands = CommandBuffer::new(&world);
    commands.set_parent(both, both);
    commands.flush(&mut world, &mut resources);
}

/// The same, with a subscriber.
#[test]
#[ignore = "run by another test"]
fn a_world_with_mistakes_and_a_subscriber() {
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), a_world_with_mistakes);
    let told = log.take();
    assert!(told.iter().any(|line| line.contains("TwoScales")), "{told:?}");
    assert!(told.iter().any(|line| line.contains("the edit set_parent failed")), "{told:?}");
}

/// A dependency that turns the feature on takes no line from a program without a subscriber.
#[test]
#[cfg(not(target_family = "wasm"))]
fn lines_are_printed_without_a_subscriber() {
    let lines = |test: &str| {
        let program = std::env::current_exe().unwrap();
        let arguments = [test, "--exact", "--ignored", "--nocapture", "--test-threads=1"];
        let output = std::process::Command::new(program).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
        let lines = String::from_utf8(output.stderr).unwrap();
        let lines = lines.lines().filter(|line| line.starts_with("legion_transform: "));
        lines.map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(lines("a_world_with_mistakes_and_a_subscriber"), [""; 0]);
    let printed = lines("a_world_with_mistakes");
    match cfg!(debug_assertions) {
        true => {
            assert_eq!(printed.len(), 2, "{printed:?}");
            assert!(printed[0].contains("NonUniformScale"), "{printed:?}");
            assert!(printed[1].contains("the edit set_parent failed"), "{printed:?}");
        }
        false => assert_eq!(printed, [""; 0]),
    }
}

/// An edit of a command buffer that fails is told when it fails, and not again in each frame.
#[test]
fn failed_edits_are_told_once() {
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        let (mut world, mut resources) = (World::default(), Resources::default());
        let [a, b, dead] = [0.0; 3].map(|x| world.push_transform((Translation::new(x, x, x),)));
        world.remove(dead);
        let mut flush = |edits: Edits, child: Entity, parent: Entity| {
            let mut commands = CommandBuffer::new(&world);
            edits.set_parent(&mut commands, child, parent);
            commands.flush(&mut world, &mut resources);
            let told = log.take();
            assert!(
                told.iter().all(|line| line.contains("the edit set_parent failed: ")),
                "{told:?}"
            );
            told
        };
        assert_eq!(flush(Edits::default(), a, b), [""; 0]);
        let told = flush(Edits::default(), a, dead);
        assert_eq!(told.len(), 1);
        assert!(told[0].contains(&format!("{dead:?} does not exist")), "{told:?}");
        assert_eq!(flush(Edits::default(), a, dead), [""; 0], "told already");
        assert_eq!(flush(Edits::default().print_failed(false), b, a), [""; 0], "not wanted");
        assert_eq!(flush(Edits::default(), b, b).len(), 1, "another one");

        let failed = resources.get_mut::<FailedEdits>().unwrap().drain().count();
        assert_eq!(failed, 4, "all of them are kept");
        let mut commands = CommandBuffer::new(&world);
        commands.set_parent(a, dead);
        commands.flush(&mut world, &mut resources);
        assert_eq!(log.take().len(), 0, "that entities die is told once");
        let mut commands = CommandBuffer::new(&world);
        commands.set_parent(b, b);
        commands.flush(&mut world, &mut resources);
        assert_eq!(log.take().len(), 1, "it failed again after the errors were drained");
    });
}
