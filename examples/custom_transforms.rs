//! Custom transforms: how your own component takes over `LocalToWorld`, or shares it with others.
//!
//! ```text
//! cargo run --example custom_transforms                       # prints the table
//! cargo run --example custom_transforms -- --svg table.svg    # and draws it
//! ```
//!
//! The four systems of section 6 of Unity's document "TransformSystem", with this crate's write
//! groups. Each puts its mark on what it wrote, and at the end a table shows which system wrote
//! which entity.

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

#[path = "figures/svg.rs"]
mod svg;

use svg::Figure;

fn main() -> std::io::Result<()> {
    let mut table = Table {
        figure: Figure::new("Write groups: which system writes LocalToWorld", 760, 480),
        rows: 0,
    };
    overriding(&mut table);
    extending(&mut table);
    table.figure.write_if_asked()
}

/// Method 1. `Hover` is in the write group of `LocalToWorld`, so the bundle leaves that matrix
/// alone on entities that have it; a plain query will do. The matrix is the user's alone:
/// `Translation` beside it counts for nothing.
fn overriding(table: &mut Table) {
    table.head("Overriding: the bundle keeps off, a plain query writes.");
    let bundle = TransformSystemBundle::default()
        .write_group::<LocalToWorld, Hover>()
        .before_propagation(hover_override_system());
    let mut world = World::default();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();

    let at = Translation::new(1.0, 0.0, 0.0);
    let plain = world.push_transform((at, Writers::default()));
    let hovering = world.push_transform((at, Hover { height: 5.0 }, Writers::default()));
    // Children of an overridden entity follow it in the same run.
    let lamp = world.push_child(hovering, (Translation::new(0.0, 0.0, 2.0), Writers::default()));
    schedule.execute(&mut world, &mut Resources::default());

    table.check(&mut world, plain, "Translation", [1.0, 0.0, 0.0], &[]);
    table.check(&mut world, hovering, "Translation, Hover", [0.0, 5.0, 0.0], &["override"]);
    table.check(&mut world, lamp, "  its child, Translation", [0.0, 5.0, 2.0], &[]);
    println!();
}

#[system(for_each)]
fn hover_override(local_to_world: &mut LocalToWorld, hover: &Hover, writers: &mut Writers) {
    write(local_to_world, Vector3::new(0.0, hover.height, 0.0));
    writers.0.push("override");
}

/// Method 2. Several such components get along if their systems filter by the write group: each
/// query matches only entities on which all that takes part in `LocalToWorld` is on its own list.
fn extending(table: &mut Table) {
    table.head("Extending: four systems side by side, each on the entities that were made for it.");
    let bundle = TransformSystemBundle::default()
        .write_group::<LocalToWorld, Hover>()
        .write_group::<LocalToWorld, OnRail>();
    let groups = bundle.write_groups().clone();
    let bundle = bundle
        .before_propagation(hover_system(&groups))
        .before_propagation(hover_extension_system(&groups))
        .before_propagation(rail_system(&groups))
        .before_propagation(combo_system(&groups));
    let mut world = World::default();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();

    let at = LocalToWorld::identity();
    let (translation, rotation, scale) =
        (Translation::new(1.0, 0.0, 0.0), Rotation::identity(), Scale(1.0));
    let (hover, rail) = (Hover { height: 5.0 }, OnRail { distance: 7.0 });
    let trs = world.push((at, translation, rotation, scale, Writers::default()));
    let hovering = world.push((at, hover, Writers::default()));
    let hovering_trs = world.push((at, translation, rotation, scale, hover, Writers::default()));
    let hovering_t = world.push((at, translation, hover, Writers::default()));
    let on_rail = world.push((at, rail, Writers::default()));
    let both = world.push((at, hover, rail, Writers::default()));
    schedule.execute(&mut world, &mut Resources::default());

    table.check(&mut world, trs, "Translation, Rotation, Scale", [1.0, 0.0, 0.0], &[]);
    table.check(&mut world, hovering, "Hover", [0.0, 5.0, 0.0], &["hover"]);
    table.check(
        &mut world,
        hovering_trs,
        "Translation, Rotation, Scale, Hover",
        [1.0, 5.0, 0.0],
        &["hover + TRS"],
    );
    // No system claims this combination.
    table.check(&mut world, hovering_t, "Translation, Hover", [0.0, 0.0, 0.0], &[]);
    table.check(&mut world, on_rail, "OnRail", [7.0, 0.0, 0.0], &["rail"]);
    table.check(&mut world, both, "Hover, OnRail", [7.0, 5.0, 0.0], &["hover + rail"]);
}

/// Reads `Hover` alone.
fn hover_system(groups: &WriteGroups) -> impl ParallelRunnable + use<> {
    let filter = groups.filter::<LocalToWorld>().reads::<Hover>();
    SystemBuilder::new("hover")
        .with_query(<(&mut LocalToWorld, &mut Writers, &Hover)>::query().filter(filter))
        .build(|_, world, _, query| {
            query.for_each_mut(world, |(local_to_world, writers, hover)| {
                write(local_to_world, Vector3::new(0.0, hover.height, 0.0));
                writers.0.push("hover");
            });
        })
}

/// Reads `Hover` together with translation, rotation and scale.
fn hover_extension_system(groups: &WriteGroups) -> impl ParallelRunnable + use<> {
    let filter = groups
        .filter::<LocalToWorld>()
        .reads::<Hover>()
        .reads::<Translation>()
        .reads::<Rotation>()
        .reads::<Scale>();
    SystemBuilder::new("hover + TRS")
        .with_query(
            <(&mut LocalToWorld, &mut Writers, &Hover, &Translation, &Rotation, &Scale)>::query()
                .filter(filter),
        )
        .build(|_, world, _, query| {
            query.for_each_mut(
                world,
                |(local_to_world, writers, hover, translation, rotation, scale)| {
                    let rotation_and_scale =
                        rotation.to_homogeneous() * nalgebra::Matrix4::new_scaling(scale.0);
                    let lifted = Translation3::new(0.0, hover.height, 0.0) * translation.0;
                    local_to_world.0 = lifted.to_homogeneous() * rotation_and_scale;
                    writers.0.push("hover + TRS");
                },
            );
        })
}

/// Reads `OnRail` alone.
fn rail_system(groups: &WriteGroups) -> impl ParallelRunnable + use<> {
    let filter = groups.filter::<LocalToWorld>().reads::<OnRail>();
    SystemBuilder::new("rail")
        .with_query(<(&mut LocalToWorld, &mut Writers, &OnRail)>::query().filter(filter))
        .build(|_, world, _, query| {
            query.for_each_mut(world, |(local_to_world, writers, rail)| {
                write(local_to_world, Vector3::new(rail.distance, 0.0, 0.0));
                writers.0.push("rail");
            });
        })
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

/// What is printed, and drawn.
struct Table {
    figure: Figure,
    rows: u16,
}

impl Table {
    fn head(&mut self, text: &str) {
        println!("{text}\n");
        let y = self.next_row();
        self.figure.text([24.0, y], "dim", text);
    }

    /// A row, made sure of.
    fn check(
        &mut self,
        world: &mut World,
        entity: Entity,
        components: &str,
        position: [f32; 3],
        writers: &[&str],
    ) {
        let entry = world.entry(entity).unwrap();
        let at = entry.get_component::<LocalToWorld>().unwrap().position();
        let by = &entry.get_component::<Writers>().unwrap().0;
        let shown = if by.is_empty() { "-".to_owned() } else { by.join(", ") };
        let at_text = format!("({}, {}, {})", at.x, at.y, at.z);
        println!("  {components:<37} at {at_text:<18} user system: {shown}");
        assert_eq!(at, position.into());
        assert_eq!(by, writers);
        // Where no user's system writes, the bundle does, unless a member of the write group keeps
        // it off.
        let members = ["Hover", "OnRail"].iter().any(|member| components.contains(member));
        let (writer, class) = match (by.first(), members) {
            (Some(name), _) => (format!("your system \"{name}\""), "two"),
            (None, false) => ("the bundle".into(), "one"),
            (None, true) => ("no system: none claims these".into(), "three"),
        };
        self.draw_row(components, &writer, &at_text, class);
    }

    fn draw_row(&mut self, components: &str, writer: &str, at: &str, class: &str) {
        let y = self.next_row();
        let mut x = 40.0;
        for component in components.split(',').map(str::trim) {
            let width = 8.2 * component.len() as f32 + 16.0;
            let member =
                if ["Hover", "OnRail"].contains(&component) { "solid two" } else { "solid thin" };
            let corners = [[0.0, -17.0], [width, -17.0], [width, 8.0], [0.0, 8.0], [0.0, -17.0]];
            self.figure.shape(&corners.map(|[right, down]| [x + right, y + down]), member);
            self.figure.text([x + 8.0, y], "", component);
            x += width + 6.0;
        }
        self.figure.dot([404.0, y - 5.0], 5.0, class);
        self.figure.text([418.0, y], class, writer);
        self.figure.text([736.0, y], "code end", at);
    }

    fn next_row(&mut self) -> f32 {
        self.rows += 1;
        40.0 + 36.0 * f32::from(self.rows)
    }
}
