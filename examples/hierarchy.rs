//! A small solar system: children of children, of which one run of the bundle a day keeps every
//! `LocalToWorld` right.
//!
//! ```text
//! cargo run --example hierarchy                       # says what it shows
//! cargo run --example hierarchy -- --svg year.svg     # and draws the year
//! ```

use std::f32::consts::TAU;

use legion::*;
use legion_transform::{findings::FindingKind, prelude::*};
use nalgebra::{Point3, Vector3};

#[path = "figures/svg.rs"]
mod svg;

use svg::Figure;

/// Turns an entity about its own y axis, and so everything below it.
struct Orbit {
    days: f32,
}

#[derive(Default)]
struct Calendar {
    day: f32,
}

#[system(for_each)]
fn turn(orbit: &Orbit, rotation: &mut Rotation, #[resource] calendar: &Calendar) {
    *rotation = Rotation::from_axis_angle(&Vector3::y_axis(), TAU * calendar.day / orbit.days);
}

/// A body at `distance` from what it goes round: an invisible hub that turns, and the body at its
/// end.
fn orbiting(world: &mut World, around: Entity, days: f32, distance: f32, size: f32) -> Entity {
    let hub = world.push_child(around, (Rotation::identity(), Orbit { days }));
    let place = world.push_child(hub, (Translation::new(distance, 0.0, 0.0),));
    // The size is for drawing. On an entity of its own it does not scale the moons.
    world.push_child(place, (Scale(size),));
    place
}

fn position(world: &World, entity: Entity) -> Point3<f32> {
    LocalToWorld::of(world, entity).expect("bodies live as long as the world").position()
}

/// Days a year of the figure's, and between its dots.
const YEAR: usize = 365;
const MARK: usize = 73;

fn main() -> std::io::Result<()> {
    let mut world = World::default();
    let mut resources = Resources::default();
    resources.insert(Calendar::default());

    // Distances in tenths of an astronomical unit, moons' not to scale.
    let sun = world.push_transform((Translation::new(100.0, 0.0, 0.0),));
    let earth = orbiting(&mut world, sun, 365.0, 10.0, 0.1);
    let mars = orbiting(&mut world, sun, 687.0, 15.2, 0.05);
    let moon = orbiting(&mut world, earth, 27.3, 1.0, 0.03);
    let phobos = orbiting(&mut world, mars, 0.32, 0.4, 0.01);
    let bodies = [
        ("mercury", orbiting(&mut world, sun, 88.0, 3.9, 0.04)),
        ("venus", orbiting(&mut world, sun, 225.0, 7.2, 0.09)),
        ("earth", earth),
        ("moon", moon),
        ("mars", mars),
    ];

    let bundle = TransformSystemBundle::default();
    bundle.insert_resources(&mut resources);
    let mut schedule = Schedule::builder().add_system(turn_system()).add_transforms(bundle).build();

    let mut ways = vec![Vec::new(); bodies.len()];
    for day in 0..=YEAR {
        resources.insert(Calendar { day: day as f32 });
        schedule.execute(&mut world, &mut resources);
        check(&world, day as f32, [sun, earth, moon]);
        let center = position(&world, sun);
        bodies
            .iter()
            .zip(&mut ways)
            .for_each(|((_, body), way)| way.push(position(&world, *body) - center));
    }
    println!(
        "A year in {} runs: every body is where its orbit says, the moon through the earth's.",
        YEAR + 1
    );

    // A year is over, and the earth is where it began.
    let start = Point3::new(110.0, 0.0, 0.0);
    assert!((position(&world, earth) - start).norm() < 1e-3);

    // Mars is lost: its children are roots now, and their own components place them in the world.
    world.remove(mars);
    schedule.execute(&mut world, &mut resources);
    assert!((position(&world, phobos).coords.norm() - 0.4).abs() < 1e-5);
    let findings = resources.get::<Findings>().expect("the bundle puts it there");
    println!("Mars is lost:");
    findings.of(&world).for_each(|finding| println!("- {finding}"));
    assert!(findings.of(&world).all(|finding| finding.kind == FindingKind::DeadParent));
    assert_eq!(findings.of(&world).count(), 2);

    draw(&bodies.map(|(name, _)| name), &ways).write_if_asked()
}

/// The ways from above, x to the right, -z up.
fn draw(names: &[&str], ways: &[Vec<Vector3<f32>>]) -> Figure {
    let mut figure = Figure::new("A year of world positions", 720, 720);
    let at = |place: &Vector3<f32>| [360.0 + 20.0 * place.x, 386.0 + 20.0 * place.z];
    figure.dot(at(&Vector3::zeros()), 11.0, "one");
    figure.text([376.0, 391.0], "one", "sun");
    for (name, way) in names.iter().zip(ways) {
        let class = if *name == "moon" { "three" } else { "two" };
        let line: Vec<_> = way.iter().map(at).collect();
        figure.shape(&line, class);
        if *name != "moon" {
            line.iter().step_by(MARK).for_each(|place| figure.dot(*place, 3.5, class));
        }
        let [x, y] = line[0];
        // By turns above and below, so that no name covers another.
        let below = matches!(*name, "venus" | "moon");
        figure.text([x + 8.0, if below { y + 20.0 } else { y - 8.0 }], class, name);
    }
    figure.text(
        [24.0, 698.0],
        "dim",
        "A dot every 73 days. Each body is a child of a hub that turns; the moon's hub is a child \
         of the earth.",
    );
    figure
}

/// The same positions, worked out by hand.
fn check(world: &World, day: f32, [sun, earth, moon]: [Entity; 3]) {
    let on_circle = |days: f32, radius: f32| {
        let angle = TAU * day / days;
        Vector3::new(radius * angle.cos(), 0.0, -radius * angle.sin())
    };
    let expected = position(world, sun) + on_circle(365.0, 10.0);
    assert!((position(world, earth) - expected).norm() < 1e-3);
    // The moon's hub is turned by the earth's as well.
    let (earth_angle, moon_angle) = (TAU * day / 365.0, TAU * day / 27.3);
    let angle = earth_angle + moon_angle;
    let expected = expected + Vector3::new(angle.cos(), 0.0, -angle.sin());
    assert!((position(world, moon) - expected).norm() < 1e-3);
}
