//! What brings entities: each round in a new world, an entity.

use legion::{Entity, Resources, Schedule, World};
use legion_transform::{components::PreviousParent, prelude::*};

use super::{
    BONES, LIMB, LIMBS, Round, Rows, Scene,
    scene::{Body, body, spawn},
    timed,
};

pub fn add(rows: &mut Rows) {
    let mut row = |name: &str, spawn: fn(&mut World, Entity, usize)| {
        rows.add(name, move |it| {
            let (mut world, count) = (World::default(), it.len());
            let parent = world.push_transform(body(0));
            timed(count, || spawn(&mut world, parent, count))
        });
    };
    row("push_tree", |world, _, count| _ = spawn(world, count / BONES));
    row("push_child", |world, parent, count| {
        (0..count).for_each(|i| _ = world.push_child(parent, body(i)));
    });
    row("by hand: push of a child", |world, parent, count| {
        (0..count).for_each(|i| _ = world.push(child(parent, body(i))));
    });
    row("push_transform", |world, _, count| {
        (0..count).for_each(|i| _ = world.push_transform(body(i)));
    });
    row("by hand: push of a root", |world, _, count| {
        (0..count).for_each(|i| _ = world.push(root(body(i))));
    });
    row("extend_children", |world, parent, count| {
        _ = world.extend_children(parent, (0..count).map(body));
    });
    row("by hand: extend of children", |world, parent, count| {
        _ = world.extend((0..count).map(|i| child(parent, body(i))));
    });
    row("extend_transforms", |world, _, count| {
        _ = world.extend_transforms((0..count).map(body));
    });
    row("by hand: extend of roots", |world, _, count| {
        _ = world.extend((0..count).map(|i| root(body(i))));
    });
    rows.add("a first run after push_tree", |it| {
        first_run(it, |world, skeletons| _ = spawn(world, skeletons))
    });
    rows.add("a first run with insert_missing", |it| first_run(it, inputs));
}

/// All columns that `push_transform` gives to a root.
fn root((translation, rotation, scale): Body) -> Root {
    (LocalToWorld::identity(), translation, rotation, scale)
}

type Root = (LocalToWorld, Translation, Rotation, NonUniformScale);

/// All columns that `push_child` gives to a child.
fn child(parent: Entity, (translation, rotation, scale): Body) -> Child {
    let matrices = (LocalToWorld::identity(), LocalToParent::identity());
    let links = (Parent(parent), PreviousParent::default());
    (matrices.0, matrices.1, links.0, links.1, translation, rotation, scale)
}

type Child =
    (LocalToWorld, LocalToParent, Parent, PreviousParent, Translation, Rotation, NonUniformScale);

/// Skeletons without matrices.
fn inputs(world: &mut World, skeletons: usize) {
    for i in 0..skeletons {
        let root = world.push(body(i));
        for _ in 0..LIMBS {
            (0..LIMB).rev().fold(root, |above, below| {
                let (translation, rotation, scale) = body(below + 1);
                world.push((translation, rotation, scale, Parent(above)))
            });
        }
    }
}

fn first_run(it: &Scene, spawn: impl FnOnce(&mut World, usize)) -> Round {
    let (mut world, mut resources) = (World::default(), Resources::default());
    spawn(&mut world, it.skeletons());
    let bundle = TransformSystemBundle::default().insert_missing();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();
    timed(it.len(), || schedule.execute(&mut world, &mut resources))
}
