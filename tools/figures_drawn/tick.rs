//! One tick: what each stage writes, as systems at the places between the stages see it.

use std::sync::{Arc, Mutex};

use legion::{systems::ParallelRunnable, *};
use legion_transform::prelude::*;

use super::svg::Figure;

/// Marks the child that is watched.
struct Watched;

/// What is true of the child at a place: whether its parent has it in its list, its local and its
/// world x.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    listed: bool,
    local: f32,
    world: f32,
}

type Notes = Arc<Mutex<Vec<Seen>>>;

/// A child of a root at x = 10 moves to x = 2 below it, as it gets its parent: seen before, between
/// and after the stages.
fn run() -> Vec<Seen> {
    let notes = Notes::default();
    let bundle = TransformSystemBundle::default()
        .before_composition(watch(notes.clone()))
        .before_propagation(watch(notes.clone()));
    let mut schedule = Schedule::builder()
        .add_system(watch(notes.clone()))
        .add_transforms(bundle)
        .add_system(watch(notes.clone()))
        .build();
    let mut world = World::default();
    let parent = world.push((LocalToWorld::identity(), Translation::new(10.0, 0.0, 0.0)));
    let place = Translation::new(2.0, 0.0, 0.0);
    world.push((
        LocalToWorld::identity(),
        LocalToParent::identity(),
        Parent(parent),
        place,
        Watched,
    ));
    schedule.execute(&mut world, &mut Resources::default());
    notes.lock().expect("no system panicked").clone()
}

fn watch(notes: Notes) -> impl ParallelRunnable {
    let child = <(Entity, &Watched, &Parent, &LocalToParent, &LocalToWorld)>::query();
    SystemBuilder::new("watch").with_query(child).read_component::<Children>().build(
        move |_, world, _, child| {
            let (child_world, rest) = world.split_for_query(child);
            child.for_each(&child_world, |(child, _, parent, local, to_world)| {
                let list =
                    <&Children>::query().get(&rest, parent.0).map(|list| list.contains(child));
                let seen = Seen {
                    listed: list.unwrap_or(false),
                    local: local.0.m14,
                    world: to_world.0.m14,
                };
                notes.lock().expect("no system panicked").push(seen);
            });
        },
    )
}

pub fn draw() -> Figure {
    let seen = run();
    let expected = [(false, 0.0, 0.0), (true, 0.0, 0.0), (true, 2.0, 0.0), (true, 2.0, 12.0)];
    assert_eq!(seen, expected.map(|(listed, local, world)| Seen { listed, local, world }));

    let mut figure = Figure::new("One tick", 760, 522);
    figure.text(
        [24.0, 62.0],
        "dim",
        "Your systems in teal, the bundle in amber. On the right: a child at x = 2 that has just \
         got",
    );
    figure.text(
        [24.0, 82.0],
        "dim",
        "a parent at x = 10, as systems see it that stand at these places.",
    );
    let places =
        ["your systems", "before_composition", "before_propagation", "systems after the bundle"];
    let purposes = [
        "write Parent, Translation, Rotation, Scale, ...",
        "may write local inputs; relations are right",
        "may write overridden matrices; local ones are right",
        "read LocalToWorld: everything is right",
    ];
    let stages = [
        ("hierarchy", "Parent => Children, PreviousParent"),
        ("local matrices", "Translation, Rotation, Scale, ... => LocalToParent"),
        (
            "propagation",
            "LocalToWorld = parent's LocalToWorld * LocalToParent; WorldToLocal; Findings",
        ),
    ];
    for row in 0..4 {
        let top = 100.0 + 116.0 * row as f32;
        place(&mut figure, top, places[row], purposes[row], &seen[row]);
        if let Some((name, what)) = stages.get(row) {
            stage(&mut figure, top + 58.0, name, what);
        }
    }
    figure
}

fn place(figure: &mut Figure, top: f32, name: &str, purpose: &str, seen: &Seen) {
    frame(figure, [24.0, top, 460.0, 46.0], "solid two");
    figure.text([38.0, top + 20.0], "two", name);
    figure.text([38.0, top + 38.0], "dim", purpose);
    figure.shape(&[[484.0, top + 23.0], [508.0, top + 23.0]], "dashed");
    let listed = if seen.listed { "in its parent's Children" } else { "in no list yet" };
    figure.text([516.0, top + 20.0], "dim", listed);
    figure.text(
        [516.0, top + 38.0],
        "code",
        &format!("local x = {}, world x = {}", seen.local, seen.world),
    );
}

fn stage(figure: &mut Figure, top: f32, name: &str, what: &str) {
    figure.shape(&[[50.0, top - 12.0], [50.0, top]], "arrow");
    frame(figure, [24.0, top, 712.0, 46.0], "solid one");
    figure.text([38.0, top + 20.0], "one", name);
    figure.text([38.0, top + 38.0], "code", what);
    figure.shape(&[[50.0, top + 46.0], [50.0, top + 58.0]], "arrow");
}

fn frame(figure: &mut Figure, [x, y, width, height]: [f32; 4], class: &str) {
    figure
        .shape(&[[x, y], [x + width, y], [x + width, y + height], [x, y + height], [x, y]], class);
}
