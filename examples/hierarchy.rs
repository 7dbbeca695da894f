//! A small solar system: entities hang off each other, and one run of the bundle a day keeps every `LocalToWorld` right.
//!
//! ```text
//! cargo run --example hierarchy
//! ```

use std::f32::consts::TAU;

use legion::*;
use legion_transform::{Findings, findings::FindingKind, prelude::*};
use nalgebra::{Point3, Vector3};

/// Turns an entity about its own y axis, and so everything that hangs off it.
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

/// A body at `distance` from what it goes round: an invisible hub that turns, and the body at its end.
fn orbiting(world: &mut World, around: Entity, days: f32, distance: f32, size: f32) -> Entity {
    let hub = world.push((
        LocalToWorld::identity(),
        LocalToParent::identity(),
        Parent(around),
        Rotation::identity(),
        Orbit { days },
    ));
    let place =
        world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(hub), Translation::new(distance, 0.0, 0.0)));
    // The size is for drawing. On an entity of its own it does not scale the moons.
    world.push((LocalToWorld::identity(), LocalToParent::identity(), Parent(place), Scale(size)));
    place
}

fn position(world: &World, entity: Entity) -> Point3<f32> {
    let entry = world.entry_ref(entity).expect("bodies live as long as the world");
    entry.get_component::<LocalToWorld>().expect("every body has one").position()
}

fn main() {
    let mut world = World::default();
    let mut resources = Resources::default();
    resources.insert(Calendar::default());

    // Distances in tenths of an astronomical unit, moons' not to scale.
    let sun = world.push((LocalToWorld::identity(), Translation::new(100.0, 0.0, 0.0)));
    let bodies = [
        ("sun", sun),
        ("mercury", orbiting(&mut world, sun, 88.0, 3.9, 0.04)),
        ("venus", orbiting(&mut world, sun, 225.0, 7.2, 0.09)),
        ("earth", orbiting(&mut world, sun, 365.0, 10.0, 0.1)),
    ];
    let earth = bodies[3].1;
    let mars = orbiting(&mut world, sun, 687.0, 15.2, 0.05);
    let moon = orbiting(&mut world, earth, 27.3, 1.0, 0.03);
    let phobos = orbiting(&mut world, mars, 0.32, 0.4, 0.01);
    let bodies = [&bodies[..], &[("moon", moon), ("mars", mars), ("phobos", phobos)]].concat();

    let mut schedule =
        Schedule::builder().add_system(turn_system()).add_transforms(TransformSystemBundle::default()).build();

    print!("{:>5}", "day");
    bodies.iter().for_each(|(name, _)| print!("  {name:^15}"));
    println!();
    for day in (0..=365).step_by(73) {
        resources.insert(Calendar { day: day as f32 });
        schedule.execute(&mut world, &mut resources);

        print!("{day:>5}");
        for (_, entity) in &bodies {
            let at = position(&world, *entity);
            print!("  {:>7.2} {:>7.2}", at.x, rounded(at.z));
        }
        println!();
        check(&world, day as f32, [sun, earth, moon]);
    }

    // A year is over, and the earth is where it began.
    let start = Point3::new(110.0, 0.0, 0.0);
    assert!((position(&world, earth) - start).norm() < 1e-3);

    // Mars is lost: what hung off it are roots now, and their own components are their worlds.
    world.remove(mars);
    schedule.execute(&mut world, &mut resources);
    assert!((position(&world, phobos).coords.norm() - 0.4).abs() < 1e-5);
    let findings = resources.get::<Findings>().expect("the bundle puts it there");
    println!("\nafter mars is lost:");
    findings.of(&world).for_each(|finding| println!("- {finding}"));
    assert!(findings.of(&world).all(|finding| finding.kind == FindingKind::DeadParent));
    assert_eq!(findings.of(&world).count(), 2);
}

/// Without the sign of a zero.
fn rounded(x: f32) -> f32 {
    (x * 100.0).round() / 100.0 + 0.0
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
