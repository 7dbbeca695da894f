//! Custom transforms: how a component of yours takes over `LocalToWorld`, or shares it with others.
//!
//! `cargo run --example custom_transforms`
//!
//! The four systems of section 6 of Unity's document "TransformSystem", with this crate's write groups. Each puts its mark
//! on what it wrote, and at the end a table shows which system wrote which entity.

use legion::{systems::ParallelRunnable, *};
use legion_transform::{WriteGroups, prelude::*};
use nalgebra::{Translation3, Vector3};

/// A user's way to place an entity: `height` above the ground.
#[derive(Clone, Copy)]
struct Hover {
    height: f32,
}

/// Another: along a rail.
#[derive(Clone, Copy)]
struct OnRail {
    distance: f32,
}

/// Who wrote the entity's `LocalToWorld` (for the table).
#[derive(Default)]
struct Writers(Vec<&'static str>);

fn main() {
    overriding();
    extending();
}

/// Method 1. `Hover` is in the write group of `LocalToWorld`, so the bundle leaves that matrix alone on entities that have
/// it; a plain query will do. The matrix is the user's alone: `Translation` beside it counts for nothing.
fn overriding() {
    println!("Overriding: the bundle keeps off, a plain query writes.\n");
    let bundle =
        TransformSystemBundle::default().write_group::<LocalToWorld, Hover>().before_propagation(hover_override_system());
    let mut world = World::default();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();

    let plain = world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), Writers::default()));
    let hovering =
        world.push((LocalToWorld::identity(), Translation::new(1.0, 0.0, 0.0), Hover { height: 5.0 }, Writers::default()));
    // What hangs off an overridden entity follows it in the same run.
    let lamp = world.push((
        LocalToWorld::identity(),
        LocalToParent::identity(),
        Parent(hovering),
        Translation::new(0.0, 0.0, 2.0),
        Writers::default(),
    ));
    schedule.execute(&mut world, &mut Resources::default());

    check(&mut world, plain, "Translation", [1.0, 0.0, 0.0], &[]);
    check(&mut world, hovering, "Translation, Hover", [0.0, 5.0, 0.0], &["override"]);
    check(&mut world, lamp, "  its child, Translation", [0.0, 5.0, 2.0], &[]);
    println!();
}

#[system(for_each)]
fn hover_override(local_to_world: &mut LocalToWorld, hover: &Hover, writers: &mut Writers) {
    write(local_to_world, Vector3::new(0.0, hover.height, 0.0));
    writers.0.push("override");
}

/// Method 2. Several such components get along if their systems filter by the write group: each query matches only
/// entities on which all that takes part in `LocalToWorld` is on its own list.
fn extending() {
    println!("Extending: four systems side by side, each on the entities that were made for it.\n");
    let bundle = TransformSystemBundle::default().write_group::<LocalToWorld, Hover>().write_group::<LocalToWorld, OnRail>();
    let groups = bundle.write_groups().clone();
    let bundle = bundle
        .before_propagation(hover_system(&groups))
        .before_propagation(hover_extension_system(&groups))
        .before_propagation(rail_system(&groups))
        .before_propagation(combo_system(&groups));
    let mut world = World::default();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();

    let at = LocalToWorld::identity();
    let (translation, rotation, scale) = (Translation::new(1.0, 0.0, 0.0), Rotation::identity(), Scale(1.0));
    let (hover, rail) = (Hover { height: 5.0 }, OnRail { distance: 7.0 });
    let trs = world.push((at, translation, rotation, scale, Writers::default()));
    let hovering = world.push((at, hover, Writers::default()));
    let hovering_trs = world.push((at, translation, rotation, scale, hover, Writers::default()));
    let hovering_t = world.push((at, translation, hover, Writers::default()));
    let on_rail = world.push((at, rail, Writers::default()));
    let both = world.push((at, hover, rail, Writers::default()));
    schedule.execute(&mut world, &mut Resources::default());

    check(&mut world, trs, "Translation, Rotation, Scale", [1.0, 0.0, 0.0], &[]);
    check(&mut world, hovering, "Hover", [0.0, 5.0, 0.0], &["hover"]);
    check(&mut world, hovering_trs, "Translation, Rotation, Scale, Hover", [1.0, 5.0, 0.0], &["hover + TRS"]);
    check(&mut world, hovering_t, "Translation, Hover", [0.0, 0.0, 0.0], &[]); // nobody claims this combination
    check(&mut world, on_rail, "OnRail", [7.0, 0.0, 0.0], &["rail"]);
    check(&mut world, both, "Hover, OnRail", [7.0, 5.0, 0.0], &["hover + rail"]);
}

/// Reads `Hover` alone.
fn hover_system(groups: &WriteGroups) -> impl ParallelRunnable + use<> {
    let filter = groups.filter::<LocalToWorld>().reads::<Hover>();
    SystemBuilder::new("hover").with_query(<(&mut LocalToWorld, &mut Writers, &Hover)>::query().filter(filter)).build(
        |_, world, _, query| {
            query.for_each_mut(world, |(local_to_world, writers, hover)| {
                write(local_to_world, Vector3::new(0.0, hover.height, 0.0));
                writers.0.push("hover");
            });
        },
    )
}

/// Reads `Hover` together with translation, rotation and scale.
fn hover_extension_system(groups: &WriteGroups) -> impl ParallelRunnable + use<> {
    let filter =
        groups.filter::<LocalToWorld>().reads::<Hover>().reads::<Translation>().reads::<Rotation>().reads::<Scale>();
    SystemBuilder::new("hover + TRS")
        .with_query(<(&mut LocalToWorld, &mut Writers, &Hover, &Translation, &Rotation, &Scale)>::query().filter(filter))
        .build(|_, world, _, query| {
            query.for_each_mut(world, |(local_to_world, writers, hover, translation, rotation, scale)| {
                let rotation_and_scale = rotation.to_homogeneous() * nalgebra::Matrix4::new_scaling(scale.0);
                let lifted = Translation3::new(0.0, hover.height, 0.0) * translation.0;
                local_to_world.0 = lifted.to_homogeneous() * rotation_and_scale;
                writers.0.push("hover + TRS");
            });
        })
}

/// Reads `OnRail` alone.
fn rail_system(groups: &WriteGroups) -> impl ParallelRunnable + use<> {
    let filter = groups.filter::<LocalToWorld>().reads::<OnRail>();
    SystemBuilder::new("rail").with_query(<(&mut LocalToWorld, &mut Writers, &OnRail)>::query().filter(filter)).build(
        |_, world, _, query| {
            query.for_each_mut(world, |(local_to_world, writers, rail)| {
                write(local_to_world, Vector3::new(rail.distance, 0.0, 0.0));
                writers.0.push("rail");
            });
        },
    )
}

/// Settles what happens where both are: reads the two of them.
fn combo_system(groups: &WriteGroups) -> impl ParallelRunnable + use<> {
    let filter = groups.filter::<LocalToWorld>().reads::<Hover>().reads::<OnRail>();
    SystemBuilder::new("hover + rail")
        .with_query(<(&mut LocalToWorld, &mut Writers, &Hover, &OnRail)>::query().filter(filter))
        .build(|_, world, _, query| {
            query.for_each_mut(world, |(local_to_world, writers, hover, rail)| {
                write(local_to_world, Vector3::new(rail.distance, hover.height, 0.0));
                writers.0.push("hover + rail");
            });
        })
}

fn write(local_to_world: &mut LocalToWorld, position: Vector3<f32>) {
    local_to_world.0 = Translation3::from(position).to_homogeneous();
}

/// Prints a line of the table, and makes sure of it.
fn check(world: &mut World, entity: Entity, components: &str, position: [f32; 3], writers: &[&str]) {
    let entry = world.entry(entity).unwrap();
    let at = entry.get_component::<LocalToWorld>().unwrap().position();
    let by = &entry.get_component::<Writers>().unwrap().0;
    let shown = if by.is_empty() { "-".to_owned() } else { by.join(", ") };
    println!("  {components:<37} at {:<18} user system: {shown}", format!("({}, {}, {})", at.x, at.y, at.z));
    assert_eq!(at, position.into());
    assert_eq!(by, writers);
}
