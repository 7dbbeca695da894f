//! Small worlds of every sort of component, saved the same way each time.

use harness::{Rng, TestWorld};
use legion::{Entity, Registry, World, any, serialize::Canon};
use legion_transform::{ecosystem::serde::register_components, prelude::*};
use legion_transform_testing::kind::{Kind, POST_ROTATION_EULERS, ROTATION_EULERS};

use super::Format;

pub fn registry() -> Registry<String> {
    let mut registry = Registry::default();
    register_components(&mut registry);
    registry
}

/// Components that an entity can have without a finding.
fn shape(rng: &mut Rng) -> Vec<Kind> {
    let few = 2 + rng.below(8);
    let is_in = |kind: &&Kind| **kind == Kind::LocalToWorld || rng.one_in(few);
    let kinds = Kind::ALL.iter().filter(|kind| **kind != Kind::LocalToParent);
    let mut shape: Vec<Kind> = kinds.filter(is_in).copied().collect();
    for rivals in
        [&[Kind::Scale, Kind::NonUniformScale][..], &ROTATION_EULERS, &POST_ROTATION_EULERS]
    {
        let kept = *rng.pick(rivals);
        shape.retain(|kind| *kind == kept || !rivals.contains(kind));
    }
    shape
}

/// A world of up to 30 entities in a forest, and their names. Some have derived components.
fn world(rng: &mut Rng) -> (TestWorld, Canon) {
    let mut test = TestWorld::new(TransformSystemBundle::default().print_findings(false));
    let shapes = [(); 3].map(|()| shape(rng));
    let mut entities: Vec<Entity> = Vec::new();
    for _ in 0..1 + rng.below(30) {
        let shape = rng.pick(&shapes);
        let values: Vec<_> = shape.iter().map(|kind| (*kind, rng.numbers(*kind))).collect();
        let entity = test.spawn(&values);
        if !entities.is_empty() && !rng.one_in(4) {
            let parent = *rng.pick(&entities);
            test.put(entity, Parent(parent));
            test.put(entity, LocalToParent::identity());
        }
        entities.push(entity);
    }
    if !rng.one_in(4) {
        test.run();
    }
    let names = Canon::default();
    for (number, entity) in (0_u8..).zip(entities) {
        names.canonize(entity, [number ^ 0x5a; 16]).expect("a name of its own");
    }
    (test, names)
}

/// A save of a random world.
pub fn save(format: Format, rng: &mut Rng) -> Vec<u8> {
    let (test, names) = world(rng);
    write(format, &test.world, &names)
}

/// A save of a world.
pub fn write(format: Format, world: &World, names: &Canon) -> Vec<u8> {
    let registry = registry();
    let world = world.as_serializable(any(), &registry, names);
    match format {
        Format::Postcard => postcard::to_stdvec(&world).unwrap(),
        Format::MessagePack => rmp_serde::to_vec(&world).unwrap(),
        Format::Json => serde_json::to_vec(&world).unwrap(),
    }
}
