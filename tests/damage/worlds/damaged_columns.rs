//! Saved worlds whose columns differ in length, which Legion's loader takes.

use harness::{at, below, schedule, x};
use legion::{IntoQuery, Registry, Resources, Schedule, World, any, serialize::Canon};
use legion_transform::{
    ecosystem::serde::register_components,
    findings::{Finding, FindingKind},
    frames::Frame,
    prelude::*,
};
use nalgebra::Point3;
use serde::de::DeserializeSeed;

/// Shortens a component's column of `rows` rows in a saved world to one row of `size` bytes.
pub fn shorten(bytes: &mut Vec<u8>, component: &str, rows: usize, size: usize) {
    let length = postcard::to_stdvec(&rows).unwrap();
    let column = [component.as_bytes(), &length].concat();
    let at = bytes.windows(column.len()).rposition(|window| window == column).unwrap();
    let (at, values) = (at + component.len(), at + column.len());
    bytes.drain(values + size..values + rows * size);
    bytes.splice(at..values, [1]);
}

/// A saved world of a root and children below it whose column of one component has a single row.
fn damaged(component: &str, size: usize) -> World {
    const CHILDREN: usize = 400;
    let mut world = World::default();
    let root = world.push((LocalToWorld::identity(), 0_u8));
    world.extend((0..CHILDREN).map(|child| below(root, child as f32)).collect::<Vec<_>>());
    schedule().execute(&mut world, &mut Resources::default());
    let mut registry = Registry::<String>::default();
    register_components(&mut registry);
    registry.register::<u8>("u8".into());
    let names = Canon::default();
    let mut bytes = postcard::to_stdvec(&world.as_serializable(any(), &registry, &names)).unwrap();
    shorten(&mut bytes, component, CHILDREN, size);
    let mut reader = postcard::Deserializer::from_bytes(&bytes);
    registry.as_deserialize(&Canon::default()).deserialize(&mut reader).unwrap()
}

/// Legion's loader takes columns of different lengths for one archetype.
#[test]
fn a_world_whose_columns_differ_in_length_is_refused_and_left_alone() {
    for (component, size) in [("LocalToParent", 64), ("LocalToWorld", 64), ("Translation", 12)] {
        let mut world = damaged(component, size);
        let before: Vec<LocalToWorld> = <&LocalToWorld>::query().iter(&world).copied().collect();
        let (mut schedule, mut resources) = (schedule(), Resources::default());
        for _ in 0..2 {
            schedule.execute(&mut world, &mut resources);
            let findings: Vec<Finding> = resources.get::<Findings>().unwrap().of(&world).collect();
            assert_eq!(findings.len(), 1, "{findings:?}");
            assert_eq!(findings[0].kind, FindingKind::DamagedColumn { component });
            assert!(findings[0].to_string().contains(component), "{}", findings[0]);
            let after: Vec<LocalToWorld> = <&LocalToWorld>::query().iter(&world).copied().collect();
            assert_eq!(before, after, "nothing is written into a world that is refused");
        }
        // Another world of the same schedule is served.
        let mut sound = World::default();
        let root = sound.push(at(1.0));
        let child = sound.push(below(root, 2.0));
        schedule.execute(&mut sound, &mut resources);
        assert_eq!(x(&sound, child), 3.0);
        assert!(resources.get::<Findings>().unwrap().is_clean(&sound));
    }
}

/// Nor do frames write into it, whose system runs between the bundle's steps.
#[test]
fn frames_are_not_written_in_a_world_that_is_refused() {
    let at = |x: f64| Frame::at(Point3::new(x, 0.0, 0.0));
    let mut world = World::default();
    world.extend_transforms((0..400).map(|i| (at(f64::from(i)),)));
    let mut registry = Registry::<String>::default();
    register_components(&mut registry);
    let names = Canon::default();
    let mut bytes = postcard::to_stdvec(&world.as_serializable(any(), &registry, &names)).unwrap();
    shorten(&mut bytes, "LocalToWorld", 400, 64);
    let mut reader = postcard::Deserializer::from_bytes(&bytes);
    let mut world: World = registry.as_deserialize(&names).deserialize(&mut reader).unwrap();
    let bundle = TransformSystemBundle::default().large_worlds();
    let mut schedule = Schedule::builder().add_transforms(bundle).build();
    let mut resources = Resources::default();
    for _ in 0..2 {
        let mut frame = <&mut Frame>::query();
        frame.iter_mut(&mut world).for_each(|frame| frame.position.x += 5.0);
        schedule.execute(&mut world, &mut resources);
        assert!(!resources.get::<Findings>().unwrap().is_clean(&world));
        let mut matrices = <&LocalToWorld>::query();
        assert!(matrices.iter(&world).all(|matrix| *matrix == LocalToWorld::identity()));
    }
}
